/* Outliers of lateness: how many, how late, whether they form a group of their own, and whether they come at
 * regular times. */
#pragma once

#include "lab/stats/series.h"

struct st_late_ones {
    uint64_t n;
    int64_t limit_ns;         /* later than this: q3 and three interquartile ranges */
    int64_t low_ns, high_ns;  /* 5 % to 95 % of them */
    int64_t max_ns, below_ns; /* the latest, and the latest sample that is none */
    bool group;               /* they lie close together, far from all other samples */
    bool regular;             /* they come at equal distances */
    double first_periods, every_periods, every_s;
    int64_t train_limit_ns;   /* those later than this, limit_ns or more */
    double late_ns;           /* of these: median, above the median of all samples */
    uint64_t seen_n, slots_n; /* moments at that distance that had one, and all */
};

/** The moments of a train that are missing or have something else beside it: a quarter at most, or a quarter
 * of every few moments. Fewer than six in a row are no train, nor is one that chance makes out of independent
 * outliers in 1 of 10000 series. @param ret_rest the samples up to train_limit_ns that are not at its
 * moments, or all where none are regular; free it with st_series_finish. @return 0, -ENODATA (empty),
 * -ENOMEM. Threads: any. */
ST_NODISCARD int st_late_ones_find(const struct st_series *series, struct st_late_ones *ret,
                                   struct st_series *ret_rest);
