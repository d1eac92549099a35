/* A series as levels: medians of blocks of equally many samples, to see slow changes. */
#pragma once

#include "lab/stats/series.h"

#define ST_LEVELS_MAX       4096 /* of a series, or twice as many of one that is added piece by piece */
#define ST_LEVELS_MEDIAN_OF 255  /* samples, where it is added piece by piece; odd, and fits into a byte */

struct st_level {
    double value_ns;
    uint64_t first, last; /* period indices of its samples */
};

struct st_levels {
    struct st_period period;
    uint64_t first_index;  /* of the series */
    uint64_t samples_each; /* in a level */
    size_t n, room;
    struct st_level *level;
    /* the level that is being filled */
    int64_t *values; /* ST_LEVELS_MEDIAN_OF */
    size_t values_n;
    uint64_t first, medians_n;
    double medians_sum_ns;
    bool any;
};

/** Medians of blocks, outliers clipped (st_series_bulk): at most ST_LEVELS_MAX. Samples behind the last whole
 * block are left out. @return 0, -ENODATA (empty), -ENOMEM. Threads: any. Free with st_levels_finish. */
ST_NODISCARD int st_levels_of(const struct st_series *series, struct st_levels *ret);

/**
 * A series of any length, in memory that does not grow: the levels are medians of ST_LEVELS_MEDIAN_OF
 * samples; when there are 2 ST_LEVELS_MAX, two neighbours become their mean, and from then on so do the
 * medians of twice as many samples.
 * @return 0, -ENOMEM. Threads: one a st_levels. Free with st_levels_finish. */
ST_NODISCARD int st_levels_init(struct st_levels *levels, const struct st_period *period);
/** Samples of neighbouring periods, later than all before. No allocation. */
void st_levels_add(struct st_levels *levels, uint64_t first_index, const int64_t *lateness_ns, size_t n);

void st_levels_finish(struct st_levels *levels);
