/* Where lateness comes to rest, blind, and nothing where it does not. */
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

static void it_comes_to_rest_where_the_last_samples_are(void **state)
{
    (void)state;
    static const int64_t hz[] = {24, 60, 100, 128, 250, 1000};
    static const double ppm[] = {-60, -10, 0, 10, 60}, gains[] = {0.02, 0.1, 0.2, 0.3, 0.5, 0.7, 1};
    int found = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(hz) * ST_ARRAY_LEN(ppm) * ST_ARRAY_LEN(gains); i++) {
        struct st_simulation s = told(hz[i % 6], ppm[i / 6 % 5], gains[i / 30], i % 2 == 0 ? 0 : 2000);
        s.rounding = i % 3 == 0 ? ST_ROUNDING_TVTOHZ_FIXED : ST_ROUNDING_TVTOHZ;
        struct st_series series;
        struct st_rest settling;
        assert_int_equal(st_simulate(&s, &series), 0);
        assert_int_equal(st_rest_find(&series, &settling), 0);
        if (settling.found) {
            found++;
            assert_true(settling.hz == 0 || settling.hz == s.hz);
            double last_ns = 0;
            for (size_t k = N - 100; k < N; k++)
                last_ns += (double)series.lateness_ns[k] / 100;
            if (fabs(settling.rest_ns - last_ns) >= fmax(1000, 0.01 * fabs(settling.start_ns)))
                fail_msg("%d Hz, %g ppm, gain %g: rest %g, last %g", (int)s.hz, s.drift_ppm, s.pll_gain,
                         settling.rest_ns, last_ns);
        }
        st_series_finish(&series);
    }
    print_message("# found %d\n", found);
    assert_true(found >= 155); /* of 210; some are at rest before there are enough samples, a gain of 0.02
                                  takes longer than these */
}

static void it_is_said_and_nothing_beside_it(void **state)
{
    (void)state;
    struct st_series series;
    struct st_analysis a;
    const struct st_simulation s = told(100, 10, 0.1, 2000);
    assert_int_equal(st_simulate(&s, &series), 0);
    assert_int_equal(st_series_analysis_of(&series, 0, &a), 0);
    assert_int_equal(a.findings_n, 1);
    assert_non_null(strstr(a.sentence[0], "Lateness settles at 10"));
    assert_non_null(strstr(a.sentence[0], "whole ticks of 100 Hz"));
    st_series_finish(&series);
}

/* values from a function of the sample's number, with normal noise */
static bool found_in(double (*value_ns)(double k), double noise_ns)
{
    struct st_period period;
    struct st_series series;
    struct st_rest settling;
    struct st_random random = {.state = 1};
    assert_int_equal(st_period_init_ns(&period, 1000000000, 1), 0);
    st_series_init(&series, &period);
    for (uint64_t k = 0; k < N; k++)
        assert_int_equal(
            st_series_add(&series, k, llrint(value_ns((double)k) + noise_ns * noise_normal(&random))), 0);
    assert_int_equal(st_rest_find(&series, &settling), 0);
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
            struct st_rest settling;
            assert_int_equal(noise_series(noise, seed, &period, N, 0, 0, &series), 0);
            assert_int_equal(st_rest_find(&series, &settling), 0);
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
    struct st_rest settling;
    assert_int_equal(st_simulate(&s, &series), 0);
    series.n = ST_REST_SAMPLES_MIN - 1;
    assert_int_equal(st_rest_find(&series, &settling), -ENODATA);
    series.n = N;
    assert_int_equal(st_period_init(&series.period, 64, 48000), 0);
    assert_int_equal(st_rest_find(&series, &settling), 0);
    assert_false(settling.found);
    st_series_finish(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_to_rest_where_the_last_samples_are),
        cmocka_unit_test(it_is_said_and_nothing_beside_it),
        cmocka_unit_test(what_does_not_settle_is_not_said_to),
        cmocka_unit_test(noise_does_not_settle),
        cmocka_unit_test(few_samples_and_short_periods_are_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
