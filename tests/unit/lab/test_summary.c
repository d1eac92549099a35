#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/stats/random.h"
#include "lab/summary.h"

static struct st_summary summary_of(int64_t *values, size_t n)
{
    struct st_summary s;
    const struct st_sample sample = st_sample_of(values, n);
    st_summary_of(&sample, &s);
    return s;
}

static void figures_are_those_of_the_values(void **state)
{
    (void)state;
    int64_t values[40];
    for (size_t i = 0; i < 40; i++)
        values[i] = (int64_t)(40 - i) * 1000; /* 1000 .. 40000, backwards */
    const struct st_summary s = summary_of(values, 40);
    assert_int_equal(s.n, 40);
    assert_true(s.mean_ns == 20500.0);
    assert_true(fabs(s.sd_ns - 11690.4519) < 0.001); /* sqrt(40 * 41 / 12) * 1000 */
    assert_int_equal(s.min_ns, 1000);
    assert_int_equal(s.max_ns, 40000);
    assert_int_equal(s.q1.value_ns, 10000);
    assert_int_equal(s.median.value_ns, 20000);
    assert_int_equal(s.q3.value_ns, 30000);
    assert_true(s.median.interval_known);
    assert_int_equal(s.median.low_ns, 14000); /* ranks 14 and 27: the table of the sign test for n = 40 */
    assert_int_equal(s.median.high_ns, 27000);
    assert_false(s.p95.known || s.p99.known);
}

static void quantiles_need_ten_values_beyond_them(void **state)
{
    (void)state;
    static int64_t values[1000];
    const struct {
        size_t n;
        bool median, quartiles, p95, p99;
    } rows[] = {{19, false, false, false, false}, {20, true, false, false, false},
                {39, true, false, false, false},  {40, true, true, false, false},
                {199, true, true, false, false},  {200, true, true, true, false},
                {999, true, true, true, false},   {1000, true, true, true, true}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        const struct st_summary s = summary_of(values, rows[i].n);
        assert_true(s.median.known == rows[i].median);
        assert_true(s.q1.known == rows[i].quartiles && s.q3.known == rows[i].quartiles);
        assert_true(s.p95.known == rows[i].p95);
        assert_true(s.p99.known == rows[i].p99);
    }
}

static void nothing_and_one_value(void **state)
{
    (void)state;
    int64_t value = -7;
    struct st_summary s = summary_of(&value, 0);
    assert_int_equal(s.n, 0);
    assert_false(s.sd_known);
    s = summary_of(&value, 1);
    assert_true(s.mean_ns == -7.0);
    assert_false(s.sd_known);
    assert_int_equal(s.min_ns, -7);
}

/* Sum of twelve uniform numbers: near enough to normal, sd 1000 * sqrt(12/12). */
static int64_t normal(struct st_random *random, double sd)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += st_random_unit(random);
    return (int64_t)(sum * sd);
}

static void the_interval_of_a_ratio_of_spreads_holds_the_truth_as_often_as_it_says(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    static const size_t sizes[] = {6, 10, 100};
    struct st_random random = {.state = 1};
    for (size_t size = 0; size < 3; size++) {
        const size_t n = sizes[size];
        unsigned held_n = 0, shown_n = 0;
        for (int run = 0; run < RUNS; run++) {
            int64_t a[100], b[100];
            struct st_estimate ratio;
            for (size_t i = 0; i < n; i++) {
                a[i] = normal(&random, 10000);
                b[i] = normal(&random, 20000);
            }
            const struct st_sample sa = st_sample_of(a, n), sb = st_sample_of(b, n);
            st_summary_sd_ratio(&sa, &sb, &ratio);
            assert_true(ratio.known && ratio.low < ratio.value && ratio.value < ratio.high);
            held_n += ratio.low <= 2.0 && 2.0 <= ratio.high;
            shown_n += ratio.low > 1.0;
        }
        assert_in_range(held_n, RUNS * 92 / 100, RUNS); /* fixed seed: 95 % at least */
        assert_true(n < 100 || shown_n == RUNS);
    }
}

static void a_ratio_needs_values_and_a_spread(void **state)
{
    (void)state;
    int64_t same[20] = {0}, few[5] = {1, 2, 3, 4, 5}, some[20] = {1};
    struct st_estimate ratio;
    const struct st_sample a = st_sample_of(same, 20), b = st_sample_of(few, 5), c = st_sample_of(some, 20);
    st_summary_sd_ratio(&a, &c, &ratio);
    assert_false(ratio.known);
    st_summary_sd_ratio(&c, &b, &ratio);
    assert_false(ratio.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_values),
        cmocka_unit_test(quantiles_need_ten_values_beyond_them),
        cmocka_unit_test(nothing_and_one_value),
        cmocka_unit_test(the_interval_of_a_ratio_of_spreads_holds_the_truth_as_often_as_it_says),
        cmocka_unit_test(a_ratio_needs_values_and_a_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
