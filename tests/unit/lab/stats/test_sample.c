

#include "core/stats/random.h"
#include "lab/stats/sample.h"
#include "tests/unit/unit.h"

static void an_array_is_sorted_and_looked_up_by_rank(void **state)
{
    int64_t values[] = {30, -10, 20, 50, 40};
    const struct st_sample sample = st_sample_of(values, 5);
    assert_int_equal(sample.n, 5);
    for (uint64_t rank = 1; rank <= 5; rank++)
        assert_int_equal(sample.values_ns[rank - 1], rank == 1 ? -10 : 10 * (int64_t)rank);
    assert_int_equal(st_sample_quantile(&sample, 0.5), 30);
    assert_int_equal(st_sample_quantile(&sample, 0.6), 30);
    assert_int_equal(st_sample_quantile(&sample, 0.61), 40);
    assert_int_equal(st_sample_quantile(&sample, 0), -10);
    assert_int_equal(st_sample_quantile(&sample, 1), 50);
}

static void a_clocks_step_is_told_from_its_rounding(void **state)
{
    static const struct {
        int64_t values_ns[8];
        size_t n;
        int64_t step_ns;
    } rows[] = {
        {{31, 20, 30, 20, 21, 180, 30, 31}, 8, 10}, /* 10.02 ns: 20 or 21, 30 or 31 */
        {{20, 21, 22, 30, 40, 50}, 6, 1},           /* three in a row: it counts ns */
        {{20, 21, 30, 251, 260}, 5, 10}, /* 250.5 and 260.52: a tail of single values tells less */
        {{20, 20, 21, 30, 30, 31, 251, 260}, 8, 10},
        {{21, 20, 20, 31, 30, 30, 40, 49}, 8, 10},
        {{40, 42, 46, 40}, 4, 2},
        {{20, 21, 20}, 3, 0},
        {{20, 20}, 2, 0},
        {{20, 30}, 1, 0}}; /* the 30 is behind its end */
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        int64_t values_ns[8];
        memcpy(values_ns, rows[i].values_ns, sizeof(values_ns));
        const struct st_sample sample = st_sample_of(values_ns, rows[i].n);
        assert_int_equal(st_sample_clock_step_ns(&sample), rows[i].step_ns);
    }
}

/* ns between two looks at a clock of that step: 22 to 32, or more by up to 400 in that share of
 * them. */
static void look_twice(struct st_random *random, double step_ns, double tail, int64_t *values_ns,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double from_ns = 1e9 * st_random_unit(random);
        const double to_ns = from_ns + 22 + 10 * st_random_unit(random) +
                             (st_random_unit(random) < tail ? 400 * st_random_unit(random) : 0);
        values_ns[i] = (int64_t)(floor(to_ns / step_ns) * step_ns) -
                       (int64_t)(floor(from_ns / step_ns) * step_ns);
    }
}

static void a_clocks_step_is_told_whatever_the_tail_is(void **state)
{
    static const double steps_ns[] = {10.02, 1, 10, 41.6667, 100};
    static const double tails[] = {0, 0.004, 0.008, 0.016};
    struct st_random random = {.state = 5};
    for (size_t s = 0; s < ST_ARRAY_LEN(steps_ns); s++) {
        ST_EACH (tail, tails) {
            for (int run = 0; run < 200; run++) {
                int64_t values_ns[1000];
                look_twice(&random, steps_ns[s], *tail, values_ns, 1000);
                const struct st_sample sample = st_sample_of(values_ns, 1000);
                const int64_t told_ns = st_sample_clock_step_ns(&sample);
                assert_true(told_ns == (int64_t)steps_ns[s] ||
                            told_ns == (int64_t)ceil(steps_ns[s]));
                if (s == 0)
                    assert_int_equal(told_ns, 10);
            }
        }
    }
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void every_rank_is_that_of_sorting(void **state)
{
    struct st_random random = {.state = 4};
    int64_t values[60], sorted[60];
    for (size_t n = 1; n <= ST_ARRAY_LEN(values); n++) {
        for (size_t rank = 0; rank < n; rank++) {
            const uint64_t different = 1 + st_random_below(&random, 2 * n);
            for (size_t i = 0; i < n; i++)
                sorted[i] = values[i] = (int64_t)st_random_below(&random, different) - (int64_t)n;
            qsort(sorted, n, sizeof(*sorted), compare);
            assert_int_equal(st_sample_select(values, n, rank), sorted[rank]);
            for (size_t i = 0; i < n; i++)
                assert_true(i < rank ? values[i] <= sorted[rank] : values[i] >= sorted[rank]);
            qsort(values, n, sizeof(*values), compare);
            assert_memory_equal(values, sorted, n * sizeof(*values)); /* none is lost */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_sorted_and_looked_up_by_rank),
        cmocka_unit_test(a_clocks_step_is_told_from_its_rounding),
        cmocka_unit_test(a_clocks_step_is_told_whatever_the_tail_is),
        cmocka_unit_test(every_rank_is_that_of_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
