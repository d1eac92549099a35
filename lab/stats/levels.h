/* A series as levels: medians of blocks of equally many samples, to see slow changes. */
#pragma once

#include "lab/stats/series.h"

#define ST_LEVELS_MAX 4096

struct st_level {
    double value_ns;
    uint64_t first, last; /* period indices of its samples */
};

struct st_levels {
    struct st_period period;
    uint64_t first_index; /* of the series */
    size_t n;
    struct st_level *level;
};

/** Medians of blocks, outliers clipped (st_series_bulk): at most ST_LEVELS_MAX. Samples behind the last whole
 * block are left out. @return 0, -ENODATA (empty), -ENOMEM. Threads: any. Free with st_levels_finish. */
ST_NODISCARD int st_levels_of(const struct st_series *series, struct st_levels *ret);

void st_levels_finish(struct st_levels *levels);
