/* Computes how many clock ticks a 4.4BSD kernel gives to a sleep, and how late such a kernel wakes
 * a program. */
#pragma once

#include "core/base.h"
#include "lab/stats/series.h"

enum st_rounding {
    ST_ROUNDING_NONE,   /* no tick: the timer is programmed for the due time itself */
    ST_ROUNDING_TVTOHZ, /* rounded up, plus one tick: no sleep ends too early, wherever between
                           ticks it begins */
    ST_ROUNDING_TVTOHZ_FIXED, /* rounded up, without the additional tick */
};

/** "none", "tvtohz", "tvtohz-fixed". */
const char *st_simulate_rounding_name(enum st_rounding rounding);
/** @return 0 or -EINVAL (no such name). */
ST_NODISCARD int st_simulate_rounding_parse(const char *name, enum st_rounding *ret);

/**
 * Computes how many ticks the kernel waits for a sleep of a whole number of microseconds; at least
 * one.
 * @param us 0 .. 2^53. @param hz 1 .. 1000000, ticks a second. @param rounding not
 * ST_ROUNDING_NONE.
 * @return ticks, or -ERANGE. Threads: any.
 * Source: 4.4BSD tvtohz() as P. Herman's article of January 2004 has it: (us + tick - 1) / tick + 1
 * with tick = 1000000 / hz, all integer. The article's table parses seconds as a double and cuts it
 * to us first, so that 1.000001 s becomes 1000000 us and 101 ticks at 100 Hz; 1000001 us are
 * 102. */
int64_t st_simulate_tvtohz(int64_t us, int64_t hz, enum st_rounding rounding);

/** By how many ppm a tick is longer than 1/hz because it takes a whole number of counts of a timer,
 * the one nearest to timer_hz / hz. @param ret_counts this number of counts. @param hz >= 1. @param
 * timer_hz
 * >= hz. */
double st_simulate_timer_ppm(int64_t timer_hz, int64_t hz, int64_t *ret_counts);

/* The lateness of sleeps on a kernel that wakes programs only at clock ticks shows the patterns of
 * P. Herman's article of January 2004. */

struct st_simulation {
    struct st_period period; /* time from one due time to the next */
    uint64_t count;          /* number of samples */
    int64_t hz;              /* ticks a second, 1 .. 1000000; not used without rounding */
    int64_t timer_hz;        /* rate of the timer whose counts make up a tick, for the report only
                                (drift_ppm includes the effect); 0: unknown */
    enum st_rounding rounding;
    double drift_ppm; /* by how many ppm a tick is longer than 1/hz, -10000 .. 10000; lateness grows
                         by this many us a second */
    double
        pll_gain; /* gain of the loop that steers the tick, up to 1 (see below); 0: no steering */
    int64_t noise_ns; /* standard deviation of normal noise on each wake-up */
    uint64_t seed;    /* seed of the noise and of the phase of the first tick */
};

/* Steering with gain G: each second, the loop shortens the next second by G times the error and
 * G^2/4 times the sum of all errors so far. With a constant drift, and errors of less than half a
 * tick, the errors therefore follow e[n + 1] = (2 - G - G^2/4) e[n] - (1 - G) e[n - 1], whose roots
 * 1 - G/2 - G^2/8 +- G sqrt(G (8 + G)) / 8 are real and, for 0 < G <= 1, in 0 .. 1: the errors do
 * not oscillate. In the long run the larger root is the share of an error that is left a second
 * later: 0.75 at G = 1, 0.848 at 0.5, 0.96 at 0.1, about 1 - G/2 for a small G. */

/** How many ns after the full second the control loop wants a tick. */
#define ST_SIMULATE_PLL_TARGET_NS 10000.0

/**
 * Simulates a program that sleeps until its next due time, prints how late it woke up, and sleeps
 * again. Due times that pass while it sleeps are skipped.
 * @param ret initialised by this function, on success; free with st_series_finish.
 * @return 0, -ERANGE (a figure is out of its range), -ENOMEM. Threads: any. */
ST_NODISCARD int st_simulate(const struct st_simulation *simulation, struct st_series *ret);
