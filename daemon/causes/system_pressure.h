/* What the machine is under, second by second: kept beside events. */
#pragma once

#include "platform/readings.h"
#include "xruns/event.h"

/** All zero at first: `now` is not known yet. */
struct st_system_pressure {
    bool sampled;
    int64_t pressure_us[3]; /* CPU, io, memory: in which some task waited for it, since boot; INT64_MIN: not
                               known */
    struct st_readings last, before; /* of this sample and the one before */
    struct st_event_pressure now;
};

/** Takes a sample; what is known is the difference to the one before. cpu: of the loop, -1: any. Each second;
 * one thread. */
void st_system_pressure_sample(struct st_system_pressure *pressure, struct st_platform *platform, int cpu);
