/* Calls that Linux and FreeBSD share: functions of those that read a clock. */
#pragma once

#include "lab/syscall/call.h"

/** Initialises a struct st_call_method: clock_gettime on one clock. */
#define ST_CALL_CLOCK(clock_name, id)                                                              \
    {                                                                                              \
        .name = "clock_gettime-" clock_name, .summary = "clock_gettime, clock " clock_name,        \
        .clock_id = (id), .tells_time = true, .call = st_call_clock, .raw = st_call_clock_raw      \
    }

int st_call_clock(struct st_call *c);
int st_call_clock_raw(struct st_call *c);
