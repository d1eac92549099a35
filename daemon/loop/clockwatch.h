/* Detects suspend, jumps of the wall clock and pauses of the whole machine, by comparing clocks at each
 * tick. */
#pragma once

#include "daemon/causes/events.h"

#define ST_CLOCKWATCH_SUSPEND_NS                                                                             \
    INT64_C(100000000) /* a smaller difference is noise between two clock reads */
#define ST_CLOCKWATCH_JUMP_NS  INT64_C(500000000)
#define ST_CLOCKWATCH_PAUSE_NS INT64_C(5000000000) /* ticks are 1 s apart, plus rest_ns */

struct st_clockwatch {
    bool started;
    int64_t rest_ns; /* set by the owner: added to the interval of ticks */
    int64_t now_ns, wall_ns, suspended_ns;
};

/** Compares with the last call and adds events. Threads: one. */
void st_clockwatch_tick(struct st_clockwatch *watch, struct st_platform *platform, struct st_events *events);
