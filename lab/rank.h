/* Ranks, shared by items that the measurement does not distinguish. */
#pragma once

#include "lab/summary.h"

#define ST_RANK_MAX_N 4096

struct st_ranked {
    size_t id; /* the caller's */
    int64_t median_ns;
    unsigned rank;   /* 1: the least median */
    size_t better_n; /* how many are shown to be less */
};

/**
 * Sorts by median and fills the ranks. B is shown to be greater than A where the whole interval of the
 * difference is above 0. Two that are not distinguished always share a rank: a new one, which counts those
 * before it, begins only where all from there on are shown to be greater than all before. So different ranks
 * are a difference that is shown, of all pairs together: with n items that are the same, all have rank 1 in
 * 95 % of runs at least. The reverse does not hold: a chain may join two that differ; better_n shows it.
 *
 * All n (n - 1) / 2 pairs are compared. For all of them to hold together the intervals are those of Holm's
 * procedure: of confidence 1 - 0.05 / m, where m counts the pairs of which nothing is shown yet.
 * @param difference  by how much b's values are greater than a's, with an interval of that confidence,
 * two-sided;
 * @return 0 or -errno, which ends it.
 * @param ret_confidence  that of the last step: at it 0 is in the interval of exactly those that are not
 * distinguished.
 * @return 0, -ENOMEM, -E2BIG (n > ST_RANK_MAX_N) or difference's error. Threads: any.
 * Source: Holm, "A simple sequentially rejective multiple test procedure", 1979. */
ST_NODISCARD int st_rank(struct st_ranked *items, size_t n,
                         int (*difference)(const void *ctx, size_t a, size_t b, double confidence,
                                           struct st_quantile *ret),
                         const void *ctx, double *ret_confidence);
