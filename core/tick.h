/* How much later than asked FreeBSD ends a sleep: kern.timecounter.alloweddeviation and the coarse
 * clock. */
#pragma once

#include "core/base.h"

#define ST_TICK_HZ_MAX 1000000

/** The kern.hz with the lowest threshold of the coarse clock: if a sleep is precise at this hz, it
 * is precise at any hz. */
#define ST_TICK_HZ_WORST 1499

/** How late one sleep may end if clock_nanosleep takes its imprecise path. All times in ns. */
struct st_tick_late {
    int shift; /* the shift E: a sleep may end later by sleep / 2^E (the slop); 31: exact */
    double threshold_ns; /* the coarse clock is used for sleeps of at least this length; INFINITY:
                            never */
    double slop_ns;      /* how much later the kernel may end the sleep by alloweddeviation */
    double coarse_ns;    /* delay that the coarse clock adds; 0 for sleeps below the threshold */
    /* slop + coarse: the upper bound, without delays by the scheduler and interrupts */
    double max_ns;
    /* lateness that a loop with absolute deadlines reaches after some periods: slop / (1 + 2^-E),
     * without coarse_ns. A late wake-up makes the next sleep, and so its slop, shorter */
    double settled_ns;
};

/** How often a periodic event timer (kern.eventtimer.periodic) interrupts in each tick of kern.hz,
 * 1 .. ST_TICK_HZ_MAX; a sleep ends at such an interrupt. @param singlemul
 * kern.eventtimer.singlemul. Source: sys/kern/kern_clocksource.c setuptimer. */
int64_t st_tick_singlemul(int64_t hz, int64_t singlemul);

/** The shift E that a percentage of alloweddeviation means; 31 (exact) for percent <= 0. percent
 * must be at most INT32_MAX. */
int st_tick_shift(int64_t percent);

/** Computes how late one sleep may end. @param percent kern.timecounter.alloweddeviation, INT32_MIN
 * .. INT32_MAX. @param hz kern.hz, 1 .. ST_TICK_HZ_MAX. @param sleep_ns the remaining time when the
 * thread goes to sleep, > 0. @return 0 or -ERANGE. Threads: any. Source: FreeBSD sys/kern/kern_tc.c
 * tc_adjprecision, inittimecounter; sys/kern/kern_time.c kern_clock_nanosleep. */
ST_NODISCARD int st_tick_late(int64_t percent, int64_t hz, double sleep_ns,
                              struct st_tick_late *ret);
