/* A model of a sound device: counts the xruns that a real one would have had ("simulated xruns"). */
#ifndef ST_MEASURE_DEVICE_H
#define ST_MEASURE_DEVICE_H

#include "core/base.h"
#include "core/period.h"

/**
 * A ring of `periods` periods, drained by the clock from start_ns, when periods - 1 of them are queued. Each
 * cycle adds one when it is done. A cycle that is too late is an xrun, and the device starts again at that
 * moment, as with ALSA's prepare and start. */
struct st_device {
    struct st_period period;
    uint32_t periods; /* >= 2 */
    int64_t start_ns;
    uint64_t cycles_since_start; /* n */
    uint64_t xruns_n;
    int64_t silence_ns; /* sum over all xruns */
    int64_t silence_max_ns;
};

/** @param start_ns due(0). @param periods 2 .. 64. @return 0 or -ERANGE. Threads: any. */
ST_NODISCARD int st_device_init(struct st_device *device, const struct st_period *period, uint32_t periods,
                                int64_t start_ns);

/**
 * One cycle added its period at done_ns (CLOCK_MONOTONIC, not before the last one's).
 * Xrun if done > start + (n + periods - 1) * P, n the cycles since start.
 * @return the silence in ns: 0 without an xrun, > 0 with one. Threads: one. */
int64_t st_device_cycle(struct st_device *device, int64_t done_ns);

#endif
