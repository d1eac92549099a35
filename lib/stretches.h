/* A run cut into stretches of which some are drawn, any of them more than once: quantiles and misses of what
 * was drawn. */
#ifndef ST_LIB_STRETCHES_H
#define ST_LIB_STRETCHES_H

#include "lib/blocks.h"

struct st_stretches {
    const struct st_blocks *blocks;
    size_t len; /* stretches: a block each, or more of them once they were joined */
    size_t values_n;
    double *values;       /* distinct ones, ascending */
    uint64_t *cumulative; /* [value][stretch]: how many of the stretch's are <= it */
    double n[ST_BLOCKS_MAX], trials_n[ST_BLOCKS_MAX], missed_n[ST_BLOCKS_MAX];
    uint64_t times[ST_BLOCKS_MAX]; /* how often each stretch was drawn */
};

/** Each block is a stretch, drawn once. @param blocks borrowed. @return 0, -ENOMEM. */
ST_NODISCARD int st_stretches_init(struct st_stretches *run, const struct st_blocks *blocks);
void st_stretches_finish(struct st_stretches *run);

/** Stretches of twice the length: two neighbours become one. */
void st_stretches_join(struct st_stretches *run);
/** Of a row of a table with a column for each stretch: columns 2k and 2k + 1 become one. */
void st_join_doubles(double *row, size_t len);

/** Bucket of the p-quantile, while each stretch is drawn once; what lies above it is known to be some, or
 * there is one bucket only. */
size_t st_stretches_bucket(const struct st_stretches *run, double p);
/**
 * Do neighbours depend on each other? How much more the stretches' counts scatter than those of independent
 * events would: the ratio of the variances, which is also how many times as many values tell as much.
 * @param bucket counts values above it; SIZE_MAX: missed periods. @param known of bursts that are so large
 * (1: none): p is of what scatters more than they do. @param ret_p how often independent ones scatter so
 * much. @return 1: no more than that, or too few to count. Source: Fisher's index of dispersion.
 */
double st_stretches_scatter(const struct st_stretches *run, size_t bucket, double known, double *ret_p);

/** Draws as many stretches as there are. */
void st_stretches_draw(struct st_stretches *run, struct st_random *random);

/* Of what was drawn: */

/** Values that are <= value i. */
uint64_t st_stretches_count(const struct st_stretches *run, size_t i);
double st_stretches_quantile(const struct st_stretches *run, double p);
/** Share of the periods. */
double st_stretches_missed(const struct st_stretches *run);

#endif
