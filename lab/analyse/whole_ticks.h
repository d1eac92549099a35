/* Does lateness change by whole ticks of a usual rate, without a steady drift between them? */
#pragma once

#include "lab/stats/series.h"

struct st_whole_ticks {
    bool found;
    int hz;
    bool levels;      /* the samples lie on levels that are a tick apart; false: their changes do */
    uint64_t jumps_n; /* samples, or changes, that are half a tick or more from the median */
};

/** Where a program or a timer rounds its sleeps to whole ms, lateness takes three levels or more, 1 ms apart;
 * or it grows by what each wake-up is late, and jumps back by 1 ms. Found where 15 samples (or changes) or
 * more are far from the median, and are as near to a whole number of ticks as the others are to the median.
 * @return 0, -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any. Source: Rayleigh's test (Mardia and
 * Jupp, Directional Statistics, 6.3), 1 in 100000 over all rates. */
ST_NODISCARD int st_whole_ticks_find(const struct st_series *series, struct st_whole_ticks *ret);
