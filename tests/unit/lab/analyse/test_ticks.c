/* lab/analyse/ticks: how exact its figures are. What it names and what not:
 * test_series_analysis. */
#include "core/ns.h"
#include "lab/analyse/ticks.h"
#include "lab/series/simulate.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

/* 512 frames are 2 and 2/3 ticks of 250 Hz: lateness grows by 1/3 tick, an eighth of the period, in
 * each. */
static void slope_is_as_exact_as_the_ticks_are(void **state)
{
    struct st_simulation s = {
        .count = 900, .hz = 250, .rounding = ST_ROUNDING_TVTOHZ, .noise_ns = 20000};
    s.period = period_of(512, 48000);
    for (s.seed = 1; s.seed <= 6; s.seed++) {
        struct st_series series;
        struct st_ticks lattice, none;
        assert_int_equal(st_simulate(&s, &series), 0);
        assert_int_equal(st_ticks_find(&series, &lattice), 0);
        for (size_t i = 7; i < series.n;
             i += 25) /* 0.4 ticks: so 8 % of the differences do not fit */
            series.lateness_ns[i] += 1600000;
        assert_int_equal(st_ticks_find(&series, &none), 0);
        assert_false(none.found);
        st_series_finish(&series);
        assert_true(lattice.found && lattice.drift_known && lattice.hz == 250);
        assert_true(fabs(lattice.slope_ns_per_s - 125e6) < 4 * lattice.slope_sd_ns_per_s);
        assert_true(lattice.slope_sd_ns_per_s > 0 && lattice.slope_sd_ns_per_s < 1000);
        assert_true(fabs(lattice.tooth_s - 0.032) < 1e-6);
    }
}

/* Ticks of 10 ms, each exact, and one jump without its way back. */
static void both_kinds_of_steps_are_searched_for_to_the_end(void **state)
{
    const struct st_period period = period_of_ns(ST_NS_PER_S, 1);
    struct st_series series;
    struct st_ticks ticks;
    st_series_init(&series, &period);
    for (uint64_t k = 0; k < 900; k++) {
        const int64_t late_ns = (int64_t)(k * 100000 % 10000000);
        if (k != 411)
            assert_int_equal(st_series_add(&series, k, late_ns + (k == 410) * 6000000), 0);
    }
    assert_int_equal(st_ticks_find(&series, &ticks), 0);
    assert_true(ticks.found);
    st_series_finish(&series);
}

static void rate_of_a_length_is_the_commonest(void **state)
{
    assert_int_equal(st_ticks_rate_about(10e6), 100);
    assert_int_equal(st_ticks_rate_about(9.83e6), 100);
    assert_int_equal(st_ticks_rate_about(3.906e6), 250); /* and not 256 */
    assert_int_equal(st_ticks_rate_about(0.95e6), 1000);
    assert_int_equal(st_ticks_rate_about(0.85e6), 0);
    assert_int_equal(st_ticks_rate_about(100e3), 0); /* 10000 Hz is no scheduler's */
    assert_int_equal(st_ticks_rate_about(0), 0);
    assert_int_equal(st_ticks_rate_of(4e6, 10), 250);
    assert_int_equal(st_ticks_rate_of(4.0001e6, 10), 250); /* 25 ppm of drift */
    assert_int_equal(st_ticks_rate_of(3.7e6, 10), 0);
    assert_true(st_ticks_is_usual(250) && !st_ticks_is_usual(251));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_of_a_length_is_the_commonest),
        cmocka_unit_test(both_kinds_of_steps_are_searched_for_to_the_end),
        cmocka_unit_test(slope_is_as_exact_as_the_ticks_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
