/* A figure with its interval. */
#pragma once

#include "core/base.h"

struct st_estimate {
    bool known; /* false: too few values; the rest is 0 */
    double value;
    double low, high; /* interval */
};

/**
 * Figures of B against those of A, pair by pair, a few of which were struck by something else (a stall in one
 * block): median of the differences, with the 99 % interval of the sign test, which assumes nothing and
 * covers 99 % or more. Known from 8 pairs on. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_estimate_of_pairs(const double *a, const double *b, size_t pairs_n,
                                      struct st_estimate *ret);

/** 95 % interval of the share of n > 0 trials that events are. Threads: any. Source: E. B. Wilson, "Probable
 * inference, the law of succession, and statistical inference", 1927. */
void st_estimate_share(double events, double n, double *ret_low, double *ret_high);
