/* lab/analyse/series_analysis and lab/analyse/ticks: blind, does it name what the simulator was
 * told, and nothing in noise? */
#include "core/ns.h"
#include "lab/analyse/series_analysis.h"
#include "lab/series/simulate.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static bool says(const struct st_analysis *a, const char *text)
{
    for (size_t i = 0; i < a->sentences_n; i++) {
        if (strstr(a->sentence[i], text) != NULL)
            return true;
    }
    return false;
}

static struct st_analysis analyse(const struct st_series *series)
{
    struct st_analysis a;
    assert_int_equal(st_series_analysis_of(series, 0, false, &a), 0);
    return a;
}

static struct st_analysis blind(const struct st_simulation *simulation)
{
    struct st_series series;
    assert_int_equal(st_simulate(simulation, &series), 0);
    const struct st_analysis a = analyse(&series);
    st_series_finish(&series);
    return a;
}

static const int grid_hz[] = {24, 60, 100, 128, 250, 300, 500, 1000, 1024};
static const double grid_ppm[] = {-60, -10, 0, 10, 60};
static const int64_t grid_period_ns[] = {1000000000, 997000000, 100000000, 33000000,
                                         10666667,   21333333,  2666667,   1333000,
                                         1333333,    4000000,   997000};

/* How many ticks the place of the due time moves against the ticks. Less than one jump says nothing
 * of them, and a program that is woken less than once a period has no regular samples. */
static bool can_be_told(const struct st_simulation *s)
{
    const double tick_ns = 1e9 / (double)s->hz * (1 + s->drift_ppm * 1e-6),
                 period_ns = (double)s->period.num;
    return fabs(remainder(period_ns, tick_ns)) * (double)s->count > 2.2 * tick_ns &&
           period_ns > 2.2 * tick_ns;
}

static bool has(const int *hz, size_t n, int64_t wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (hz[i] == wanted)
            return true;
    }
    return false;
}

/* The rate by another of its signs, or that it could not be told. */
static bool named_or_said(const struct st_analysis *a, int64_t hz)
{
    if (a->interval.found)
        return a->interval.hz == hz || 2 * a->interval.hz == hz;
    return has(a->periodic.names_hz, a->periodic.names_n, hz) || has(a->blind_hz, a->blind_n, hz) ||
           hz < a->coarse_hz;
}

static void the_analyser_names_what_the_simulator_was_told(void **state)
{
    int told = 0, others = 0;
    struct st_simulation s = {.count = 900};
    for (size_t h = 0; h < ST_ARRAY_LEN(grid_hz); h++) {
        for (size_t i = 0; i < ST_ARRAY_LEN(grid_ppm) * ST_ARRAY_LEN(grid_period_ns) * 2; i++) {
            s.hz = grid_hz[h];
            s.drift_ppm = grid_ppm[i % 5];
            s.rounding = i / 5 % 2 == 0 ? ST_ROUNDING_TVTOHZ : ST_ROUNDING_TVTOHZ_FIXED;
            s.noise_ns = i % 3 == 0 ? 0 : 2000;
            s.seed = i;
            s.period = period_of_ns((uint64_t)grid_period_ns[i / 10], 1);
            const struct st_analysis a = blind(&s);
            const bool right = a.ticks.found && a.ticks.hz == s.hz && a.ticks.drift_known &&
                               fabs(a.ticks.drift_ppm - s.drift_ppm) < 1.5 &&
                               a.ticks.extra_ticks == (s.rounding == ST_ROUNDING_TVTOHZ ? 1 : 0);
            if (a.periodic.names_n > 0 && !has(a.periodic.names_hz, a.periodic.names_n, s.hz))
                fail_msg("%lld Hz every %llu ns: %s", (long long)s.hz,
                         (unsigned long long)s.period.num, a.sentence[0]);
            if (can_be_told(&s) ? !right : a.ticks.found && !right)
                fail_msg("%lld Hz %s %g ppm every %llu ns: found %d, %d Hz, %g ppm, %d extra",
                         (long long)s.hz, st_simulate_rounding_name(s.rounding), s.drift_ppm,
                         (unsigned long long)s.period.num, a.ticks.found, a.ticks.hz,
                         a.ticks.drift_ppm, a.ticks.extra_ticks);
            if (!right && !named_or_said(&a, s.hz))
                fail_msg(
                    "%lld Hz %s %g ppm every %llu ns: neither told nor said that it cannot be: %s",
                    (long long)s.hz, st_simulate_rounding_name(s.rounding), s.drift_ppm,
                    (unsigned long long)s.period.num,
                    a.sentences_n > 0 ? a.sentence[0] : "nothing");
            *(can_be_told(&s) ? &told : &others) += 1;
        }
    }
    assert_true(told > 300 && others > 100);
}

static struct st_simulation told(int64_t hz, double ppm, double gain, int64_t period_ns,
                                 int64_t noise_ns)
{
    struct st_simulation s = {.count = 900,
                              .hz = hz,
                              .rounding = ST_ROUNDING_TVTOHZ,
                              .drift_ppm = ppm,
                              .pll_gain = gain,
                              .noise_ns = noise_ns,
                              .seed = 1};
    s.period = period_of_ns((uint64_t)period_ns, 1);
    return s;
}

/* A tick that is steered while it is measured: one slope for all teeth would make it longer or
 * shorter. */
static void a_steered_tick_has_no_wrong_rate(void **state)
{
    static const struct {
        int64_t hz;
        double ppm, gain;
    } rows[] = {
        {1000, 10, 0.01}, {1000, 10, 0.005}, {1000, -50, 0.02},  {250, -50, 0.01},
        {300, -50, 0.01}, {300, -50, 0.005}, {100, -50, 0.005},  {100, 10, 0.005},
        {100, -1, 0.005}, {1000, -50, 0.03}, {1000, -100, 0.02},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) * 12; i++) {
        struct st_simulation s = told(rows[i / 12].hz, rows[i / 12].ppm, rows[i / 12].gain,
                                      ST_NS_PER_S, i % 12 < 10 ? 1000 : 5000);
        s.seed = 1 + i % 12;
        const struct st_analysis a = blind(&s);
        assert_false(a.ticks.drift_known);
        assert_true(!a.ticks.found || a.ticks.hz == s.hz || a.ticks.hz == 0);
    }
}

static void an_added_tick_is_told_whatever_the_drift(void **state)
{
    static const struct {
        int64_t hz;
        double ppm;
        int64_t period_ns;
        int extra_ticks; /* -1: 500 ppm are more than half a tick a period */
    } rows[] = {
        {1000, -100, 1000000000, 1}, {1000, -50, 1000000000, 1}, {250, -20, 10000000000, -1},
        {1000, -5, 10000000000, -1}, {100, -50, 10000000000, 1}, {10000, -5, 1000000000, -1},
        {100, 50, 10000000000, 1},   {1000, 100, 1000000000, 1}, {250, -100, 1000000000, 1},
        {1000, 100, 100000000, 1},   {300, -100, 997000000, 1},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) * 3; i++) {
        struct st_simulation s =
            told(rows[i / 3].hz, rows[i / 3].ppm, 0, rows[i / 3].period_ns, i % 3 == 1 ? 1000 : 0);
        if (i % 3 == 2 && s.drift_ppm < 0)
            s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
        const struct st_analysis a = blind(&s);
        assert_true(a.ticks.found && a.ticks.hz == s.hz);
        assert_int_equal(a.ticks.extra_ticks, rows[i / 3].extra_ticks < 0              ? -1
                                              : s.rounding == ST_ROUNDING_TVTOHZ_FIXED ? 0
                                                                                       : 1);
        assert_int_equal(
            says(&a, "It cannot be determined whether the kernel adds a tick") ||
                says(&a, "At this period the drift cannot be distinguished from a tick"),
            a.ticks.extra_ticks < 0);
    }
}

/* Drift moves lateness by more than a tick a period: what is seen is one of many, and none is
 * reported. */
static void a_drift_that_is_seen_rarely_is_not_told(void **state)
{
    static const struct {
        int64_t hz;
        double ppm;
        int64_t period_ns;
        double modulo_ppm;
    } rows[] = {{1000, 60, 10000000000, 100},
                {1000, -50, 10000000000, 100},
                {10000, -100, 10000000000, 10},
                {250, 20, 10000000000, 400},
                {10000, 30, 1000000000, 100}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) * 2; i++) {
        const struct st_simulation s =
            told(rows[i / 2].hz, rows[i / 2].ppm, 0, rows[i / 2].period_ns, i % 2 == 0 ? 0 : 1000);
        const struct st_analysis a = blind(&s);
        if (!a.ticks.found)
            continue; /* whole ticks a period: it stands still */
        assert_true(a.ticks.hz == s.hz && !a.ticks.drift_known && a.ticks.extra_ticks < 0);
        assert_true(a.ticks.slope_modulo &&
                    fabs(a.ticks.modulo_ppm / rows[i / 2].modulo_ppm - 1) < 0.01);
        assert_true(says(&a, "a tick that the kernel adds to each sleep: a drift larger or smaller "
                             "by any multiple of"));
        assert_false(says(&a, "A clock tick is ") || says(&a, "sawtooth") || says(&a, "a tick of"));
    }
    const struct st_simulation often = told(1000, 60, 0, ST_NS_PER_S, 0);
    const struct st_analysis a = blind(&often);
    assert_true(a.ticks.drift_known && !a.ticks.slope_modulo);
    struct st_simulation aliased =
        told(5000, 215, 0, ST_NS_PER_S, 3000); /* its rate is beyond what a second shows */
    const struct st_analysis b = blind(&aliased);
    assert_true(!says(&b, "not a usual rate") && !says(&b, "a tick of"));
}

static void the_length_of_a_tick_is_that_of_its_drift(void **state)
{
    struct st_simulation s = told(250, 20, 0, 100000000, 2000);
    s.count = 3000;
    s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
    struct st_analysis a = blind(&s);
    assert_true(a.ticks.drift_known && fabs(a.ticks.tick_ns - 4000080) < 1);
    assert_true(a.ticks.tick_sd_ns < 0.1);
    for (int64_t noise_ns = 0; noise_ns <= 2000; noise_ns += 2000) {
        s = told(1000, -100, 0, ST_NS_PER_S, noise_ns);
        a = blind(&s);
        assert_true(says(&a, "a tick of 999.9 \xc2\xb5s"));
    }
}

static void hermans_sawtooth_in_words(void **state)
{
    struct st_simulation s = {
        .count = 900, .hz = 100, .rounding = ST_ROUNDING_TVTOHZ, .drift_ppm = 40, .seed = 1};
    s.period = period_of_ns(ST_NS_PER_S, 1);
    const struct st_analysis a = blind(&s);
    assert_true(says(&a, "100 Hz, a tick of 10.000 ms"));
    assert_true(
        says(&a, "grows by 40 \xc2\xb5s a second (40 ppm) and jumps back by a tick every 4.2 min"));
    assert_true(says(&a, "A clock tick is 40 ppm longer than 1/100 s"));
    assert_true(says(&a, "tvtohz()"));
    assert_true(fabs(a.ticks.slope_ns_per_s - 40000) < 1);
    assert_true(fabs(a.ticks.tooth_s - 250) < 0.1);
}

static void figures_are_written_as_people_write_them(void **state)
{
    struct st_simulation s = {.count = 900, .hz = 1000, .rounding = ST_ROUNDING_TVTOHZ, .seed = 1};
    s.period = period_of_ns(10240000, 1);
    for (s.noise_ns = 0; s.noise_ns <= 2000; s.noise_ns += 2000) {
        const struct st_analysis a = blind(&s);
        assert_true(a.ticks.found && a.ticks.drift_known);
        assert_false(says(&a, "A clock tick is ")); /* no drift, or one below its error */
        assert_true(says(&a, "falls by 23") && !says(&a, "e+0") && !says(&a, "e-0"));
    }
    /* a rhythm that many rates have: in ascending order */
    struct st_period period;
    struct st_series series;
    period = period_of(64, 48000);
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, 7500, 3000, 1000, &series), 0);
    const struct st_analysis a = analyse(&series);
    assert_true(says(&a, "a clock tick of 50, 64, 100") ||
                says(&a, "a clock tick of 250, 500, 1000"));
    assert_false(says(&a, "would 0 other"));
    for (size_t i = 1; i < a.periodic.names_n; i++)
        assert_true(a.periodic.names_hz[i] > a.periodic.names_hz[i - 1]);
    st_series_finish(&series);
}

static void what_cannot_be_told_is_said(void **state)
{
    struct st_simulation s = {
        .count = 900, .hz = 100, .rounding = ST_ROUNDING_TVTOHZ, .noise_ns = 2000, .seed = 1};
    s.period = period_of_ns(ST_NS_PER_S, 1);
    struct st_analysis a = blind(&s);
    assert_false(a.ticks.found);
    assert_int_equal(a.blind_n, st_periodic_usual_hz_n); /* a second is whole ticks of all */
    assert_true(says(&a, "24, 50, 60, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, "));
    assert_true(says(&a, "10000 Hz looks the same as no tick"));
    assert_int_equal(a.coarse_hz, 0); /* none is as long as the period */
    /* at the same place of each tick, but a period that is no multiple of it tells */
    s.period = period_of_ns(997000000, 1);
    a = blind(&s);
    assert_true(a.ticks.found && !says(&a, "cannot be determined"));
    /* no jump yet: a trend and nothing of ticks */
    s.period = period_of_ns(ST_NS_PER_S, 1);
    s.drift_ppm = 1;
    a = blind(&s);
    assert_true(!a.ticks.found && a.changes.trend_found &&
                fabs(a.changes.slope_ns_per_s - 1000) < 20);
    assert_true(says(&a, "looks the same as no tick"));
}

static void a_period_shorter_than_a_tick_shows_the_interval(void **state)
{
    struct st_simulation s = {
        .count = 900, .hz = 100, .rounding = ST_ROUNDING_TVTOHZ, .noise_ns = 2000, .seed = 1};
    s.period = period_of_ns(1300000, 1);
    struct st_analysis a = blind(&s);
    assert_true(a.interval.found && !a.periodic.found);
    assert_true(says(
        &a, "every 20.000 ms, whatever period the program asks for: the tick is 50 Hz, or it is "
            "100 Hz and the kernel adds a tick"));
    s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
    a = blind(&s);
    assert_true(says(&a, "every 10.000 ms, whatever period the program asks for: the tick is 100 "
                         "Hz, or it is 200 Hz"));
    /* 15 periods of 64 frames are 20 ms: a machine that is slow would wake there, too */
    s.period = period_of(64, 48000);
    s.rounding = ST_ROUNDING_TVTOHZ;
    a = blind(&s);
    assert_false(a.interval.found || a.periodic.found || a.ticks.found);
}

/* Each has no more to it than the times of a machine that is slow. */
static void ticks_as_long_as_periods_are_said_to_be_hidden(void **state)
{
    static const struct {
        int hz;
        uint64_t num, den, count;
        enum st_rounding rounding;
    } rows[] = {
        {100, 1333000, 1, 7500, ST_ROUNDING_TVTOHZ},
        {250, 4000000, 3, 7500, ST_ROUNDING_TVTOHZ},
        {250, 4000000, 3, 7500, ST_ROUNDING_TVTOHZ_FIXED},
        {1024, 1333000, 1, 7500, ST_ROUNDING_TVTOHZ},
        {1000, 997000, 1, 10000, ST_ROUNDING_TVTOHZ},
    };
    ST_EACH (row, rows) {
        struct st_simulation s = {
            .count = row->count, .hz = row->hz, .rounding = row->rounding, .seed = 1};
        struct st_series series;
        struct st_analysis a;
        s.period = period_of_ns(row->num, row->den);
        assert_int_equal(st_simulate(&s, &series), 0);
        assert_int_equal(st_series_analysis_of(&series, 0, false, &a), 0);
        assert_int_equal(a.findings_n, 0);
        assert_true(a.coarse_hz > s.hz);
        assert_true(
            says(&a, "cannot be determined whether sleeps end only at clock ticks of less than"));
        assert_int_equal(st_series_analysis_of(&series, row->hz, false, &a), 0);
        assert_true(says(&a, "Hz: such a tick is "));
        st_series_finish(&series);
    }
}

/* The samples of a text column are a period apart, whatever was skipped between them. */
static void rows_that_cannot_be_periods_are_no_times(void **state)
{
    struct st_simulation s = {
        .count = 7500, .hz = 100, .rounding = ST_ROUNDING_TVTOHZ_FIXED, .noise_ns = 0, .seed = 7};
    struct st_series series;
    s.period = period_of_ns(1333000, 1);
    assert_int_equal(st_simulate(&s, &series), 0);
    struct st_analysis a = analyse(&series);
    assert_true(!a.untimed && a.overlaps_n == 0); /* with its periods */
    for (size_t i = 0; i < series.n; i++)
        series.index[i] = i;
    a = analyse(&series);
    assert_true(a.untimed && a.findings_n == 0 && !a.ticks.found);
    assert_true(says(&a, "7499 of 7500 wake-ups are so late that the next one was already due"));
    /* a stall now and then is no reason */
    for (size_t i = 0; i < series.n; i++)
        series.lateness_ns[i] = i % 21 == 0 ? 9000000 : 50000;
    assert_false(analyse(&series).untimed);
    st_series_finish(&series);
}

static void a_known_rate_that_cannot_be_told_is_said(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_analysis a;
    period = period_of(64, 48000);
    assert_int_equal(noise_series(NOISE_NORMAL, 4, &period, 7500, 0, 0, &series), 0);
    assert_int_equal(st_series_analysis_of(&series, 0, false, &a), 0);
    assert_int_equal(a.sentences_n, 0); /* lateness that is short beside the period hides no tick */
    assert_int_equal(st_series_analysis_of(&series, 750, false, &a), 0);
    assert_true(a.blind_n == 1 && a.coarse_hz == 0 &&
                says(&a, "tick of 750 Hz looks the same as no tick"));
    st_series_finish(&series);
}

static void a_jump_that_is_no_tick_is_a_step(void **state)
{
    struct st_period period;
    struct st_series series;
    period = period_of_ns(ST_NS_PER_S, 1);
    assert_int_equal(noise_series(NOISE_NORMAL, 4, &period, 900, 0, 0, &series), 0);
    for (size_t i = 500; i < 900; i++)
        series.lateness_ns[i] +=
            10000000; /* as long as a tick of 100 Hz, but upwards and without a slope */
    const struct st_analysis a = analyse(&series);
    assert_false(a.ticks.found);
    assert_int_equal(a.changes.steps_n, 1);
    assert_true(says(&a, "goes up by 10.0"));
    st_series_finish(&series);
}

static void stalls_of_the_host_do_not_hide_a_lattice(void **state)
{
    struct st_simulation s = {
        .count = 2000, .hz = 250, .rounding = ST_ROUNDING_TVTOHZ, .noise_ns = 3000, .seed = 1};
    struct st_random random = {.state = 1};
    struct st_series series;
    s.period = period_of(1024, 48000);
    assert_int_equal(st_simulate(&s, &series), 0);
    for (size_t i = 20; i < series.n; i += 80)
        series.lateness_ns[i] += 20000000 + (int64_t)st_random_below(&random, 800000);
    const struct st_analysis a = analyse(&series);
    assert_true(a.ticks.found && a.ticks.hz == 250);
    st_series_finish(&series);
}

/* docs/results.md has the long run. 1050 series at a rate of 1 in 1000 have 6 or more in 1 of 1000
 * runs. */
static void noise_is_noise(void **state)
{
    struct st_period period;
    int alarms = 0;
    period = period_of(64, 48000);
    for (uint64_t i = 0; i < 150 * NOISE_COUNT; i++) {
        struct st_series series;
        assert_int_equal(
            noise_series((enum noise)(i % NOISE_COUNT), i, &period, 900, 0, 0, &series), 0);
        const struct st_analysis a = analyse(&series);
        alarms += a.ticks.found || a.periodic.found || a.changes.trend_found || a.changes.moves ||
                  a.changes.steps_n > 0;
        const int found = a.periodic.found + a.changes.trend_found + a.changes.moves;
        assert_int_equal(a.sentences_n, (size_t)found + a.changes.steps_n);
        st_series_finish(&series);
    }
    assert_in_range(alarms, 0, 5);
}

/* Where a loop steers the tick, lateness goes back in a curve after it jumps by one, and its slope
 * has corners where the loop acts. */
static void what_a_loop_does_is_no_step_and_no_drift(void **state)
{
    static const struct {
        int64_t hz;
        double ppm, gain;
        int64_t period_ns;
        uint64_t count, seed;
    } rows[] = {
        {1000, -5, 0.03, 1000000000, 900, 2},  {250, -50, 0.05, 1000000000, 900, 2},
        {1000, -10, 0.05, 1000000000, 900, 2}, {1000, -50, 0.1, 1000000000, 900, 2},
        {100, -20, 0.01, 10000000000, 900, 1}, {1000, -50, 0.02, 10000000000, 900, 1},
        {1000, -100, 0.9, 100000000, 900, 1},  {1000, 0, 0.2, 1333000, 3000, 1},
        {1000, 20, 0.02, 1333000, 3000, 1},
    };
    int found = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) * 2; i++) {
        struct st_simulation s = told(rows[i / 2].hz, rows[i / 2].ppm, rows[i / 2].gain,
                                      rows[i / 2].period_ns, i % 2 == 0 ? 5000 : 1000);
        s.count = rows[i / 2].count;
        s.seed = rows[i / 2].seed;
        const struct st_analysis a = blind(&s);
        found += a.changes.moves || a.whole_ticks.found;
        assert_true(a.changes.steps_n == 0 && !says(&a, "and stays there"));
        assert_false(a.ticks.drift_known);
        assert_true(!a.ticks.found || a.ticks.hz == s.hz || a.ticks.hz == 0);
    }
    assert_true(found >= 14);
}

/* Sampled rarely, a loop acts many times between two jumps, and they are no ticks. */
static void a_jump_that_the_loop_is_part_of_is_no_tick(void **state)
{
    static const double gains[] = {0.005, 0.01}, ppm[] = {50, -50};
    for (size_t i = 0; i < 12; i++) {
        struct st_simulation s =
            told(1000, ppm[i / 2 % 2], gains[i % 2], 10000000000, (int64_t)(i / 4) * 1000);
        const struct st_analysis a = blind(&s);
        assert_true(!a.ticks.found || a.ticks.hz == 1000 || a.ticks.hz == 0);
        assert_false(says(&a, "not a usual rate"));
    }
}

/* A due time more or less that is left out is a period of lateness. */
static void skipped_periods_are_no_steps(void **state)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct st_simulation s = told(250, -100, 0, 1333000, seed % 2 == 0 ? 1000 : 5000);
        s.count = 3000;
        s.seed = seed;
        s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
        const struct st_analysis a = blind(&s);
        assert_true(a.skips && a.changes.steps_n == 0 && !a.changes.trend_found &&
                    !a.changes.moves);
        assert_true(says(&a, "Too many periods were skipped"));
    }
}

/* What a few seconds show of the drift is its mean. */
static void a_drift_of_a_few_seconds_may_be_another_one_later(void **state)
{
    struct st_simulation s = told(1000, 20, 0, 1333000, 5000);
    s.count = 6000;
    s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
    struct st_analysis a = blind(&s);
    assert_true(a.ticks.drift_known && fabs(a.ticks.drift_ppm - 20) < 1.5);
    assert_true(says(&a, "over a longer time it may differ by up to 6.5 ppm"));
    s.pll_gain = 0.005;
    a = blind(&s);
    assert_true(!a.ticks.drift_known || fabs(a.ticks.drift_ppm - 20) < a.ticks.unseen_ppm);
    s = told(100, 40, 0, ST_NS_PER_S, 5000);
    a = blind(&s);
    assert_true(a.ticks.drift_known && a.ticks.unseen_ppm < 1.5 &&
                !says(&a, "over a longer time it may differ by up to"));
}

/* 5000 Hz is in no list, and 4998 Hz would fit as well: every range has the true rate, drift taken
 * off. */
static void a_rate_that_is_not_usual_is_a_range(void **state)
{
    static const double ppm[] = {-400, -68.6, 9.75, 215, 480};
    size_t ranges_n = 0;
    for (size_t i = 0; i < 2 * ST_ARRAY_LEN(ppm); i++) {
        struct st_simulation s =
            told(5000, ppm[i / 2], 0, 333 * ST_NS_PER_MS, i % 2 == 0 ? 0 : 3000);
        s.rounding = ST_ROUNDING_TVTOHZ_FIXED;
        const struct st_analysis a = blind(&s);
        int low, high;
        const char *at = a.sentences_n > 0 ? strchr(a.sentence[0], ':') : NULL;
        assert_true(!a.ticks.found || a.ticks.hz == 0 || a.ticks.hz == 5000);
        if (at != NULL && sscanf(at, ": %d to %d Hz (not a usual rate)", &low, &high) == 2) {
            ranges_n++;
            if (low > 5000 || high < 5000)
                fail_msg("%g ppm: %s", ppm[i / 2], a.sentence[0]);
        }
    }
    assert_true(ranges_n >= 5);
}

static void few_samples_are_said_to_be_few(void **state)
{
    static const int64_t herman_ns[] = {19496000, 19506000, 19516000, 19525000, 19535000};
    struct st_period period;
    struct st_series series;
    struct st_analysis a;
    period = period_of_ns(ST_NS_PER_S, 1);
    st_series_init(&series, &period);
    assert_int_equal(st_series_analysis_of(&series, 0, false, &a), -ENODATA);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(st_series_add(&series, i, herman_ns[i]), 0);
    a = analyse(&series);
    assert_int_equal(a.sentences_n, 1);
    assert_true(says(&a, "5 samples are too few"));
    st_series_finish(&series);
}

static void absurd_values_do_no_harm(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_random random = {.state = 3};
    period = period_of_ns(3600 * ST_NS_PER_S, 1);
    for (int kind = 0; kind < 3; kind++) {
        st_series_init(&series, &period);
        uint64_t index = 0;
        for (int i = 0; i < 500; i++, index += kind == 2 ? UINT64_MAX / 600 : 1) {
            const int64_t x = kind == 0                 ? INT64_MAX
                              : kind == 1 && i % 2 == 0 ? INT64_MIN
                                                        : (int64_t)st_random_u64(&random);
            assert_int_equal(st_series_add(&series, index, x), 0);
        }
        const struct st_analysis a = analyse(&series);
        assert_int_equal(a.samples_n, 500);
        st_series_finish(&series);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_analyser_names_what_the_simulator_was_told),
        cmocka_unit_test(a_steered_tick_has_no_wrong_rate),
        cmocka_unit_test(an_added_tick_is_told_whatever_the_drift),
        cmocka_unit_test(a_drift_that_is_seen_rarely_is_not_told),
        cmocka_unit_test(the_length_of_a_tick_is_that_of_its_drift),
        cmocka_unit_test(hermans_sawtooth_in_words),
        cmocka_unit_test(figures_are_written_as_people_write_them),
        cmocka_unit_test(what_cannot_be_told_is_said),
        cmocka_unit_test(a_period_shorter_than_a_tick_shows_the_interval),
        cmocka_unit_test(ticks_as_long_as_periods_are_said_to_be_hidden),
        cmocka_unit_test(rows_that_cannot_be_periods_are_no_times),
        cmocka_unit_test(a_known_rate_that_cannot_be_told_is_said),
        cmocka_unit_test(a_jump_that_is_no_tick_is_a_step),
        cmocka_unit_test(stalls_of_the_host_do_not_hide_a_lattice),
        cmocka_unit_test(noise_is_noise),
        cmocka_unit_test(what_a_loop_does_is_no_step_and_no_drift),
        cmocka_unit_test(a_jump_that_the_loop_is_part_of_is_no_tick),
        cmocka_unit_test(skipped_periods_are_no_steps),
        cmocka_unit_test(a_drift_of_a_few_seconds_may_be_another_one_later),
        cmocka_unit_test(a_rate_that_is_not_usual_is_a_range),
        cmocka_unit_test(few_samples_are_said_to_be_few),
        cmocka_unit_test(absurd_values_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
