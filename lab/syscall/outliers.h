/* The warm-up of a call: its first values, which are outliers. */
#pragma once

#include "core/base.h"

/* The first calls of a series, dearer than the rest: cold caches, lazy binding, first page faults. */

/** In fewer values than this a warm-up cannot be found. */
#define ST_WARM_UP_MIN_N 20

/**
 * How many of the first values belong to the warm-up: the change point before which most values lie above
 * the upper outlier fence (Q3 + 1.5 IQR) of the second half, which is taken for the steady state. Each value
 * above counts +1, each other one -1; the warm-up ends where the sum from the start is highest (0: nowhere
 * above 0). Of a steady series the first value is taken for warm-up as often as any of it is an outlier
 * (0.35 % where it is normally distributed).
 * @param values_ns in the order in which they were measured. @param scratch room for n values; overwritten.
 * @return 0 .. n / 2. Threads: any.
 * Source of the sum: Page, "Continuous inspection schemes", 1954; of the fence: Tukey 1977. */
size_t st_outliers_warm_up_n(const int64_t *values_ns, size_t n, int64_t *scratch);
