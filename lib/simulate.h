/* Lateness of a sleep on a kernel that wakes at clock ticks only: the patterns of P. Herman's article. */
#ifndef ST_LIB_SIMULATE_H
#define ST_LIB_SIMULATE_H

#include "lib/series.h"
#include "lib/tvtohz.h"

struct st_simulation {
    struct st_period period; /* between due times */
    uint64_t count;          /* samples */
    int64_t hz;              /* ticks a second, 1 .. 1000000; not used without rounding */
    enum st_rounding rounding;
    double drift_ppm; /* ticks are so much longer than 1/hz; lateness grows by as many us a second. -10000 ..
                         10000 */
    double pll_gain;  /* 0: ticks run free; up to 1: the phase error that is steered away in a second */
    int64_t noise_ns; /* standard deviation of normal noise on each wake-up */
    uint64_t seed;    /* noise, and the phase of the first tick */
};

/** Where a steered tick comes to rest behind the full second. */
#define ST_SIMULATE_PLL_TARGET_NS 10000.0

/**
 * A program sleeps to its next due time, prints how late it woke, and sleeps on. Due times that pass while it
 * sleeps are left out.
 * @param ret initialised by this function, on success; free with st_series_finish.
 * @return 0, -ERANGE (a figure is out of its range), -ENOMEM. Threads: any.
 */
ST_NODISCARD int st_simulate(const struct st_simulation *simulation, struct st_series *ret);

#endif
