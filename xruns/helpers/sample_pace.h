/* How often threads are sampled: less often where that costs too much of a CPU. Pure. */
#pragma once

#include "core/ns.h"

#define ST_SAMPLE_PACE_NS         (20 * ST_NS_PER_MS) /* between two samples; twice that for many threads */
#define ST_SAMPLE_PACE_MANY       6                   /* threads */
#define ST_SAMPLE_PACE_SLOWER_MAX 4

struct st_sample_pace {
    int slower;            /* factor of the pauses; 1 at first */
    int64_t at_ns, cpu_ns; /* of the latest look; 0: none */
};

/** @param cpu_ns this program's CPU time so far. @return the pause to the next sample, ns. */
int64_t st_sample_pace_pause(struct st_sample_pace *pace, int64_t now_ns, int64_t cpu_ns, int threads_n);
