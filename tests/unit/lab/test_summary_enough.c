

#include "core/stats/random.h"
#include "core/stats/stats.h"
#include "lab/summary.h"
#include "tests/unit/unit.h"

#define N 1000

static int64_t values[N];

/* The n that it names is checked by measuring so often: half the interval of so many values is
 * within the wish in about half of the samples, and of four times as many in nearly all. */
static void so_many_are_enough(void **state)
{
    struct st_random random = {.state = 11};
    for (int i = 0; i < N; i++)
        values[i] = 10000 + (int64_t)st_random_below(&random, 4000);
    const struct st_sample sample = st_sample_of(values, N);
    const uint64_t n = st_summary_median_enough_n(&sample, 0.05, 0, 100000);
    assert_in_range(n, 30, 60); /* uniform: half width 0.98 / sqrt(n) of 4000 = 600 -> n = 43 */
    int narrow_n = 0;
    for (int t = 0; t < 200; t++) {
        static int64_t few[240];
        uint64_t low, high;
        for (size_t i = 0; i < 4 * n; i++)
            few[i] = values[st_random_below(&random, N)];
        const struct st_sample drawn = st_sample_of(few, (size_t)(4 * n));
        assert_int_equal(st_stats_quantile_ranks(4 * n, 0.5, 0.95, &low, &high), 0);
        narrow_n += drawn.values_ns[high - 1] - drawn.values_ns[low - 1] <= 2 * 600;
    }
    assert_true(narrow_n >= 190);
}

static void a_clock_that_tells_no_finer_needs_few(void **state)
{
    for (int i = 0; i < N; i++)
        values[i] = i % 2 * 100;
    const struct st_sample sample = st_sample_of(values, N);
    assert_int_equal(st_summary_median_enough_n(&sample, 0.05, 100, 100000), 20);
    assert_int_equal(st_summary_median_enough_n(&sample, 0.05, 1, 100000),
                     0); /* two humps of the same size */
}

static void too_few_cannot_tell(void **state)
{
    const struct st_sample sample = st_sample_of(values, 19);
    assert_int_equal(st_summary_median_enough_n(&sample, 0.05, 1, 100000), 0);
    assert_in_range(st_summary_median_not_enough_min_n(100000), 1600,
                    1630); /* ranks of 100000: 1.96 * 316 apart */
    assert_int_equal(st_summary_median_not_enough_min_n(5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_are_enough),
        cmocka_unit_test(a_clock_that_tells_no_finer_needs_few),
        cmocka_unit_test(too_few_cannot_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
