/* lab/series/simulate: the patterns of the article, and what they follow from. */
#include "core/ns.h"
#include "lab/series/simulate.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static struct st_simulation herman(void)
{
    struct st_simulation s = {
        .count = 900, .hz = 100, .rounding = ST_ROUNDING_TVTOHZ, .drift_ppm = 10, .seed = 1};
    s.period = period_of_ns(ST_NS_PER_S, 1);
    return s;
}

static struct st_series run(const struct st_simulation *s)
{
    struct st_series series;
    assert_int_equal(st_simulate(s, &series), 0);
    assert_int_equal(series.n, s->count);
    return series;
}

static void within(const struct st_series *series, size_t first, int64_t low_ns, int64_t high_ns)
{
    for (size_t i = first; i < series->n; i++) {
        if (series->lateness_ns[i] < low_ns || series->lateness_ns[i] >= high_ns)
            fail_msg("sample %zu: %lld ns", i, (long long)series->lateness_ns[i]);
    }
}

static void at_100_hz_it_wakes_one_to_two_ticks_late_and_drifts(void **state)
{
    const struct st_simulation s = herman();
    struct st_series series = run(&s);
    within(&series, 0, 10000000, 20010200); /* the sleep is told in nominal ticks */
    int jumps = 0;
    for (size_t i = 1; i < series.n; i++) {
        const int64_t step_ns = series.lateness_ns[i] - series.lateness_ns[i - 1];
        /* 10 ppm of a second, or that less a tick of 10 ms and 100 ns */
        if (llabs(step_ns - 10000) > 2 && llabs(step_ns + 9990100) > 2)
            fail_msg("step of %lld ns", (long long)step_ns);
        jumps += step_ns < 0;
    }
    assert_in_range(jumps, 0, 1);
    st_series_finish(&series);
}

static void without_the_extra_tick_it_is_less_than_one_late(void **state)
{
    struct st_simulation s = herman();
    s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
    s.drift_ppm = -200;
    struct st_series series = run(&s);
    within(&series, 0, 0, 10000000);
    st_series_finish(&series);
}

static void without_ticks_it_is_on_time(void **state)
{
    struct st_simulation s = herman();
    s.rounding = ST_ROUNDING_NONE;
    struct st_series series = run(&s);
    within(&series, 0, 0, 1);
    s.noise_ns = 1000;
    st_series_finish(&series);
    series = run(&s);
    double square = 0;
    for (size_t i = 0; i < series.n; i++)
        square += (double)series.lateness_ns[i] * (double)series.lateness_ns[i];
    assert_true(fabs(sqrt(square / 900) - 1000) < 100);
    st_series_finish(&series);
}

/* A tick behind the second by 10 us: the loop takes out phase and drift, and a tick stays. */
static void a_steered_tick_comes_to_rest_behind_the_second(void **state)
{
    static const double gains[] = {0.1, 0.5, 1};
    ST_EACH (gain, gains) {
        struct st_simulation s = herman();
        s.pll_gain = *gain;
        struct st_series series = run(&s);
        within(&series, 600, 10009000, 10011000);
        st_series_finish(&series);
        s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
        series = run(&s);
        within(&series, 600, 9000, 11000);
        st_series_finish(&series);
    }
}

/* The error of a steered tick is that of two seconds before: what help, manual and simulate.h say
 * of a gain. */
static void what_a_gain_leaves_of_the_error_is_as_it_is_said(void **state)
{
    static const struct {
        double gain, left;
    } rows[] = {{1, 0.75}, {0.5, 0.8476}, {0.1, 0.96}};
    ST_EACH (row, rows) {
        const double g = row->gain, root = 1 - g / 2 - g * g / 8 + g * sqrt(g * (8 + g)) / 8;
        struct st_simulation s = herman();
        s.pll_gain = g;
        s.drift_ppm = 500;
        s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
        struct st_series series = run(&s);
        double e[100];
        for (size_t n = 0; n < 100; n++)
            e[n] = (double)series.lateness_ns[n] - ST_SIMULATE_PLL_TARGET_NS;
        size_t from =
            2; /* the tick behind the second is another one while the error is half a tick */
        for (size_t n = 2; n < 40; n++)
            from = fabs(e[n] - e[n - 1]) > 3e6 ? n + 2 : from;
        assert_true(from < 40);
        for (size_t n = from; n < 99; n++)
            assert_true(fabs(e[n + 1] - (2 - g - g * g / 4) * e[n] + (1 - g) * e[n - 1]) < 4);
        assert_true(fabs(root - row->left) < 5e-4);
        if (g >= 0.5) /* the other root's part has died away, and ns are fine enough */
            assert_true(fabs(pow(e[30] / e[25], 0.2) - row->left) < 0.003);
        st_series_finish(&series);
    }
}

/* 1193182 Hz is the i8254's. */
static void a_timers_counts_make_ticks_longer_or_shorter(void **state)
{
    static const struct {
        int64_t timer_hz, hz, counts;
        double ppm;
    } rows[] = {{1193182, 100, 11932, 15.0857},
                {1193182, 1000, 1193, -152.533},
                {1193182, 250, 4773, 56.99},
                {1000000, 100, 10000, 0}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        int64_t counts;
        const double ppm = st_simulate_timer_ppm(rows[i].timer_hz, rows[i].hz, &counts);
        assert_int_equal(counts, rows[i].counts);
        if (fabs(ppm - rows[i].ppm) > 5e-3)
            fail_msg("row %zu: %f ppm", i, ppm);
    }
}

static void due_times_that_pass_are_left_out(void **state)
{
    struct st_simulation s = herman();
    s.period = period_of(64, 48000);
    struct st_series series = run(&s);
    uint64_t skipped = st_series_span(&series) - series.n;
    assert_true(skipped > 10 * series.n); /* two ticks of 10 ms are 15 periods */
    st_series_finish(&series);
}

static void the_seed_decides_everything(void **state)
{
    struct st_simulation s = herman();
    s.noise_ns = 500;
    struct st_series a = run(&s), b = run(&s);
    assert_memory_equal(a.lateness_ns, b.lateness_ns, 900 * sizeof(*a.lateness_ns));
    st_series_finish(&b);
    s.seed = 2;
    b = run(&s);
    assert_memory_not_equal(a.lateness_ns, b.lateness_ns, 900 * sizeof(*a.lateness_ns));
    st_series_finish(&a);
    st_series_finish(&b);
}

static void nonsense_is_refused(void **state)
{
    struct st_simulation rows[] = {herman(), herman(), herman(), herman(),
                                   herman(), herman(), herman()};
    rows[0].hz = 0;
    rows[1].drift_ppm = (double)NAN;
    rows[2].pll_gain = 1.1;
    rows[3].noise_ns = -1;
    rows[4].count = 0;
    rows[5].count = UINT64_MAX;
    rows[6].drift_ppm = -1e6;
    ST_EACH (row, rows) {
        struct st_series series;
        assert_int_equal(st_simulate(row, &series), -ERANGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_100_hz_it_wakes_one_to_two_ticks_late_and_drifts),
        cmocka_unit_test(without_the_extra_tick_it_is_less_than_one_late),
        cmocka_unit_test(without_ticks_it_is_on_time),
        cmocka_unit_test(a_steered_tick_comes_to_rest_behind_the_second),
        cmocka_unit_test(what_a_gain_leaves_of_the_error_is_as_it_is_said),
        cmocka_unit_test(a_timers_counts_make_ticks_longer_or_shorter),
        cmocka_unit_test(due_times_that_pass_are_left_out),
        cmocka_unit_test(the_seed_decides_everything),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
