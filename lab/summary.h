/* What a table says of a sample: mean, spread, quartiles, extremes. */
#pragma once

#include <jansson.h>

#include "core/stats/stats.h"
#include "lab/stats/estimate.h"
#include "lab/stats/sample.h"

/** Of n values; all but n is 0 when n is 0. A quantile is known where 10 values at least lie beyond it. */
struct st_summary {
    uint64_t n;
    double mean_ns;
    bool sd_known; /* n >= 2 */
    double sd_ns;  /* standard deviation, n - 1 */
    int64_t min_ns, max_ns;
    struct st_quantile q1, median, q3, p95, p99; /* with 95 % intervals */
    uint64_t outliers_n; /* more than 1.5 interquartile ranges beyond q1 or q3, where these are known */
};

/** sample: of an array (st_sample_of). Threads: any. */
void st_summary_of(const struct st_sample *sample, struct st_summary *ret);

/** Median of values, differences of pairs for example, with its interval (order statistics: the sign test
 * turned round, exact for any distribution). Known from 6 values on at a confidence of 0.95. Sorts the
 * values. Threads: any. */
struct st_quantile st_summary_median_interval(int64_t *values_ns, size_t n, double confidence);

/* Figures of a sample as the documents of the laboratory have them. */

/**
 * The least n at which the 95 % interval of the median is good enough for a distribution like the sample's:
 * half of it is no wider than `share` of the median, or than least_ns (the clock cannot tell finer). The
 * interval of n values is that of order statistics, at the sample's own quantiles.
 * @return 20 .. max_n; 0: not even max_n is enough, or the sample has fewer than 20 values to tell it from.
 * Source: David & Nagaraja, Order Statistics, 7.1. */
uint64_t st_summary_median_enough_n(const struct st_sample *sample, double share, int64_t least_ns,
                                    uint64_t max_n);

/**
 * How many samples it takes to conclude from a 0 of st_summary_median_enough_n that max_n values would not be
 * enough: 10 of them lie where the interval of max_n values would. Fewer do not show how wide that is. 0:
 * none do (max_n < 6). */
uint64_t st_summary_median_not_enough_min_n(uint64_t max_n);

/** {mean, sd, min, q1, median, q3, p95, p99, max, outliers}; what is not known is null. */
json_t *st_summary_json(const struct st_summary *s);

/** [low, high] of a quantile that is known with its interval, or null. */
json_t *st_summary_interval_json(const struct st_quantile *q);

/** An array of whole numbers. */
json_t *st_summary_integers_json(const int64_t *values, size_t n);
