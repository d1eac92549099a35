/* A synthetic DSP load: the work of a callback, as a share of the period. */
#ifndef ST_MEASURE_LOAD_H
#define ST_MEASURE_LOAD_H

#include "core/period.h"
#include "platform/platform.h"

#define ST_LOAD_SAMPLES 64

/** A chain of biquad filters over a small buffer; `rounds` passes are one callback. */
struct st_load {
    float samples[ST_LOAD_SAMPLES];
    float state[4];
    uint64_t rounds;
};

/**
 * Finds how many rounds take load_percent of the period on this CPU at its speed of the moment: takes about
 * 10 ms.
 * @param load_percent  > 0 .. 90.
 */
void st_load_calibrate(struct st_load *load, struct st_platform *platform, const struct st_period *period,
                       double load_percent);

/** One callback. ctx: struct st_load. Real-time safe. */
void st_load_run(void *ctx) ST_NONBLOCKING;

#endif
