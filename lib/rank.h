/* Ranks that are shared where two cannot be told apart. */
#ifndef ST_LIB_RANK_H
#define ST_LIB_RANK_H

#include "lib/summary.h"

struct st_ranked {
    size_t id; /* the caller's */
    int64_t median_ns;
    unsigned rank; /* 1: the least median; who cannot be told from the first of a rank shares it */
};

/**
 * Sorts by median and fills the ranks: a new one begins where the whole interval of the difference to the
 * first of the rank before is above 0.
 * @param difference  by how much b's values are greater than a's; @return 0 or -errno, which ends it.
 * @return 0 or difference's error. Threads: any.
 */
ST_NODISCARD int st_rank(struct st_ranked *items, size_t n,
                         int (*difference)(const void *ctx, size_t a, size_t b, struct st_quantile *ret),
                         const void *ctx);

#endif
