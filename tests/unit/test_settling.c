/* lib/settling: the gain of the loop that the simulator was told, blind, and nothing where there is no loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "lab/analyse/series_analysis.h"
#include "lab/series/simulate.h"
#include "tests/unit/noise.h"

#define N 900

static struct st_simulation told(int64_t hz, double ppm, double gain, int64_t noise_ns)
{
    struct st_simulation s = {.count = N,
                              .hz = hz,
                              .rounding = ST_ROUNDING_TVTOHZ,
                              .drift_ppm = ppm,
                              .pll_gain = gain,
                              .noise_ns = noise_ns,
                              .seed = 1};
    assert_int_equal(st_period_init_ns(&s.period, 1000000000, 1), 0);
    return s;
}

static void the_gain_is_what_the_simulator_was_told(void **state)
{
    (void)state;
    static const int64_t hz[] = {24, 60, 100, 128, 250, 1000};
    static const double ppm[] = {-60, -10, 0, 10, 60}, gains[] = {0.1, 0.2, 0.3, 0.5, 0.7, 1};
    int found = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(hz) * ST_ARRAY_LEN(ppm) * ST_ARRAY_LEN(gains); i++) {
        const double gain = gains[i / 30];
        struct st_simulation s = told(hz[i % 6], ppm[i / 6 % 5], gain, i % 2 == 0 ? 0 : 2000);
        s.rounding = i % 3 == 0 ? ST_ROUNDING_TVTOHZ_FIXED : ST_ROUNDING_TVTOHZ;
        struct st_series series;
        struct st_settling settling;
        assert_int_equal(st_simulate(&s, &series), 0);
        assert_int_equal(st_settling_find(&series, &settling), 0);
        if (settling.found) {
            found++;
            assert_true(fabs(settling.gain / gain - 1) < 0.07);
            assert_true(settling.hz == 0 || settling.hz == s.hz);
            double last_ns = 0;
            for (size_t k = N - 100; k < N; k++)
                last_ns += (double)series.lateness_ns[k] / 100;
            assert_true(fabs(settling.rest_ns - last_ns) < 1000);
        }
        st_series_finish(&series);
    }
    assert_true(found >= 155); /* of 180; some have come to rest before there are enough samples, and a gain
                                  of 1 leaves one pole, which one of 0.3 may have, too */
}

/* Where the faster of the loop's two poles is nearly alone, a curve of another gain follows it closely. */
static void another_gain_that_fits_nearly_as_well_is_not_told(void **state)
{
    (void)state;
    static const struct {
        int64_t hz;
        double ppm, gain;
    } rows[] = {{100, -60, 0.03}, {1000, -10, 0.05}, {250, -50, 0.05}, {300, -100, 0.2}, {1000, -20, 0.1}};
    for (size_t i = 0; i < 4 * ST_ARRAY_LEN(rows); i++) {
        struct st_simulation s =
            told(rows[i / 4].hz, rows[i / 4].ppm, rows[i / 4].gain, i % 2 == 0 ? 0 : 2000);
        s.seed = 1 + i / 2 % 2;
        struct st_series series;
        struct st_settling settling;
        assert_int_equal(st_simulate(&s, &series), 0);
        assert_int_equal(st_settling_find(&series, &settling), 0);
        assert_true(!settling.found || fabs(settling.gain / s.pll_gain - 1) < 0.05);
        assert_true(settling.hz == 0 || settling.hz == s.hz);
        st_series_finish(&series);
    }
}

/* The tick is steered while it jumps, and is then no nominal one: the error that is told covers that. */
static void the_error_of_the_gain_is_told(void **state)
{
    (void)state;
    static const double gains[] = {0.3, 0.5, 0.9};
    for (size_t g = 0; g < ST_ARRAY_LEN(gains); g++) {
        int found = 0, apart = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct st_simulation s = told(100, 10, gains[g], 1000);
            struct st_series series;
            struct st_settling settling;
            s.seed = seed;
            assert_int_equal(st_simulate(&s, &series), 0);
            assert_int_equal(st_settling_find(&series, &settling), 0);
            found += settling.found;
            apart += settling.found && fabs(settling.gain - gains[g]) > 2 * settling.gain_sd;
            st_series_finish(&series);
        }
        assert_true(found >= 15 && apart <= 2);
    }
}

/* A curve of another gain that leaves the first samples out as outliers. */
static void the_start_is_no_outlier(void **state)
{
    (void)state;
    static const struct {
        int64_t hz;
        double ppm, gain;
        int64_t noise_ns;
    } rows[] = {{250, -1, 0.7, 5000}, {250, -50, 0.7, 5000}, {250, 0, 0.7, 5000}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_simulation s = told(rows[i].hz, rows[i].ppm, rows[i].gain, rows[i].noise_ns);
        s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
        struct st_series series;
        struct st_settling settling;
        assert_int_equal(st_simulate(&s, &series), 0);
        assert_int_equal(st_settling_find(&series, &settling), 0);
        assert_true(!settling.found || fabs(settling.gain / s.pll_gain - 1) < 0.05);
        st_series_finish(&series);
    }
}

static void it_is_said_and_nothing_beside_it(void **state)
{
    (void)state;
    struct st_series series;
    struct st_analysis a;
    const struct st_simulation s = told(100, 10, 0.1, 2000);
    assert_int_equal(st_simulate(&s, &series), 0);
    assert_int_equal(st_analyse(&series, 0, &a), 0);
    assert_int_equal(a.findings_n, 1);
    assert_non_null(strstr(a.sentence[0], "with a gain of 0.1 "));
    assert_non_null(strstr(a.sentence[0], "a tick of 100 Hz"));
    st_series_finish(&series);
}

/* values from a function of the sample's number, with normal noise */
static bool found_in(double (*value_ns)(double k), double noise_ns)
{
    struct st_period period;
    struct st_series series;
    struct st_settling settling;
    struct st_random random = {.state = 1};
    assert_int_equal(st_period_init_ns(&period, 1000000000, 1), 0);
    st_series_init(&series, &period);
    for (uint64_t k = 0; k < N; k++)
        assert_int_equal(
            st_series_add(&series, k, llrint(value_ns((double)k) + noise_ns * noise_normal(&random))), 0);
    assert_int_equal(st_settling_find(&series, &settling), 0);
    st_series_finish(&series);
    return settling.found;
}

static double step(double k)
{
    return k < 300 ? 5e6 : 1e4;
}
static double line(double k)
{
    return 5e3 * k;
}
static double wave(double k)
{
    return 1e6 * sin(k / 40);
}
static double one_late(double k)
{
    return k > 4 && k < 6 ? 1e7 : 5e4;
}
static double slowly(double k) /* not at rest when it ends */
{
    return 1e7 * exp(-k / 600);
}
static double two_seconds(double k) /* over before there are enough samples */
{
    return 1e5 * exp(-k);
}

static void what_does_not_settle_is_not_said_to(void **state)
{
    (void)state;
    double (*const others[])(double) = {step, line, wave, one_late, slowly, two_seconds};
    for (size_t i = 0; i < ST_ARRAY_LEN(others); i++) {
        assert_false(found_in(others[i], 2000));
        assert_false(found_in(others[i], 20000));
    }
}

static void noise_does_not_settle(void **state)
{
    (void)state;
    struct st_period period;
    assert_int_equal(st_period_init_ns(&period, 1000000000, 1), 0);
    for (enum noise noise = 0; noise < NOISE_COUNT; noise++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct st_series series;
            struct st_settling settling;
            assert_int_equal(noise_series(noise, seed, &period, N, 0, 0, &series), 0);
            assert_int_equal(st_settling_find(&series, &settling), 0);
            assert_false(settling.found);
            st_series_finish(&series);
        }
    }
}

static void few_samples_and_short_periods_are_not_looked_at(void **state)
{
    (void)state;
    struct st_simulation s = told(100, 10, 0.5, 0);
    struct st_series series;
    struct st_settling settling;
    assert_int_equal(st_simulate(&s, &series), 0);
    series.n = ST_SETTLING_SAMPLES_MIN - 1;
    assert_int_equal(st_settling_find(&series, &settling), -ENODATA);
    series.n = N;
    assert_int_equal(st_period_init(&series.period, 64, 48000), 0);
    assert_int_equal(st_settling_find(&series, &settling), 0);
    assert_false(settling.found);
    st_series_finish(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gain_is_what_the_simulator_was_told),
        cmocka_unit_test(another_gain_that_fits_nearly_as_well_is_not_told),
        cmocka_unit_test(the_error_of_the_gain_is_told),
        cmocka_unit_test(the_start_is_no_outlier),
        cmocka_unit_test(it_is_said_and_nothing_beside_it),
        cmocka_unit_test(what_does_not_settle_is_not_said_to),
        cmocka_unit_test(noise_does_not_settle),
        cmocka_unit_test(few_samples_and_short_periods_are_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
