/* Does it wake at intervals of its own, whatever was asked for? */
#ifndef ST_LAB_ANALYSE_INTERVAL_H
#define ST_LAB_ANALYSE_INTERVAL_H

#include <stdbool.h>

#include "core/stats/series.h"

/** Wake-ups that come at intervals of their own, whatever was asked for: sleeps take whole ticks, longer than
 * the period. */
struct st_interval {
    bool skips; /* most samples come after periods without one: lateness then follows from the intervals */
    bool found; /* the intervals are equal, and no multiple of the period */
    double interval_ns; /* median */
    double spread_ns;   /* 5 % to 95 % */
    int hz;             /* whole rate with that interval; 0: none fits */
};

/**
 * @return 0 (also when nothing is found), -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any.
 * Found when 19 of 20 intervals are within 2 % of their median and that is 5 % or more of a period away from
 * a multiple of the period, where a machine that is only slow would wake.
 */
ST_NODISCARD int st_interval_find(const struct st_series *series, struct st_interval *ret);

#endif
