/* A figure with its confidence interval. */
#pragma once

#include "core/base.h"

struct st_estimate {
    bool known; /* false: there are too few values, and the other members are 0 */
    double value;
    double low, high; /* ends of the interval */
};

/**
 * Estimates b - a from pairs of figures, a few of which may be disturbed (for example by a stall in
 * one block): median of the differences, with the 99 % interval of the sign test, which assumes no
 * distribution and covers 99 % or more. Known from 8 pairs on. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_estimate_of_pairs(const double *a, const double *b, size_t pairs_n,
                                      struct st_estimate *ret);

/** 95 % interval of a share, when `events` of n > 0 trials were events. Threads: any. Source: E. B.
 * Wilson, "Probable inference, the law of succession, and statistical inference", 1927. */
void st_estimate_share(double events, double n, double *ret_low, double *ret_high);
