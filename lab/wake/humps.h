/* Two humps: does a distribution have two modes, where, and with what shares? */
#ifndef ST_LAB_WAKE_HUMPS_H
#define ST_LAB_WAKE_HUMPS_H

#include <stdbool.h>

#include "core/stats/sample.h"

/** Fewer values than this are not asked. */
#define ST_HUMPS_MIN_N 50

struct st_hump {
    int64_t center_ns; /* the median of the values on its side of the valley */
    uint64_t n;
    double share; /* of all values */
};

struct st_humps {
    size_t n; /* 0: too few values; 1, 2: ascending */
    struct st_hump mode[2];
};

/**
 * The values are counted in bins of one width, of every width from the finest step of the values on, doubled
 * each time. A valley is a bin that has, on each of its sides, a bin with more values than chance
 * makes: (peak - valley) / sqrt(peak + valley) of the lower peak, the normal form of a test of two
 * counts that are equal under one hump. The deepest valley of all widths is taken, if it is deeper than
 * sqrt(3 ln n - 3.2), which one hump passes in less than 1 in 100 samples: that was fitted to simulations of
 * uniform (also in steps), normal, exponential, lognormal and heavy-tailed values, n = 50 .. 10000. Values
 * beyond the 99.5 % quantile are not looked at, so a mode with a smaller share is not found.
 * @param sample an array in order (st_sample_of). @return 0, -ENOMEM. Threads: any.
 */
ST_NODISCARD int st_humps_of(const struct st_sample *sample, struct st_humps *ret);

#endif
