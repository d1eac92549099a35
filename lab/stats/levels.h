/* A series reduced to levels, the medians of blocks of equally many samples, which show slow
 * changes. */
#pragma once

#include "lab/stats/series.h"

#define ST_LEVELS_MAX 4096

struct st_level {
    double value_ns;
    uint64_t first, last; /* period indices of the first and the last sample of the block */
};

struct st_levels {
    struct st_period period;
    uint64_t first_index; /* period index of the first sample of the series */
    size_t n;
    struct st_level *level;
};

/** Computes the medians of up to ST_LEVELS_MAX blocks, after clipping outliers (st_series_bulk).
 * Samples after the last whole block are left out. @return 0, -ENODATA (empty), -ENOMEM. Threads:
 * any. Free with st_levels_finish. */
ST_NODISCARD int st_levels_of(const struct st_series *series, struct st_levels *ret);

void st_levels_finish(struct st_levels *levels);
