/* Statistics that need no assumption about the distribution. */
#pragma once

#include "core/stats/hist.h"

/** A quantile with its interval. `known` is false if n < 10 / (1 - p); such a quantile must not be printed
 * (JSON: null). */
struct st_quantile {
    double p;
    uint64_t n;
    bool known;
    int64_t value_ns;
    bool interval_known;     /* the order statistics for the interval exist */
    int64_t low_ns, high_ns; /* confidence interval */
};

/**
 * Ranks (1-based) of the order statistics that bound the p-quantile with at least `confidence`
 * (distribution-free: binomial; normal approximation with continuity correction from n*p*(1-p) > 1000 on).
 * @return 0 or -ENODATA when n is too small for such an interval. Source: David & Nagaraja, Order
 * Statistics, 7.1. */
ST_NODISCARD int st_stats_quantile_ranks(uint64_t n, double p, double confidence, uint64_t *ret_low,
                                         uint64_t *ret_high);

/** Quantile p of a histogram, with a 95 % interval. */
struct st_quantile st_stats_quantile(const struct st_hist *hist, double p);

void st_stats_sort_double(double *values, size_t n);

/** The smallest n for which quantile p is printed: ceil(10 / (1 - p)); 20 for the median, 1000 for p99. */
uint64_t st_stats_quantile_min_n(double p);

/** P(X <= x) of a gamma variable of this shape (> 0) and scale 1, x > 0. Equals the probability of at
 * least `shape` events where x are expected (Poisson). */
double st_stats_gamma_below(double shape, double x);

/** The x with P(X <= x) = q of a gamma variable of this shape (> 0) and scale 1. After k events, the upper
 * bound of a Poisson mean uses shape k + 1, the lower bound shape k. */
double st_stats_gamma_quantile(double q, double shape);

/** Upper 95 % bound for the mean after `events` (exact Poisson; 2.996 for 0 events). */
double st_stats_rate_max95(uint64_t events);
