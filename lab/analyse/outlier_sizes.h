/* Sizes that outliers prefer: a scheduling quantum of the host, real-time throttling, a tick. */
#ifndef ST_LAB_ANALYSE_OUTLIER_SIZES_H
#define ST_LAB_ANALYSE_OUTLIER_SIZES_H

#include "core/stats/series.h"

#define ST_OUTLIER_SIZES_MAX 4

struct st_outlier_size {
    double center_ns; /* mean lateness of its members above the median of the series */
    double low_ns, high_ns;
    uint64_t n;
    double p_value;
};

struct st_outlier_sizes {
    uint64_t outliers_n; /* later than above_ns */
    int64_t above_ns;    /* median + twice the width from 5 % to 95 %, as st_series_bulk */
    struct st_outlier_size cluster[ST_OUTLIER_SIZES_MAX]; /* the surest first */
    size_t n;
};

/**
 * @return 0, -ENODATA (empty), -ENOMEM. Threads: any.
 * Method: outliers within 6 % of each other, against those up to 39 % smaller. Where larger outliers are no
 * likelier than smaller ones, as in any tail that falls, their share among both is binomial with the two
 * widths at most; a cluster passes at 1 in 10000, all places counted, and with a quarter more than that
 * share.
 */
ST_NODISCARD int st_outlier_sizes_find(const struct st_series *series, struct st_outlier_sizes *ret);
/**
 * The same of a histogram, to the resolution of its buckets.
 * @return 0, -ENODATA (empty), -ERANGE (sizes above the median are too small for its buckets: less than a
 * hundred of them to the smallest outlier), -ENOMEM.
 */
ST_NODISCARD int st_outlier_sizes_of(const struct st_hist *hist, struct st_outlier_sizes *ret);

#endif
