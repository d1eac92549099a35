/* Mean and standard deviation. */
#pragma once

#include "core/base.h"

struct st_moments {
    uint64_t n;
    double mean, sd; /* sd: n - 1; 0 for n < 2 */
};

/** In two passes: no difference of large sums. Threads: any; no allocation. */
struct st_moments st_moments_of(const int64_t *values, size_t n);
