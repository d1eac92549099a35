/* lab/analyse/changes: trends and steps, apart and together. */
#include "lab/analyse/changes.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

#define N 900

static int changes_of(const struct st_series *series, struct st_changes *ret)
{
    struct st_levels levels;
    assert_int_equal(st_levels_of(series, &levels), 0);
    const int r = st_changes_of(&levels, ret);
    st_levels_finish(&levels);
    return r;
}

/* A second each, a line, and a step of step_ns from sample `at` on. */
static struct st_changes find(enum noise noise, uint64_t seed, size_t n, double slope_ns,
                              double step_ns, size_t at)
{
    struct st_period period;
    struct st_series series;
    struct st_changes changes;
    period = period_of_ns(1000000000, 1);
    assert_int_equal(noise_series(noise, seed, &period, n, 0, 0, &series), 0);
    for (size_t i = 0; i < n; i++)
        series.lateness_ns[i] += llrint(slope_ns * (double)i + (i >= at ? step_ns : 0));
    assert_int_equal(changes_of(&series, &changes), 0);
    st_series_finish(&series);
    return changes;
}

static void a_trend_is_a_trend(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct st_changes changes =
            find(NOISE_NORMAL, seed, N, seed % 2 == 0 ? 30 : -30, 0, 0);
        assert_true(changes.trend_found);
        assert_int_equal(changes.steps_n, 0);
        assert_true(fabs(fabs(changes.slope_ns_per_s) - 30) < 4);
        assert_true((changes.slope_ns_per_s > 0) == (seed % 2 == 0));
    }
}

static void a_step_is_a_step_at_its_place(void **state)
{
    static const size_t places[] = {90, 450, 800};
    ST_EACH (place, places) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            const struct st_changes changes = find(NOISE_NORMAL, seed, N, 0, -20e3, *place);
            assert_false(changes.trend_found);
            assert_int_equal(changes.steps_n, 1);
            assert_in_range(changes.steps[0].index, *place - 3, *place + 3);
            assert_true(fabs(changes.steps[0].at_s - (double)changes.steps[0].index) < 1e-9);
            assert_true(fabs(changes.steps[0].size_ns + 20e3) < 2500);
        }
    }
}

/* By ranks the cut is behind 40 samples, by values behind 12. */
static void a_step_has_12_values_on_either_side(void **state)
{
    const struct st_period period = period_of_ns(1000000000, 1);
    struct st_series series;
    struct st_changes changes;
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, 100, 0, 0, &series), 0);
    for (size_t i = 0; i < 40; i++)
        series.lateness_ns[i] += i < 12 ? 1000000 : 50000;
    assert_int_equal(changes_of(&series, &changes), 0);
    assert_int_equal(changes.steps[0].index, 12);
    st_series_finish(&series);
}

static void several_steps_come_in_their_order(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_changes changes;
    period = period_of_ns(1000000000, 1);
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, N, 0, 0, &series), 0);
    for (size_t i = 0; i < N; i++)
        series.lateness_ns[i] += i < 300 ? 0 : i < 600 ? 40000 : 20000;
    assert_int_equal(changes_of(&series, &changes), 0);
    assert_int_equal(changes.steps_n, 2);
    assert_true(changes.steps[0].size_ns > 35e3 && changes.steps[1].size_ns < -15e3);
    assert_in_range(changes.steps[0].index, 298, 302);
    assert_in_range(changes.steps[1].index, 598, 602);
    st_series_finish(&series);
}

static void long_series_are_taken_in_blocks(void **state)
{
    const struct st_changes changes = find(NOISE_TWO_MODES, 1, 20000, 0, 30e3, 7001);
    assert_int_equal(changes.steps_n, 1);
    assert_in_range(changes.steps[0].index, 7001 - 10, 7001 + 10); /* blocks of 5 */
}

static void an_exact_line_is_no_riddle(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_changes changes;
    period = period_of_ns(1000000000, 1);
    st_series_init(&series, &period);
    for (uint64_t i = 0; i < 200; i++)
        assert_int_equal(st_series_add(&series, i, 19496000 + (int64_t)i * 9750), 0);
    assert_int_equal(changes_of(&series, &changes), 0);
    assert_true(changes.trend_found);
    assert_int_equal(changes.steps_n, 0);
    assert_true(fabs(changes.slope_ns_per_s - 9750) < 1);
    st_series_finish(&series);
}

static void little_or_nothing_gives_nothing(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_changes changes;
    period = period_of_ns(1000000000, 1);
    st_series_init(&series, &period);
    for (uint64_t i = 0; i < 63; i++)
        assert_int_equal(st_series_add(&series, i, 5), 0);
    assert_int_equal(changes_of(&series, &changes), -ENODATA);
    assert_int_equal(st_series_add(&series, 63, 5), 0);
    assert_int_equal(changes_of(&series, &changes), 0);
    assert_false(changes.trend_found);
    assert_int_equal(changes.steps_n, 0);
    st_series_finish(&series);
}

/* A steep line and noise that is small beside it: what is not quite the slope looks like steps. */
static void noise_on_a_steep_line_has_no_steps(void **state)
{
    static const double slopes_ns[] = {7.3, 73, 700, 7300};
    int trends = 0;
    for (uint64_t i = 0; i < 40; i++) {
        const struct st_changes changes =
            find(NOISE_NORMAL, i, 3000, slopes_ns[i % 4] * (i % 8 < 4 ? 1 : -1), 0, 0);
        trends += changes.trend_found;
        assert_int_equal(changes.steps_n, 0);
        assert_true(!changes.trend_found ||
                    fabs(fabs(changes.slope_ns_per_s) / slopes_ns[i % 4] - 1) < 0.1);
    }
    assert_true(trends >= 36);
}

/* Whole nanoseconds: what rounding leaves of a line is no step. */
static void rounding_has_no_steps(void **state)
{
    const struct st_period period = period_of_ns(100000000, 1);
    for (int k = 0; k < 20; k++) {
        struct st_series series;
        struct st_changes changes;
        st_series_init(&series, &period);
        for (uint64_t i = 0; i < 3000; i++)
            assert_int_equal(st_series_add(&series, i, llrint(5e6 + (0.1 + 0.37 * k) * (double)i)),
                             0);
        assert_int_equal(changes_of(&series, &changes), 0);
        assert_int_equal(changes.steps_n, 0);
        assert_false(changes.moves);
        assert_true(changes.trend_found && fabs(changes.slope_ns_per_s / (1 + 3.7 * k) - 1) < 0.03);
        st_series_finish(&series);
    }
}

static void a_curve_is_neither_line_nor_steps(void **state)
{
    const struct st_period period = period_of_ns(1000000000, 1);
    int curves = 0;
    for (int k = 0; k < 12; k++) {
        struct st_series series;
        struct st_changes changes;
        assert_int_equal(noise_series(NOISE_NORMAL, (uint64_t)k, &period, N, 0, 0, &series), 0);
        for (size_t i = 0; i < N; i++)
            series.lateness_ns[i] += llrint(k % 2 == 0 ? 4e5 * exp(-(double)i / (40 + 20 * k))
                                                       : 1e5 * sin((double)i / 150));
        assert_int_equal(changes_of(&series, &changes), 0);
        assert_false(changes.trend_found || changes.steps_n > 0);
        curves += changes.moves;
        st_series_finish(&series);
    }
    assert_true(curves >= 3); /* of 12: a short one is nothing */
}

/* Noise that hangs together over 100 of 900 values is no step, and may be said to move. */
static void slow_noise_has_no_steps(void **state)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct st_random random = {seed};
        struct st_period period;
        struct st_series series;
        struct st_changes changes;
        double value = 0;
        period = period_of_ns(1000000000, 1);
        st_series_init(&series, &period);
        for (uint64_t i = 0; i < N; i++) {
            value = 0.99 * value + 700 * noise_normal(&random);
            assert_int_equal(st_series_add(&series, i, 100000 + llrint(value)), 0);
        }
        assert_int_equal(changes_of(&series, &changes), 0);
        assert_true(changes.steps_n == 0 && !changes.trend_found);
        st_series_finish(&series);
    }
}

static void line_and_step_at_once_have_no_false_name(void **state)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const struct st_changes both = find(NOISE_NORMAL, seed, N, -50, 30e3, 270);
        assert_true(both.steps_n == 0 && !both.trend_found);
    }
}

/* What may be a jump by a tick is said to be. */
static void a_step_of_a_tick_is_told_as_one(void **state)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const struct st_changes tick = find(NOISE_NORMAL, seed, N, 0, -9.83e6, 400);
        assert_true(tick.steps_n == 1 && tick.steps[0].tick_hz == 100);
        const struct st_changes other = find(NOISE_NORMAL, seed, N, 0, 200e3, 400);
        assert_true(other.steps_n == 1 && other.steps[0].tick_hz == 0);
    }
}

/* What lies beyond it is too short for a part; the line is none the less one, and no curve. */
static void a_jump_near_an_end_leaves_the_line(void **state)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        for (size_t at = 3; at < N; at += N - 30) {
            const struct st_changes changes = find(NOISE_NORMAL, seed, N, 3000, -7.8e6, at);
            assert_true(changes.trend_found && !changes.moves && changes.steps_n == 0);
            assert_true(fabs(changes.slope_ns_per_s - 3000) < 30);
        }
    }
}

/* A loop comes to rest: 5 standard deviations of noise to go, and each 100 s a share of 1/e is
 * left. */
static void a_tail_is_no_step(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_changes changes;
    size_t curves_n = 0, false_n = 0;
    period = period_of_ns(1000000000, 1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(noise_series(NOISE_NORMAL, seed, &period, N, 0, 0, &series), 0);
        for (size_t i = 0; i < N; i++)
            series.lateness_ns[i] += llrint(25000 * exp(-(double)i / 100));
        assert_int_equal(changes_of(&series, &changes), 0);
        st_series_finish(&series);
        false_n += changes.steps_n > 0 || changes.trend_found;
        curves_n += changes.moves;
    }
    assert_true(curves_n >= 18 && false_n <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_near_an_end_leaves_the_line),
        cmocka_unit_test(a_tail_is_no_step),
        cmocka_unit_test(a_step_of_a_tick_is_told_as_one),
        cmocka_unit_test(slow_noise_has_no_steps),
        cmocka_unit_test(line_and_step_at_once_have_no_false_name),
        cmocka_unit_test(a_trend_is_a_trend),
        cmocka_unit_test(a_step_is_a_step_at_its_place),
        cmocka_unit_test(a_step_has_12_values_on_either_side),
        cmocka_unit_test(several_steps_come_in_their_order),
        cmocka_unit_test(long_series_are_taken_in_blocks),
        cmocka_unit_test(an_exact_line_is_no_riddle),
        cmocka_unit_test(noise_on_a_steep_line_has_no_steps),
        cmocka_unit_test(rounding_has_no_steps),
        cmocka_unit_test(a_curve_is_neither_line_nor_steps),
        cmocka_unit_test(little_or_nothing_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
