/* How much B differs from A, with an interval: quantiles, means and rates of two samples. The same random
 * numbers give the same interval. */
#ifndef ST_LIB_BOOTSTRAP_H
#define ST_LIB_BOOTSTRAP_H

#include <stdbool.h>

#include "lib/random.h"
#include "lib/sample.h"

#define ST_BOOTSTRAP_BLOCKS_MIN 5

/** How often an interval holds the true effect. Who looks at many effects at once takes the higher one. */
enum st_confidence { ST_CONFIDENCE_95, ST_CONFIDENCE_99 };

enum st_effect {
    ST_EFFECT_DIFFERENCE, /* B - A, ns (a rate: events per trial) */
    ST_EFFECT_RATIO,      /* B / A */
};

/** B against A. */
struct st_estimate {
    bool known;       /* false: too few values, or a ratio to something that is not above 0; the rest is 0 */
    double value;     /* of the samples themselves; INFINITY: a rate against none */
    double low, high; /* interval, of 95 % where nothing else is said; high is INFINITY where a ratio has no
                         upper bound */
};

/** Does the interval leave "no effect" (0, or a ratio of 1) out? */
bool st_estimate_shows(const struct st_estimate *estimate, enum st_effect effect);

/** Half the width of the interval: an effect much smaller than this would not have been seen. The width
 * shrinks with the square root of n. */
double st_estimate_resolution(const struct st_estimate *estimate);

/**
 * Quantile p of B against that of A, for independent values (no stalls that hit several in a row: then use
 * blocks). The resamples are never drawn: which order statistic is the quantile of one has a binomial
 * distribution, so a resample costs one look-up in the sorted values, whatever n is.
 * Known when both samples have 10 / (1 - p) values at least, and order statistics around the quantile.
 * @param p in (0, 1). @return 0, -EINVAL, -ENOMEM. Threads: any. 10000 resamples, some ms.
 * Source: Schultzberg & Ankargren, "Resampling-free bootstrap inference for quantiles", 2022 (binomial
 * index); Beran & Hall, "Interpolated nonparametric prediction intervals and confidence intervals", 1993
 * (between two order statistics).
 */
ST_NODISCARD int st_bootstrap_quantile(const struct st_sample *a, const struct st_sample *b, double p,
                                       enum st_effect effect, struct st_random *random,
                                       struct st_estimate *ret);

/** The values of one arm of an interleaved run, each with the block that it was measured in. */
struct st_blocked {
    const int64_t *values_ns; /* any order */
    const uint32_t *blocks;   /* of each value: 0 .. blocks_n - 1; A's block i was measured beside B's */
    size_t n;
};

/**
 * The same for values that depend on each other within a block (a stall, a slow drift): whole pairs of blocks
 * are resampled, so that the interval holds what differs from block to block. Quantiles are those of all
 * values of a resample together, which suits the tail; the interval is widened for few blocks, and errs on
 * the wide side where blocks drift by more than the values within one scatter (then for a median:
 * st_effect_of_pairs). Known from ST_BOOTSTRAP_BLOCKS_MIN blocks with values on both sides and 10 / (1 - p)
 * values a side on.
 * @return 0, -EINVAL (also a block >= blocks_n), -ENOMEM. Time: some 40 million steps at most.
 * Source: Davison & Hinkley, "Bootstrap Methods and their Application", 1997, 3.8; Hesterberg, "What
 * Teachers Should Know About the Bootstrap", 2015 (expanded percentile interval).
 */
ST_NODISCARD int st_bootstrap_quantile_blocked(const struct st_blocked *a, const struct st_blocked *b,
                                               uint32_t blocks_n, double p, enum st_effect effect,
                                               enum st_confidence confidence, struct st_random *random,
                                               struct st_estimate *ret);

/**
 * Mean of B against mean of A, independent values. Known from 5 values a side on.
 * @return 0, -EINVAL, -ENOMEM. Time: some 40 million steps at most. Source: Hesterberg 2015.
 */
ST_NODISCARD int st_bootstrap_mean(const int64_t *a_ns, size_t a_n, const int64_t *b_ns, size_t b_n,
                                   enum st_effect effect, struct st_random *random, struct st_estimate *ret);

/**
 * Figures of B against those of A, pair by pair: medians of blocks that were measured side by side, CPU times
 * of two programs that ran at once ... What both have in common (a slow drift) drops out. Mean of the
 * differences, or geometric mean of the ratios. Known from ST_BOOTSTRAP_BLOCKS_MIN pairs on; a ratio, if all
 * are finite and above 0. Figures that are medians or means of some 20 values are near enough to normal ones
 * for Student's interval, which is right for 5 pairs, where a resampled one is too narrow (covers 91 %).
 * Threads: any.
 */
void st_effect_of_pairs(const double *a, const double *b, size_t pairs_n, enum st_effect effect,
                        struct st_estimate *ret);

/**
 * The same for pairs of which a few were struck by something else (a stall in one block): median of the
 * differences or ratios, with the interval of the sign test, which assumes nothing and covers the confidence
 * at least. On quiet data some 25 % wider than st_effect_of_pairs. Known from 6 pairs on, with 99 % from 8.
 * @return 0, -ENOMEM. Threads: any.
 */
ST_NODISCARD int st_median_effect_of_pairs(const double *a, const double *b, size_t pairs_n,
                                           enum st_effect effect, enum st_confidence confidence,
                                           struct st_estimate *ret);

/** 95 % interval of the share of n > 0 trials that events are. Threads: any. Source: E. B. Wilson, "Probable
 * inference, the law of succession, and statistical inference", 1927. */
void st_rate_interval(double events, double n, double *ret_low, double *ret_high);

/**
 * Rate of events in B (events_b of n_b) against that in A; also right where one of them is 0. No random
 * numbers: difference by Newcombe's hybrid score interval, ratio by the share of B in all events. Known from
 * one trial a side on; a ratio needs an event on some side, and is INFINITY when A has none.
 * @return 0, -EINVAL (more events than trials).
 * Source: Newcombe, "Interval estimation for the difference between independent proportions", 1998, method
 * 10; Przyborowski & Wilenski 1940 with Wilson's interval.
 */
ST_NODISCARD int st_rate_effect(uint64_t events_a, uint64_t n_a, uint64_t events_b, uint64_t n_b,
                                enum st_effect effect, struct st_estimate *ret);

#endif
