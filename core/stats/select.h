/* The value at a rank, without sorting. */
#ifndef ST_CORE_STATS_SELECT_H
#define ST_CORE_STATS_SELECT_H

#include "core/base.h"

/**
 * The value that would be at `rank` (0 .. n - 1) of the sorted values. Reorders them: smaller ones rank
 * before it, larger ones behind it. Threads: any; no allocation; time in proportion to n, whatever the order.
 * Source: Hoare, "Algorithm 65: Find", 1961, with random pivots.
 */
int64_t st_select(int64_t *values, size_t n, size_t rank);

#endif
