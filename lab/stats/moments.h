/* Mean and standard deviation. */
#pragma once

#include "core/base.h"

struct st_moments {
    uint64_t n;
    double mean, sd; /* sd is divided by n - 1; 0 for n < 2 */
};

/** Computes mean and standard deviation in two passes, so that large sums are not subtracted from
 * each other. Threads: any; no allocation. */
struct st_moments st_moments_of(const int64_t *values, size_t n);
