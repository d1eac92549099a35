/* Mean and standard deviation of any number of values, in one pass. */
#pragma once

#include "core/base.h"

struct st_moments {
    uint64_t n;
    double mean;
    double square; /* sum of squares around the mean */
};

/**
 * Adds values; all zeros is the beginning. Threads: one a st_moments; no allocation.
 * Source: Chan, Golub & LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances",
 * 1979: no difference of large sums, and best with many values a call. */
void st_moments_add(struct st_moments *moments, const int64_t *values, size_t n);

/** Standard deviation, n - 1. @return 0 for n < 2. */
double st_moments_sd(const struct st_moments *moments);
