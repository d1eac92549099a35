/* Figures of a sample for tables and documents: mean, spread, quartiles, extremes. */
#pragma once

#include <jansson.h>

#include "core/stats/stats.h"
#include "lab/stats/estimate.h"
#include "lab/stats/sample.h"

/** Figures of n values; if n is 0, all other members are 0. A quantile is known if at least 10
 * values lie beyond it. */
struct st_summary {
    uint64_t n;
    double mean_ns;
    bool sd_known; /* sd_ns is known: n >= 2 */
    double sd_ns;  /* standard deviation, divided by n - 1 */
    int64_t min_ns, max_ns;
    struct st_quantile q1, median, q3, p95, p99; /* with 95 % intervals */
    uint64_t outliers_n; /* values more than 1.5 interquartile ranges beyond q1 or q3, if these are
                            known */
};

/** Computes the figures of a sample (st_sample_of). Threads: any. */
void st_summary_of(const struct st_sample *sample, struct st_summary *ret);

/** Computes the median of values, for example of differences of pairs, and its interval by order
 * statistics (the inverse of the sign test, exact for any distribution). At a confidence of 0.95
 * the interval is known from 6 values on. Sorts the values. Threads: any. */
struct st_quantile st_summary_median_interval(int64_t *values_ns, size_t n, double confidence);

/**
 * The least n at which the 95 % interval of the median is narrow enough, for a distribution like
 * that of the sample: half of the interval is at most `share` of the median, or least_ns (a clock
 * step, below which values cannot differ). The interval of n values is estimated by order
 * statistics at the quantiles of the sample.
 * @return 20 .. max_n; 0: not even max_n values are enough, or the sample has fewer than 20.
 * Source: David & Nagaraja, Order Statistics, 7.1. */
uint64_t st_summary_median_enough_n(const struct st_sample *sample, double share, int64_t least_ns,
                                    uint64_t max_n);

/**
 * How large a sample must be so that a result of 0 from st_summary_median_enough_n means that max_n
 * values are too few. A sample of this size has 10 values inside the interval of the median that
 * max_n values would have; fewer do not show how wide that interval is. @return 0: max_n is below
 * 6, and the median has no interval. */
uint64_t st_summary_median_not_enough_min_n(uint64_t max_n);

/** {mean, sd, min, q1, median, q3, p95, p99, max, outliers}; unknown figures are null. */
json_t *st_summary_json(const struct st_summary *s);

/** [low, high] of a quantile, or null if its interval is unknown. */
json_t *st_summary_interval_json(const struct st_quantile *q);

/** A JSON array of n whole numbers. */
json_t *st_summary_integers_json(const int64_t *values, size_t n);
