/* A figure with its interval. */
#pragma once

#include "core/base.h"

/** How often an interval holds the true value. */
enum st_confidence { ST_CONFIDENCE_95, ST_CONFIDENCE_99 };

struct st_estimate {
    bool known; /* false: too few values; the rest is 0 */
    double value;
    double low, high; /* interval, of 95 % where nothing else is said */
};

/**
 * Figures of B against those of A, pair by pair, a few of which were struck by something else (a stall in one
 * block): median of the differences, with the interval of the sign test, which assumes nothing and covers the
 * confidence at least. Known from 6 pairs on, with 99 % from 8. @return 0, -ENOMEM. Threads: any. */
ST_NODISCARD int st_estimate_of_pairs(const double *a, const double *b, size_t pairs_n,
                                      enum st_confidence confidence, struct st_estimate *ret);

/** 95 % interval of the share of n > 0 trials that events are. Threads: any. Source: E. B. Wilson, "Probable
 * inference, the law of succession, and statistical inference", 1927. */
void st_estimate_share(double events, double n, double *ret_low, double *ret_high);
