/* lab/analyse: series of eight classes from a generator; what is right, what is missed, and what is
 * a false name. */
#include "core/ns.h"
#include "lab/analyse/series_analysis.h"
#include "lab/series/simulate.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

#define EACH_N 40 /* as a unit test; `test_series_analysis_classes 1000` for all */

struct truth {
    double every;   /* periods between pulses, or cycles of a rectangle */
    double high_ns; /* of pulses, rectangles, steps */
    size_t steps_n;
    double step_at[3], step_ns[3];
    double slope_ns_per_s;
    int hz; /* of ticks */
    double drift_ppm;
};

typedef void (*make_fn)(uint64_t seed, struct st_series *series, struct truth *truth);
/* @return 1: right; 0: missed; -1: a false name */
typedef int (*judge_fn)(const struct st_series *series, const struct st_analysis *a,
                        const struct truth *t);

static double between(struct st_random *random, double low, double high)
{
    return low + (high - low) * st_random_unit(random);
}

static double log_between(struct st_random *random, double low, double high)
{
    return exp(between(random, log(low), log(high)));
}

/* @return 0 to n - 1 */
static size_t below(struct st_random *random, size_t n)
{
    return (size_t)st_random_below(random, n);
}

static uint64_t any_period_ns(struct st_random *random)
{
    static const uint64_t periods_ns[] = {1000000000, 100000000, 10000000, 5333333, 20000000};
    return periods_ns[below(random, ST_ARRAY_LEN(periods_ns))];
}

/* Noise of independent samples, with a spread of some us. */
static void background(struct st_random *random, uint64_t period_ns, size_t n,
                       struct st_series *ret)
{
    static const enum noise kinds[] = {NOISE_NORMAL, NOISE_UNIFORM, NOISE_LOGNORMAL, NOISE_PARETO};
    const enum noise kind = kinds[below(random, ST_ARRAY_LEN(kinds))];
    const struct st_period period = period_of_ns(period_ns, 1);
    assert_int_equal(noise_series(kind, st_random_u64(random) % 100000, &period, n, 0, 0, ret), 0);
    for (size_t i = 0; i < n; i++)
        ret->lateness_ns[i] += 50000;
}

static void make_pulses(uint64_t seed, struct st_series *series, struct truth *t)
{
    struct st_random random = {.state = seed};
    *t = (struct truth){.every = log_between(&random, 10, 400),
                        .high_ns = log_between(&random, 1e5, 5e6)};
    const double repeats = between(&random, 10, 60), jitter = between(&random, 0, 0.5);
    const size_t n = (size_t)fmax(repeats * t->every, 300), wide = 1 + below(&random, 2);
    const double first = between(&random, 0, t->every);
    background(&random, any_period_ns(&random), n, series);
    for (double at = first; at < (double)n; at += t->every) {
        const double moved = at + jitter * between(&random, -1, 1);
        for (size_t i = (size_t)fmax(moved, 0); i < (size_t)fmax(moved, 0) + wide && i < n; i++)
            series->lateness_ns[i] += llrint(t->high_ns * between(&random, 0.7, 1.3));
    }
}

static void make_rectangles(uint64_t seed, struct st_series *series, struct truth *t)
{
    struct st_random random = {.state = seed};
    *t = (struct truth){.every = log_between(&random, 5, 120),
                        .high_ns = log_between(&random, 2e4, 5e5)};
    if (below(&random, 2) == 0)
        t->every = nearbyint(t->every);
    const size_t n = (size_t)fmax(between(&random, 25, 120) * t->every, 400);
    const double share = between(&random, 0.3, 0.7), first = between(&random, 0, t->every);
    background(&random, any_period_ns(&random), n, series);
    for (size_t i = 0; i < n; i++) {
        if (fmod((double)i + first, t->every) < share * t->every)
            series->lateness_ns[i] += llrint(t->high_ns);
    }
}

static void make_ticks(uint64_t seed, struct st_series *series, struct truth *t)
{
    static const int rates[] = {60, 100, 128, 250, 300, 1000};
    static const uint64_t periods_ns[] = {1000000000, 997000000, 333000000, 21333333};
    struct st_random random = {.state = seed};
    struct st_simulation s = {.count = 900 + below(&random, 900), .seed = seed};
    for (;;) {
        s.hz = rates[below(&random, ST_ARRAY_LEN(rates))];
        s.drift_ppm = between(&random, -80, 80);
        s.noise_ns = (int64_t)st_random_below(&random, 5000);
        s.rounding = below(&random, 2) == 0 ? ST_ROUNDING_TVTOHZ : ST_ROUNDING_TVTOHZ_FIXED;
        const uint64_t period_ns = periods_ns[below(&random, ST_ARRAY_LEN(periods_ns))];
        s.period = period_of_ns(period_ns, 1);
        /* a jump or two, and periods that are longer than the sleeps */
        const double tick_ns = 1e9 / (double)s.hz * (1 + s.drift_ppm * 1e-6);
        if (fabs(remainder((double)period_ns, tick_ns)) * (double)s.count > 2.2 * tick_ns &&
            (double)period_ns > 2.2 * tick_ns)
            break;
    }
    *t = (struct truth){.hz = (int)s.hz, .drift_ppm = s.drift_ppm};
    assert_int_equal(st_simulate(&s, series), 0);
}

static void make_steps(uint64_t seed, struct st_series *series, struct truth *t)
{
    struct st_random random = {.state = seed};
    const size_t n = 900 + below(&random, 3000);
    *t = (struct truth){.steps_n = 1 + below(&random, 3)};
    background(&random, any_period_ns(&random), n, series);
    for (size_t k = 0; k < t->steps_n; k++) {
        t->step_at[k] =
            (double)n * ((double)k + between(&random, 0.7, 1.3)) / ((double)t->steps_n + 1);
        t->step_ns[k] = log_between(&random, 2.5e4, 1e5) * (below(&random, 3) == 0 ? -1 : 1);
        for (size_t i = (size_t)t->step_at[k]; i < n; i++)
            series->lateness_ns[i] += llrint(t->step_ns[k]);
    }
}

static void make_drift(uint64_t seed, struct st_series *series, struct truth *t)
{
    struct st_random random = {.state = seed};
    const size_t n = 900 + below(&random, 3000);
    const double all_ns = log_between(&random, 2e4, 5e5) * (below(&random, 2) == 0 ? -1 : 1);
    background(&random, any_period_ns(&random), n, series);
    const double span_s = st_period_seconds(&series->period) * (double)n;
    *t = (struct truth){.slope_ns_per_s = all_ns / span_s};
    for (size_t i = 0; i < n; i++)
        series->lateness_ns[i] += llrint(all_ns * (double)i / (double)n);
}

/* Sleeps that are rounded: on levels, or by what each wake-up is late (as Go's runtime did). */
static void make_lattice(uint64_t seed, struct st_series *series, struct truth *t)
{
    static const int rates[] = {100, 200, 250, 300, 500, 1000};
    static const uint64_t periods_ns[] = {1000000000, 100000000, 50000000};
    struct st_random random = {.state = seed};
    *t = (struct truth){.hz = rates[below(&random, ST_ARRAY_LEN(rates))]};
    const size_t n = 600 + below(&random, 2000);
    const double tick_ns = 1e9 / t->hz, grows_ns = tick_ns * between(&random, 0.02, 0.12);
    const bool levels = below(&random, 2) == 0;
    background(&random, periods_ns[below(&random, ST_ARRAY_LEN(periods_ns))], n, series);
    double late_ns = between(&random, 0, tick_ns);
    for (size_t i = 0; i < n; i++) {
        late_ns += grows_ns * between(&random, 0, 2);
        late_ns -= late_ns > tick_ns ? tick_ns : 0;
        series->lateness_ns[i] +=
            levels ? llrint(tick_ns * (double)(below(&random, 3) * below(&random, 2)))
                   : llrint(late_ns);
    }
}

/* What another program does each few periods, at round periods: any such rhythm has a usual tick
 * rate that looks the same, and a hundred others. */
static void make_beside(uint64_t seed, struct st_series *series, struct truth *t)
{
    static const uint64_t periods_ns[] = {5000000, 10000000, 20000000};
    static const int every[] = {2, 4, 5, 10};
    struct st_random random = {.state = seed};
    *t = (struct truth){.every = every[st_random_below(&random, ST_ARRAY_LEN(every))],
                        .high_ns = between(&random, 1.5e4, 5e4)};
    const size_t n = (size_t)(900 + st_random_below(&random, 2000));
    const bool sine = st_random_below(&random, 2) == 0;
    background(&random, periods_ns[st_random_below(&random, ST_ARRAY_LEN(periods_ns))], n, series);
    for (size_t i = 0; i < n; i++) {
        const double turn = fmod((double)i / t->every, 1);
        series->lateness_ns[i] += llrint(t->high_ns * (sine ? cos(2 * M_PI * turn) : turn < 0.5));
    }
}

static void make_noise(uint64_t seed, struct st_series *series, struct truth *t)
{
    struct st_random random = {.state = seed};
    struct st_period period;
    *t = (struct truth){0};
    period = period_of_ns(any_period_ns(&random), 1);
    assert_int_equal(noise_series((enum noise)(seed % NOISE_COUNT), seed, &period,
                                  300 + below(&random, 3000), 0, 0, series),
                     0);
}

/* Any finding that none of these series has beside its own. */
static bool names(const struct st_analysis *a, bool ticks, bool steps, bool trend, bool rhythm)
{
    return (ticks && (a->ticks.found || a->whole_ticks.found || a->interval.found)) ||
           (steps && a->changes.steps_n > 0) || (trend && a->changes.trend_found) ||
           (rhythm && (a->periodic.found || a->late_ones.regular));
}

static bool is_about(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

static int judge_rhythm(const struct st_series *series, const struct st_analysis *a,
                        const struct truth *t)
{
    const double found_s = a->late_ones.regular ? a->late_ones.every_s : a->periodic.repeats_s;
    const double true_s = t->every * st_period_seconds(&series->period);
    if (names(a, true, true, true, false))
        return -1;
    if (!a->late_ones.regular && !a->periodic.found)
        return 0;
    if (a->late_ones.regular && a->periodic.found)
        return -1;
    return is_about(found_s, true_s, 0.01) ? 1 : -1;
}

static int judge_beside(const struct st_series *series, const struct st_analysis *a,
                        const struct truth *t)
{
    for (size_t i = 0; i < a->findings_n; i++) {
        if (strstr(a->sentence[i], "clock tick of") != NULL)
            return -1;
    }
    return judge_rhythm(series, a, t);
}

static int judge_ticks(const struct st_series *series, const struct st_analysis *a,
                       const struct truth *t)
{
    if (names(a, false, true, true, true) || a->whole_ticks.found || a->interval.found)
        return -1;
    if (!a->ticks.found)
        return 0;
    if (a->ticks.hz != 0 && a->ticks.hz != t->hz)
        return -1;
    return a->ticks.hz == t->hz &&
           (!a->ticks.drift_known || fabs(a->ticks.drift_ppm - t->drift_ppm) < 1.5);
}

static int judge_steps(const struct st_series *series, const struct st_analysis *a,
                       const struct truth *t)
{
    if (names(a, true, false, true, true) || a->changes.steps_n > t->steps_n)
        return -1;
    for (size_t i = 0; i < a->changes.steps_n; i++) {
        bool real = false;
        for (size_t k = 0; k < t->steps_n; k++)
            real |= fabs((double)a->changes.steps[i].index - t->step_at[k]) <
                        0.02 * (double)series->n &&
                    is_about(a->changes.steps[i].size_ns, t->step_ns[k], 0.2);
        if (!real)
            return -1;
    }
    return a->changes.steps_n == t->steps_n;
}

static int judge_drift(const struct st_series *series, const struct st_analysis *a,
                       const struct truth *t)
{
    if (names(a, true, true, false, true))
        return -1;
    if (!a->changes.trend_found)
        return 0;
    return is_about(a->changes.slope_ns_per_s, t->slope_ns_per_s, 0.2) ? 1 : -1;
}

static int judge_lattice(const struct st_series *series, const struct st_analysis *a,
                         const struct truth *t)
{
    const int hz = a->whole_ticks.found ? a->whole_ticks.hz : a->ticks.found ? a->ticks.hz : 0;
    if (names(a, false, true, true, true) || a->interval.found || (hz != 0 && hz != t->hz))
        return -1;
    return hz == t->hz;
}

static int judge_noise(const struct st_series *series, const struct st_analysis *a,
                       const struct truth *t)
{
    return names(a, true, true, true, true) || a->changes.moves ? -1 : 1;
}

static const struct {
    const char *name;
    make_fn make;
    judge_fn judge;
} classes[] = {
    {"pulses", make_pulses, judge_rhythm}, {"rectangles", make_rectangles, judge_rhythm},
    {"ticks", make_ticks, judge_ticks},    {"steps", make_steps, judge_steps},
    {"drift", make_drift, judge_drift},    {"lattices", make_lattice, judge_lattice},
    {"beside", make_beside, judge_beside}, {"noise", make_noise, judge_noise},
};

/* 95 of 100 of each class are right, and of all less than 1 of 100 have a false name. */
static void each_class_is_named_and_no_other(void **state)
{
    const uint64_t each_n = *(const uint64_t *)*state;
    uint64_t false_n = 0;
    bool few = false;
    for (size_t c = 0; c < ST_ARRAY_LEN(classes); c++) {
        uint64_t right_n = 0, false_here_n = 0;
        for (uint64_t i = 0; i < each_n; i++) {
            struct st_series series;
            struct st_analysis a;
            struct truth truth;
            classes[c].make(c * 1000000 + i, &series, &truth);
            assert_int_equal(st_series_analysis_of(&series, 0, false, &a), 0);
            const int verdict = classes[c].judge(&series, &a, &truth);
            if (verdict != 1)
                print_message("%s, series %d: %s: %s\n", classes[c].name, (int)i,
                              verdict < 0 ? "false" : "missed",
                              a.findings_n > 0 ? a.sentence[0] : "nothing is found");
            right_n += verdict == 1;
            false_here_n += verdict < 0;
            st_series_finish(&series);
        }
        print_message("%s: %d of %d right, %d false\n", classes[c].name, (int)right_n, (int)each_n,
                      (int)false_here_n);
        few |= right_n * 100 < each_n * 95;
        false_n += false_here_n;
    }
    assert_false(few);
    assert_true(false_n * 100 < each_n * ST_ARRAY_LEN(classes));
}

int main(int argc, char **argv)
{
    uint64_t each_n = argc > 1 ? strtoull(argv[1], NULL, 10) : EACH_N;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(each_class_is_named_and_no_other, &each_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
