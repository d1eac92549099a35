/* How FreeBSD stretches a sleep: kern.timecounter.alloweddeviation and the coarse clock. */
#pragma once

#include "core/base.h"

#define ST_TICK_HZ_MAX 1000000

/** The kern.hz with the lowest threshold of the coarse clock: a sleep that is precise at this hz is
 * precise at any hz. */
#define ST_TICK_HZ_WORST 1499

/** One sleep of sleep_ns as the imprecise path of clock_nanosleep sees it. All times in ns. */
struct st_tick_late {
    int shift;           /* E: the slop is sleep / 2^E; 31 when exact */
    double threshold_ns; /* from this sleep time on, the coarse clock is used; INFINITY: never */
    double slop_ns;      /* the late edge of the window */
    double coarse_ns;    /* added by the coarse clock, 0 below the threshold */
    double max_ns;       /* slop + coarse: the upper bound, before scheduling and interrupts */
    double settled_ns;   /* where a loop on absolute deadlines settles: slop / (1 + 2^-E), without the coarse
                            part */
};

/** How often a periodic event timer (kern.eventtimer.periodic) interrupts in each tick of kern.hz, 1 ..
 * ST_TICK_HZ_MAX; a sleep ends at such an interrupt. @param singlemul kern.eventtimer.singlemul. Source:
 * sys/kern/kern_clocksource.c setuptimer. */
int64_t st_tick_singlemul(int64_t hz, int64_t singlemul);

/** The shift E for alloweddeviation = percent; 31 for percent <= 0. percent <= INT32_MAX. */
int st_tick_shift(int64_t percent);

/** Computes the lateness of one sleep. @param percent kern.timecounter.alloweddeviation, INT32_MIN ..
 * INT32_MAX. @param hz kern.hz, 1 .. ST_TICK_HZ_MAX. @param sleep_ns the remaining time when the thread
 * goes to sleep, > 0. @return 0 or -ERANGE. Threads: any. Source: FreeBSD sys/kern/kern_tc.c
 * tc_adjprecision, inittimecounter; sys/kern/kern_time.c kern_clock_nanosleep. */
ST_NODISCARD int st_tick_late(int64_t percent, int64_t hz, double sleep_ns, struct st_tick_late *ret);
