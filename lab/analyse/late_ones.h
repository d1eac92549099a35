/* Outliers of lateness: how many, how late, whether they form a group of their own, and whether
 * they come at regular times. */
#pragma once

#include "lab/stats/series.h"

struct st_late_ones {
    uint64_t n;
    int64_t limit_ns;        /* samples later than this are outliers: q3 + 3 interquartile ranges */
    int64_t low_ns, high_ns; /* 5 % and 95 % quantiles of the outliers */
    int64_t max_ns, below_ns; /* the latest outlier, and the latest sample that is not an outlier */
    bool group;               /* the outliers lie close together, far from all other samples */
    bool regular;             /* some outliers form a train: they come at equal distances in time */
    double first_periods, every_periods, every_s;
    int64_t train_limit_ns; /* the train consists of outliers later than this; limit_ns or more */
    double
        late_ns; /* median lateness of the outliers of the train, minus the median of all samples */
    uint64_t seen_n,
        slots_n; /* moments of the train that have an outlier, and all moments of the train */
};

/** Finds outliers, and among them a train: outliers at equal distances in time. At least three
 * quarters of the moments of a train must have an outlier; in a dense train, three quarters of
 * every second (third ... eighth) moment are enough, if the moments between have more outliers than
 * chance makes. A train has six outliers or more, and independent outliers form one by chance in
 * fewer than 1 of 10000 series.
 * @param ret_rest the samples up to train_limit_ns that are not near a moment of the train, or all
 * samples if there is no train; free it with st_series_finish. @return 0, -ENODATA (empty),
 * -ENOMEM. Threads: any. */
ST_NODISCARD int st_late_ones_find(const struct st_series *series, struct st_late_ones *ret,
                                   struct st_series *ret_rest);
