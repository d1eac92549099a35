/* Does `predict` cover the truth? Stalls of known laws; ten minutes at 32 frames each, several hundred runs.
 *
 *   predict_laws RUNS    prints a row for each law and size; fails if a bound covers in less than 93 % of the runs
 *
 * Stalls are simulated, not cycles. The truth is a simulation of its own, of many hours, at the size itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "core/stats/stats.h"
#include "evidence/miss_events.h"
#include "evidence/predict.h"

#define MEASURED    32
#define RATE_HZ     48000
#define SECONDS     600.0
#define TRUTH_HOURS 400
#define RUNS_MAX    4000
#define COVERED_MIN 0.93

enum kind { EXPONENTIAL, PARETO_GENERAL, PARETO, MODE, BURSTS };

static const struct law {
    const char *name;
    enum kind kind;
    double per_s, scale_ms, shape;
} laws[] = {
    {"exponential", EXPONENTIAL, 1, 0.5, 0},
    {"GPD -0.2", PARETO_GENERAL, 1, 0.8, -0.2},
    {"GPD 0.2", PARETO_GENERAL, 1, 0.4, 0.2},
    {"GPD 0.4", PARETO_GENERAL, 1, 0.3, 0.4},
    {"Pareto 2", PARETO, 1, 0.3, 2},
    {"exponential, 20 ms once a minute", MODE, 1, 0.3, 0},
    {"bursts of at most 1 s", BURSTS, 0.1, 0.8, 0},
};
static const uint32_t sizes[] = {32, 48, 64, 128, 256, 512, 1024, 2048};

#define SIZES ST_ARRAY_LEN(sizes)

static double exponential(struct st_random *random)
{
    return -log(1 - st_random_unit(random));
}

static double length_s(const struct law *law, struct st_random *random)
{
    const double e = exponential(random);
    if (law->kind == PARETO_GENERAL)
        return law->scale_ms / 1e3 * expm1(law->shape * e) / law->shape;
    if (law->kind == PARETO)
        return law->scale_ms / 1e3 * exp(e / law->shape);
    return law->scale_ms / 1e3 * e;
}

struct stalls {
    const struct law *law;
    struct st_random random;
    double at_s, mode_s, burst_end_s;
};

static void begin(struct stalls *stalls, const struct law *law, uint64_t seed)
{
    *stalls = (struct stalls){.law = law, .random = {.state = seed}};
    stalls->mode_s = law->kind == MODE ? 60 * exponential(&stalls->random) : HUGE_VAL;
}

/* The next one, from the end of the one before. @return its start, s. */
static double next(struct stalls *stalls, double *ret_length_s)
{
    const struct law *law = stalls->law;
    double gap_s = exponential(&stalls->random) / law->per_s;
    if (law->kind == BURSTS) { /* 50 stalls per second within a burst */
        const double within_s = exponential(&stalls->random) / 50;
        if (stalls->at_s + within_s < stalls->burst_end_s)
            gap_s = within_s;
        else
            stalls->burst_end_s = stalls->at_s + gap_s + st_random_unit(&stalls->random);
    }
    double start_s = stalls->at_s + gap_s;
    *ret_length_s = length_s(law, &stalls->random);
    if (stalls->mode_s < start_s) {
        start_s = fmax(stalls->mode_s, stalls->at_s);
        stalls->mode_s += 60 * exponential(&stalls->random);
        *ret_length_s = 0.02;
    }
    stalls->at_s = start_s + *ret_length_s;
    return start_s;
}

/* Events per hour at a size with two periods, by its own deadlines. */
static double truth(const struct law *law, uint32_t frames)
{
    struct stalls stalls;
    struct st_miss_events events = {0};
    const double period_s = (double)frames / RATE_HZ;
    begin(&stalls, law, 77 + frames);
    for (double length;;) {
        const double start_s = next(&stalls, &length), end_s = start_s + length;
        if (start_s > TRUTH_HOURS * 3600.0)
            break;
        const double first = ceil(start_s / period_s) * period_s;
        const double last = first + (ceil((end_s - first) / period_s) - 2) * period_s; /* late by a period */
        if (last >= first)
            st_miss_events_add(&events, (int64_t)(first * 1e9), (int64_t)(last * 1e9));
    }
    return (double)events.n / TRUTH_HOURS;
}

static void measure(const struct law *law, uint64_t seed, struct st_predict_run *run)
{
    struct stalls stalls;
    const double period_s = (double)MEASURED / RATE_HZ;
    *run = (struct st_predict_run){.frames = MEASURED, .rate_hz = RATE_HZ};
    if (st_period_init(&run->period, MEASURED, RATE_HZ) != 0)
        exit(1);
    run->periods_n = (uint64_t)(SECONDS / period_s);
    begin(&stalls, law, seed);
    for (double length;;) {
        const double start_s = next(&stalls, &length), k = ceil(start_s / period_s);
        const double lateness_s = start_s + length - k * period_s;
        if (k >= (double)run->periods_n)
            break;
        if (lateness_s > 0 && st_predict_add(run, (uint64_t)k, (int64_t)(lateness_s * 1e9)) != 0)
            exit(1);
    }
    st_predict_end(run);
}

/* Baselines: the share of wake-ups that are late by more than a period; 3 / T; twice the largest. */
static double share_of(const struct st_predict_run *run, uint32_t frames)
{
    const double period_ns = 1e9 * frames / RATE_HZ;
    double n = 0;
    for (size_t i = 0; i < run->n; i++)
        n += (double)run->late[i].lateness_ns > period_ns;
    return n / (double)run->periods_n * 3600e9 / period_ns;
}

static double error_of(double estimate, double true_per_hour)
{
    return fabs(log10(fmax(estimate, 1e-3) / true_per_hour));
}

static double median(double *values, size_t n)
{
    st_stats_sort_double(values, n);
    return n == 0 ? (double)NAN : values[n / 2];
}

static bool judge(const struct law *law, uint32_t frames, size_t runs_n)
{
    static double errors[RUNS_MAX], share_errors[RUNS_MAX], rule_errors[RUNS_MAX], tightness[RUNS_MAX];
    const struct st_predict_wish wish = {.periods = 2, .target_per_hour = 18};
    const double true_per_hour = truth(law, frames);
    size_t covered = 0, covered_low = 0, estimated = 0;
    for (size_t i = 0; i < runs_n; i++) {
        struct st_predict_run run;
        struct st_predict_row row;
        measure(law, 1000003 * (i + 1), &run);
        st_predict_row(&run, &wish, frames, &row);
        covered += row.high >= true_per_hour;
        covered_low += row.low <= true_per_hour;
        tightness[i] = row.high / true_per_hour;
        if (row.estimated) {
            errors[estimated] = error_of(row.estimate, true_per_hour);
            share_errors[estimated] = error_of(share_of(&run, frames), true_per_hour);
            rule_errors[estimated++] = error_of(3600 / SECONDS * 3, true_per_hour);
        }
        st_predict_finish(&run);
    }
    const bool good = covered >= (size_t)(COVERED_MIN * (double)runs_n);
    printf("%-33s %5u %10.3f %8.1f %8.1f %8.1f %9.3f %9.3f %9.3f %8.2f%s\n", law->name, frames, true_per_hour,
           100.0 * (double)covered / (double)runs_n, 100.0 * (double)covered_low / (double)runs_n,
           100.0 * (double)estimated / (double)runs_n, median(errors, estimated),
           median(share_errors, estimated), median(rule_errors, estimated), median(tightness, runs_n),
           good ? "" : "  FAILED");
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    const long runs = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    bool good = true;
    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "Usage: predict_laws RUNS\n");
        return 3;
    }
    printf("%-33s %5s %10s %8s %8s %8s %9s %9s %9s %8s\n", "law", "size", "truth/h", "high %", "low %",
           "estim. %", "error", "share's", "3/T's", "high/tr");
    for (size_t l = 0; l < ST_ARRAY_LEN(laws); l++)
        for (size_t s = 0; s < SIZES; s++)
            good = judge(&laws[l], sizes[s], (size_t)runs) && good;
    return good ? 0 : 1;
}
