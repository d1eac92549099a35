

#include "core/stats/random.h"
#include "lab/summary.h"
#include "tests/unit/unit.h"

static struct st_summary summary_of(int64_t *values, size_t n)
{
    struct st_summary s;
    const struct st_sample sample = st_sample_of(values, n);
    st_summary_of(&sample, &s);
    return s;
}

static void figures_are_those_of_the_values(void **state)
{
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
    assert_int_equal(s.median.low_ns,
                     14000); /* ranks 14 and 27: the table of the sign test for n = 40 */
    assert_int_equal(s.median.high_ns, 27000);
    assert_false(s.p95.known || s.p99.known);
}

static void quantiles_need_ten_values_beyond_them(void **state)
{
    static int64_t values[1000];
    const struct {
        size_t n;
        bool median, quartiles, p95, p99;
    } rows[] = {{19, false, false, false, false}, {20, true, false, false, false},
                {39, true, false, false, false},  {40, true, true, false, false},
                {199, true, true, false, false},  {200, true, true, true, false},
                {999, true, true, true, false},   {1000, true, true, true, true}};
    ST_EACH (row, rows) {
        const struct st_summary s = summary_of(values, row->n);
        assert_true(s.median.known == row->median);
        assert_true(s.q1.known == row->quartiles && s.q3.known == row->quartiles);
        assert_true(s.p95.known == row->p95);
        assert_true(s.p99.known == row->p99);
    }
}

static void nothing_and_one_value(void **state)
{
    int64_t value = -7;
    struct st_summary s = summary_of(&value, 0);
    assert_int_equal(s.n, 0);
    assert_false(s.sd_known);
    s = summary_of(&value, 1);
    assert_true(s.mean_ns == -7.0);
    assert_false(s.sd_known);
    assert_int_equal(s.min_ns, -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_values),
        cmocka_unit_test(quantiles_need_ten_values_beyond_them),
        cmocka_unit_test(nothing_and_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
