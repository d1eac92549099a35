/* Between lab/analyse/changes.c, which finds a trend and steps, and lab/analyse/changes_curve.c, which says
 * that they are a curve. */
#ifndef ST_LAB_ANALYSE_CHANGES_PRIVATE_H
#define ST_LAB_ANALYSE_CHANGES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/analyse/changes.h"

#define TREND_GROUPS 64
#define STEP_MIN_N   12 /* blocks on each side of a step */
#define STEP_MIN_NS  5
#define CURVE_MIN_NS 1 /* rounding makes curves of less */

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

struct st_change_trend {
    double slope; /* ns a second */
    double p_value;
};

struct st_change_cut {
    size_t at;
    double p_value;
};

struct st_change_model {
    struct st_change_trend trend;
    struct st_change_cut cuts[ST_CHANGES_STEPS_MAX];
    size_t cuts_n;
    double score; /* what it leaves, and what it takes to say it: less is better */
};

/** For qsort of doubles. */
int st_changes_compare(const void *a, const void *b);
/** Sorts values. n > 0. */
double st_changes_median(double *values, size_t n);
/** How much more sums of correlated values spread than sums of independent ones: 1 + twice the sum of the
 * autocorrelations, as far as pairs of them are positive (Geyer 1992). */
double st_changes_inflation(const double *values, size_t n);
/** Median in ns of blocks first .. end - 1. Uses b->work. */
double st_changes_level(struct st_change_blocks *b, size_t first, size_t end);

/** Does lateness jump where step i is, as seen from right before and right behind it? A curve that was cut
 * into steps does not. @param size_ns of the step; noise_ns of a block: standard deviations. */
bool st_changes_jumps_there(const struct st_change_blocks *b, const struct st_change_model *model, size_t i,
                            double size_ns, double noise_ns);
/** Is what line and steps leave, which is in b, anything but noise? Uses b->work and b->left. */
bool st_changes_is_curve(struct st_change_blocks *b, const struct st_change_model *model,
                         const struct st_changes *told, double noise_ns);
/** From end to end in ns, without the noise. */
double st_changes_range_ns(struct st_change_blocks *b);

#endif
