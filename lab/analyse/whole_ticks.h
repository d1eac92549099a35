/* Does lateness change by whole ticks of a usual rate, without a steady drift between them? */
#pragma once

#include "lab/stats/series.h"

struct st_whole_ticks {
    bool found;
    int hz;
    bool levels; /* true: the samples lie on levels that are one tick apart; false: the changes from
                    sample to sample do */
    uint64_t jumps_n; /* samples (or changes) that are half a tick or more from the median */
    int bands_hz; /* late wake-ups lie near whole ticks of this rate, in bands, whatever the other
                     samples do; 0: they do not */
    uint64_t bands_n, late_n; /* late_n: number of samples later than the median + half a tick;
                                 bands_n: number of these that lie in bands */
};

/** If a program or a timer rounds its sleeps to whole ms, lateness takes three levels or more, 1 ms
 * apart; or it grows by the lateness of each wake-up, and jumps back by 1 ms. Such ticks are found
 * if 15 samples (or changes) or more are far from the median, and are as near to a whole number of
 * ticks as the others are to the median. They are not found if all samples are multiples of a step
 * that is an eighth of the tick or more, since rounding makes such levels, too.
 * @return 0, -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any. Source: Rayleigh's test
 * (Mardia and Jupp, Directional Statistics, 6.3), 1 in 100000 over all rates. Bands are found by
 * the phase of the samples that are later than the median + half a tick: 1 in 1.2 million over the
 * eight commonest rates up to 1000 Hz; the mean phase is within 0.12 ticks of 0, 60 % of these
 * samples are within 0.12 ticks of a whole tick, and at least two whole ticks have five of them or
 * more. Bands are not found if the step is a 20th of the tick or more. */
ST_NODISCARD int st_whole_ticks_find(const struct st_series *series, struct st_whole_ticks *ret);
