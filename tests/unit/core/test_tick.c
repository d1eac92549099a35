/* core/tick: FreeBSD's stretched sleeps, against the tables read from its source and measured
 * on 13.2. */
#include "core/tick.h"
#include "tests/unit/unit.h"

#define P64_NS  (64e9 / 48000)
#define P128_NS (128e9 / 48000)

static void near_ns(double got, double want, double within)
{
    if (fabs(got - want) > within)
        fail_msg("%.3f ns, not %.3f ns", got, want);
}

static void shift_is_a_power_of_two_of_the_percentage(void **state)
{
    static const struct {
        int64_t percent;
        int shift;
    } rows[] = {{INT32_MIN, 31}, {-1, 31}, {0, 31}, {1, 7},   {2, 6},   {3, 5},
                {4, 5},          {5, 4},   {9, 4},  {10, 3},  {19, 3},  {20, 2},
                {49, 2},         {50, 1},  {99, 1}, {100, 0}, {101, 0}, {INT32_MAX, 0}};
    ST_EACH (row, rows)
        assert_int_equal(st_tick_shift(row->percent), row->shift);
}

static void five_percent_is_a_sixteenth_of_the_sleep(void **state)
{
    struct st_tick_late late;
    assert_int_equal(st_tick_late(5, 1000, P64_NS, &late), 0);
    near_ns(late.max_ns, 83333.3, 0.1);
    near_ns(late.coarse_ns, 0, 0);
    near_ns(late.threshold_ns, 16e6, 1e-3);
    near_ns(late.settled_ns, 78431.4, 0.1);
    assert_int_equal(st_tick_late(5, 100, P128_NS, &late), 0);
    near_ns(late.max_ns, 166666.7, 0.1);
    near_ns(late.threshold_ns, 160e6, 1e-3);
}

static void zero_percent_is_exact(void **state)
{
    struct st_tick_late late;
    assert_int_equal(st_tick_late(0, 1000, 1e9, &late), 0);
    near_ns(late.max_ns, 0.466, 0.001);
    assert_true(isinf(late.threshold_ns));
}

static void long_sleeps_start_from_the_coarse_clock(void **state)
{
    struct st_tick_late late;
    assert_int_equal(st_tick_late(5, 1000, 15.999e6, &late), 0);
    near_ns(late.coarse_ns, 0, 0);
    assert_int_equal(st_tick_late(5, 1000, 16e6, &late), 0);
    near_ns(late.max_ns, 2e6, 1e-3);
    /* measured on 13.2: p = 50, 2667 us is coarse at hz = 1000 and precise at hz = 100 */
    assert_int_equal(st_tick_late(50, 1000, P128_NS, &late), 0);
    near_ns(late.coarse_ns, 1e6, 1e-3);
    assert_int_equal(st_tick_late(50, 100, P128_NS, &late), 0);
    near_ns(late.coarse_ns, 0, 0);
    /* tc_tick = 4 at hz = 4000: the clock still moves once a millisecond */
    assert_int_equal(st_tick_late(5, 4000, 16e6, &late), 0);
    near_ns(late.coarse_ns, 1e6, 1e-3);
}

static void no_hz_has_a_lower_threshold_than_the_worst(void **state)
{
    struct st_tick_late worst, late;
    assert_int_equal(st_tick_late(5, ST_TICK_HZ_WORST, 1e6, &worst), 0);
    for (int64_t hz = 1; hz <= 140000; hz++) {
        assert_int_equal(st_tick_late(5, hz, 1e6, &late), 0);
        if (late.threshold_ns < worst.threshold_ns)
            fail_msg("hz %lld: %.0f ns", (long long)hz, late.threshold_ns);
    }
}

static void nonsense_is_refused(void **state)
{
    struct st_tick_late late;
    assert_int_equal(st_tick_late(5, 0, 1e6, &late), -ERANGE);
    assert_int_equal(st_tick_late(5, ST_TICK_HZ_MAX + 1, 1e6, &late), -ERANGE);
    assert_int_equal(st_tick_late((int64_t)INT32_MAX + 1, 1000, 1e6, &late), -ERANGE);
    assert_int_equal(st_tick_late(5, 1000, 0, &late), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shift_is_a_power_of_two_of_the_percentage),
        cmocka_unit_test(five_percent_is_a_sixteenth_of_the_sleep),
        cmocka_unit_test(zero_percent_is_exact),
        cmocka_unit_test(long_sleeps_start_from_the_coarse_clock),
        cmocka_unit_test(no_hz_has_a_lower_threshold_than_the_worst),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests_name("tick", tests, NULL, NULL);
}
