/* lab/analyse/whole_ticks: levels and jumps of whole ticks, and what is neither. */
#include "core/ns.h"
#include "lab/analyse/whole_ticks.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

enum shape { LEVELS, JUMPS, TWO_LEVELS, NOTHING };

/* Noise of 10 us, and whole ticks of a rate. */
static struct st_whole_ticks find(enum shape shape, int hz, size_t n, uint64_t seed)
{
    struct st_random random = {.state = seed};
    struct st_series series;
    struct st_period period;
    struct st_whole_ticks found;
    const double tick_ns = 1e9 / hz;
    double late_ns = 0;
    period = period_of_ns(50000000, 1);
    st_series_init(&series, &period);
    for (uint64_t i = 0; i < n; i++) {
        double x = 1e5 + 1e4 * noise_normal(&random);
        late_ns += tick_ns * 0.1 * st_random_unit(&random);
        late_ns -= late_ns > tick_ns ? tick_ns : 0;
        if (shape == LEVELS)
            x += tick_ns * (double)(st_random_below(&random, 3) * st_random_below(&random, 2));
        else if (shape == TWO_LEVELS)
            x += tick_ns * (double)st_random_below(&random, 2);
        else if (shape == JUMPS)
            x += late_ns;
        assert_int_equal(st_series_add(&series, i, llrint(x)), 0);
    }
    assert_int_equal(st_whole_ticks_find(&series, &found), 0);
    st_series_finish(&series);
    return found;
}

static void levels_and_jumps_have_their_rate(void **state)
{
    static const int rates[] = {100, 200, 250, 300, 500, 1000};
    ST_EACH (hz, rates) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            const struct st_whole_ticks levels = find(LEVELS, *hz, 800, seed),
                                        jumps = find(JUMPS, *hz, 800, seed);
            assert_true(levels.found && levels.levels);
            assert_int_equal(levels.hz, *hz);
            assert_in_range(levels.jumps_n, 200, 350); /* one in three is on another level */
            assert_true(jumps.found && !jumps.levels);
            assert_int_equal(jumps.hz, *hz);
            assert_in_range(jumps.jumps_n, 25, 60); /* one in twenty */
        }
    }
}

/* A second level may be anything that takes 1 ms; a third one 1 ms further on is no accident. */
static void two_levels_are_not_enough(void **state)
{
    assert_false(find(TWO_LEVELS, 1000, 800, 1).found);
}

static void noise_has_none(void **state)
{
    for (uint64_t seed = 0; seed < 200; seed++)
        assert_false(find(NOTHING, 1000, 400, seed).found);
}

static void a_rate_that_no_kernel_has_is_none(void **state)
{
    assert_false(find(LEVELS, 777, 800, 1).found);
    assert_false(find(JUMPS, 777, 800, 1).found);
}

static void few_samples_are_too_few(void **state)
{
    struct st_series series;
    struct st_whole_ticks found;
    st_series_init(&series, &(struct st_period){50000000, 1});
    for (uint64_t i = 0; i < 63; i++)
        assert_int_equal(st_series_add(&series, i, (int64_t)(i % 3) * 1000000), 0);
    assert_int_equal(st_whole_ticks_find(&series, &found), -ENODATA);
    assert_false(found.found);
    st_series_finish(&series);
}

/* What comes late on a machine with a tick: the next tick's interrupt, or one behind it, wakes the
 * thread. */
static void late_wake_ups_at_ticks_are_bands(void **state)
{
    static const int rates[] = {100, 250, 300, 1000};
    int bands_n = 0;
    ST_EACH (hz, rates) {
        const double tick_ns = 1e9 / *hz;
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct st_random random = {.state = seed};
            struct st_series series;
            struct st_period period;
            struct st_whole_ticks found;
            period = period_of_ns(ST_NS_PER_S, 1);
            st_series_init(&series, &period);
            for (uint64_t i = 0; i < 900; i++) {
                double x = 5e4 + 1e4 * noise_exponential(&random);
                const double u = st_random_unit(&random);
                if (u < 0.11) /* as 81, 16 and fewer of 900 at 4, 8, 12 and 16 ms */
                    x += tick_ns * (u < 0.09 ? 1 : u < 0.105 ? 2 : 3);
                else if (u < 0.12)
                    x += 4 * tick_ns * st_random_unit(&random);
                assert_int_equal(st_series_add(&series, i, llrint(x)), 0);
            }
            assert_int_equal(st_whole_ticks_find(&series, &found), 0);
            if (!found.found) { /* with a third level of one in fifty it is levels */
                bands_n++;
                assert_int_equal(found.bands_hz, *hz);
                assert_in_range(found.bands_n, found.late_n * 8 / 10, found.late_n);
            }
            st_series_finish(&series);
        }
    }
    assert_true(bands_n >= 50);
}

/* As long as one to a hundred of the shortest tick: 200 of each kind, also rounded to whole
 * milliseconds. */
static void tails_have_no_bands(void **state)
{
    enum { NORMAL, UNIFORM, PARETO, LOGNORMAL, EXPONENTIAL, ONE_BAND, KINDS_N };
    for (uint64_t seed = 0; seed < 200 * KINDS_N * 2; seed++) {
        struct st_random random = {.state = seed};
        struct st_series series;
        struct st_period period;
        struct st_whole_ticks found;
        const double scale = 3e5 * exp(5 * st_random_unit(&random)),
                     one = 2e7 * st_random_unit(&random);
        const bool rounded = seed >= 200 * KINDS_N;
        period = period_of_ns(ST_NS_PER_S, 1);
        st_series_init(&series, &period);
        for (uint64_t i = 0; i < 900; i++) {
            const double ways[] = {
                [NORMAL] = scale * (4 + noise_normal(&random)),
                [UNIFORM] = 4 * scale * st_random_unit(&random),
                [PARETO] = scale / 3 * exp(noise_exponential(&random) / 1.5),
                [LOGNORMAL] = scale * exp(0.8 * noise_normal(&random)),
                [EXPONENTIAL] = scale * noise_exponential(&random),
                [ONE_BAND] =
                    1e4 * noise_exponential(&random) + (st_random_unit(&random) < 0.1 ? one : 0),
            };
            const double x = ways[seed % KINDS_N];
            assert_int_equal(
                st_series_add(&series, i, rounded ? llrint(x / 1e6) * 1000000 : llrint(x)), 0);
        }
        assert_int_equal(st_whole_ticks_find(&series, &found), 0);
        if (found.bands_hz != 0)
            fail_msg("kind %d, seed %d, %g ns: bands of %d Hz", (int)(seed % KINDS_N), (int)seed,
                     scale, found.bands_hz);
        st_series_finish(&series);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_wake_ups_at_ticks_are_bands),
        cmocka_unit_test(tails_have_no_bands),
        cmocka_unit_test(levels_and_jumps_have_their_rate),
        cmocka_unit_test(two_levels_are_not_enough),
        cmocka_unit_test(noise_has_none),
        cmocka_unit_test(a_rate_that_no_kernel_has_is_none),
        cmocka_unit_test(few_samples_are_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
