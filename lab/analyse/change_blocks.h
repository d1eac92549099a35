/* Levels of a series, of which trend, steps and curves are told. */
#ifndef ST_LAB_ANALYSE_CHANGE_BLOCKS_H
#define ST_LAB_ANALYSE_CHANGE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "core/stats/levels.h"

struct st_change_ranked {
    double value;
    size_t at;
};

/* Levels, what is left of them while trend and steps are taken away. */
struct st_change_blocks {
    size_t n;
    double *value_ns;
    double *time_s;  /* of the middle */
    uint64_t *index; /* of the first sample, from the first of all */
    double *work;    /* room for as many */
    double *left;    /* and what a model leaves */
    struct st_change_ranked *ranked;
    double least_step_ns;
};

/** Of levels, or of the means of so many neighbours that there are ST_LEVELS_MAX at most. @return 0 or
 * -ENOMEM. Free with st_change_blocks_free. */
ST_NODISCARD int st_change_blocks_make(const struct st_levels *levels, struct st_change_blocks *ret);
void st_change_blocks_free(struct st_change_blocks *b);

/** For qsort of doubles. */
int st_change_blocks_compare(const void *a, const void *b);
/** Sorts values. n > 0. */
double st_change_blocks_median(double *values, size_t n);
/** How much more sums of correlated values spread than sums of independent ones: 1 + twice the sum of the
 * autocorrelations, as far as pairs of them are positive (Geyer 1992). */
double st_change_blocks_inflation(const double *values, size_t n);
/** Median in ns of blocks first .. end - 1. Uses b->work. */
double st_change_blocks_level(struct st_change_blocks *b, size_t first, size_t end);

#endif
