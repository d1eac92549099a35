/* Are the trend and the steps that were found a curve? */
#ifndef ST_LAB_ANALYSE_CHANGES_CURVE_H
#define ST_LAB_ANALYSE_CHANGES_CURVE_H

#include <stdbool.h>

#include "lab/analyse/change_blocks.h"
#include "lab/analyse/changes.h"

#define TREND_GROUPS 64
#define STEP_MIN_N   12 /* blocks on each side of a step */
#define STEP_MIN_NS  5
#define CURVE_MIN_NS 1 /* rounding makes curves of less */

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

/** Does lateness jump where step i is, as seen from right before and right behind it? A curve that was cut
 * into steps does not. @param size_ns of the step; noise_ns of a block: standard deviations. */
bool st_changes_curve_jumps_there(const struct st_change_blocks *b, const struct st_change_model *model,
                                  size_t i, double size_ns, double noise_ns);
/** Is what line and steps leave, which is in b, anything but noise? Uses b->work and b->left. */
bool st_changes_curve_is_there(struct st_change_blocks *b, const struct st_change_model *model,
                               const struct st_changes *told, double noise_ns);

#endif
