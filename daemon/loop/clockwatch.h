/* Detects a suspended computer, a change of the wall clock and a pause of the whole machine:
 * compares three clocks at each tick. */
#pragma once

#include "daemon/causes/events.h"

/* least suspended time that is reported; a smaller difference is noise of the clock reads */
#define ST_CLOCKWATCH_SUSPEND_NS INT64_C(100000000)
#define ST_CLOCKWATCH_JUMP_NS    INT64_C(500000000)
/* ticks are 1 s apart, plus rest_ns, so a longer gap means that the daemon did not run */
#define ST_CLOCKWATCH_PAUSE_NS INT64_C(5000000000)

struct st_clockwatch {
    bool started;
    int64_t rest_ns; /* set by the owner: by how much the interval of ticks is longer than 1 s */
    int64_t now_ns, wall_ns, suspended_ns;
};

/** Compares the clocks with those of the last call, and adds events. Threads: one. */
void st_clockwatch_tick(struct st_clockwatch *watch, struct st_platform *platform,
                        struct st_events *events);
