/* Does lateness change by whole ticks of a usual rate, without a steady drift between them? */
#pragma once

#include "lab/stats/series.h"

struct st_whole_ticks {
    bool found;
    int hz;
    bool levels;      /* the samples lie on levels that are a tick apart; false: their changes do */
    uint64_t jumps_n; /* samples, or changes, that are half a tick or more from the median */
    int bands_hz; /* late wake-ups lie in bands at whole ticks of this rate, whatever the rest does; 0: not */
    uint64_t bands_n, late_n; /* of the samples above the median and half a tick: on bands, all */
};

/** Where a program or a timer rounds its sleeps to whole ms, lateness takes three levels or more, 1 ms apart;
 * or it grows by what each wake-up is late, and jumps back by 1 ms. Found where 15 samples (or changes) or
 * more are far from the median, and are as near to a whole number of ticks as the others are to the median.
 * @return 0, -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any. Source: Rayleigh's test (Mardia and
 * Jupp, Directional Statistics, 6.3), 1 in 100000 over all rates.
 * Bands: of the samples that are later than the median and half a tick, by phase, 1 in 1.2 million over the
 * eight commonest rates up to 1000 Hz; the mean phase within 0.12 ticks of 0, 60 % within as much of a whole
 * tick, five or more each at two of them. Not where all samples are multiples of a step that is an eighth of
 * the tick or more. */
ST_NODISCARD int st_whole_ticks_find(const struct st_series *series, struct st_whole_ticks *ret);
