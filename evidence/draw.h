/* The blocks of a run, some of which are drawn, any of them more than once: quantiles and misses of what was
 * drawn. Only pairs.c uses this. */
#ifndef ST_EVIDENCE_DRAW_H
#define ST_EVIDENCE_DRAW_H

#include "core/stats/random.h"
#include "evidence/blocks.h"

struct st_draw {
    const struct st_blocks *blocks;
    size_t len; /* blocks, fewer once they were joined */
    size_t values_n;
    double *values;       /* distinct ones, ascending */
    uint64_t *cumulative; /* [value][block]: how many of the block's are <= it */
    double n[ST_BLOCKS_MAX], trials_n[ST_BLOCKS_MAX], missed_n[ST_BLOCKS_MAX];
    uint64_t times[ST_BLOCKS_MAX]; /* how often each block was drawn */
};

/** Each block is drawn once. @param blocks borrowed. @return 0, -ENOMEM. */
ST_NODISCARD int st_draw_init(struct st_draw *run, const struct st_blocks *blocks);
void st_draw_finish(struct st_draw *run);

/** Blocks of twice the length: two neighbours become one. */
void st_draw_join(struct st_draw *run);

/** Bucket of the p-quantile, while each block is drawn once. Some values lie above it, unless there is one
 * bucket only. */
size_t st_draw_bucket(const struct st_draw *run, double p);
/**
 * Do neighbours depend on each other? Counts of the blocks vary more then than those of independent events.
 * @param bucket counts values above it; SIZE_MAX: missed periods. @param known mean size of bursts that are
 * known of (1: none): p is of what varies by more than they do. @param ret_p probability that independent
 * events vary as much.
 * @return the ratio of the variances, which is also how many of the values tell as much as one independent
 * value; 1: no more than chance, or too few to count. Source: Fisher's index of dispersion.
 */
double st_draw_scatter(const struct st_draw *run, size_t bucket, double known, double *ret_p);

/** Draws as many blocks as there are. */
void st_draw_again(struct st_draw *run, struct st_random *random);

/* Of what was drawn: */

double st_draw_quantile(const struct st_draw *run, double p);
/** Share of the periods. */
double st_draw_missed(const struct st_draw *run);

#endif
