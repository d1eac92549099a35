/* Quantiles and bounds of rates, without assumptions about the distribution of lateness. */
#pragma once

#include "core/stats/hist.h"

/** A quantile with its confidence interval. `known` is false if there are too few values (n < 10 /
 * (1 - p)); such a quantile must not be printed (JSON: null). */
struct st_quantile {
    double p;
    uint64_t n;
    bool known;
    int64_t value_ns;
    bool interval_known;     /* there are enough values for the interval */
    int64_t low_ns, high_ns; /* bounds of the 95 % confidence interval */
};

/** Ranks (1-based) of the values that bound the p-quantile with at least this confidence, for any
 * distribution: binomial; from n*p*(1-p) > 1000 on normal approximation with continuity correction.
 * @return 0 or -ENODATA when n is too small for such an interval. Source: David & Nagaraja, Order
 * Statistics, 7.1. */
ST_NODISCARD int st_stats_quantile_ranks(uint64_t n, double p, double confidence, uint64_t *ret_low,
                                         uint64_t *ret_high);

/** Quantile p of a histogram, with a 95 % interval. */
struct st_quantile st_stats_quantile(const struct st_hist *hist, double p);

/** Sorts n values, smallest first. Threads: any. */
void st_stats_sort_double(double *values, size_t n);

/** The smallest number of values for which quantile p is printed: ceil(10 / (1 - p)); 20 for the
 * median, 1000 for p99. */
uint64_t st_stats_quantile_min_n(double p);

/** P(X <= x) of a gamma variable with this shape (> 0) and scale 1, x > 0. It equals the
 * probability of at least `shape` events if x are expected (Poisson). */
double st_stats_gamma_below(double shape, double x);

/** The x with P(X <= x) = q of a gamma variable with this shape (> 0) and scale 1. After k events,
 * the upper bound of a Poisson mean has shape k + 1, the lower bound shape k. */
double st_stats_gamma_quantile(double q, double shape);

/** Upper 95 % bound of the expected number of events after `events` were seen (exact Poisson; 2.996
 * for 0 events). */
double st_stats_rate_max95(uint64_t events);
