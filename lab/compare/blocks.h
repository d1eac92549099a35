/* A run cut into up to 64 blocks of equal length, each a histogram: enough to draw whole blocks, in memory
 * that does not grow with n. */
#pragma once

#include "core/stats/hist.h"
#include "lab/compare/bursts.h"

#define ST_BLOCKS_MAX    64
#define ST_BLOCKS_DIGITS 3 /* of the histograms */

/** How many values fell into one bucket of a histogram of 3 digits. */
struct st_bucket_n {
    int32_t bucket; /* st_hist_index of a value >= 0; -1 - index of its magnitude for an early one */
    uint32_t n;     /* a bucket of more than 2^32 - 1 values stays at that */
};

/** One block of a run. */
struct st_block {
    struct st_bucket_n *buckets; /* ascending */
    size_t len;
    uint64_t n;                  /* values */
    uint64_t trials_n, missed_n; /* periods, and missed ones among them */
};

struct st_blocks {
    struct st_block block[ST_BLOCKS_MAX];
    size_t len;
    uint64_t n, trials_n, missed_n; /* of all blocks, once st_blocks_end was called */
    int64_t min_ns, max_ns;         /* exact */
    struct st_bursts bursts;        /* of missed periods */
    /* the block that is being filled */
    struct st_hist hist;
    uint64_t parts_n, parts_max; /* periods, of it and of a whole one */
    uint64_t hist_trials_n, hist_missed_n;
};

/** @return 0, -ENOMEM. Threads: one a st_blocks. Free with st_blocks_finish. */
ST_NODISCARD int st_blocks_init(struct st_blocks *blocks);
void st_blocks_finish(struct st_blocks *blocks);

/* Each returns 0 or -ENOMEM. When ST_BLOCKS_MAX blocks are full, neighbours become one: there are half as
 * many, twice as long, from then on. */

/** A period with its value. */
ST_NODISCARD int st_blocks_add(struct st_blocks *blocks, int64_t value_ns, bool missed);
/** n periods without a value: missed ones. */
ST_NODISCARD int st_blocks_add_missed(struct st_blocks *blocks, uint64_t n);
/** After the last one: the rest becomes a block, or joins the one before when it is short. */
ST_NODISCARD int st_blocks_end(struct st_blocks *blocks);

/** The middle of a bucket, ns. */
int64_t st_blocks_value(const struct st_blocks *blocks, int32_t bucket);
