/* Does lateness follow a line or jump in steps over the whole series? */
#pragma once

#include "lab/stats/levels.h"

#define ST_CHANGES_SAMPLES_MIN 64
#define ST_CHANGES_STEPS_MAX   8

struct st_step {
    uint64_t index; /* first period after the step, counted from the first sample; exact to the
                       length of one block of samples (levels.h) */
    double at_s;    /* time of the step, in seconds after the first sample was due */
    double size_ns; /* median of the lateness from this step to the next one, minus the median from
                       the previous step to this one */
    int tick_hz; /* usual tick rate whose tick is about as long as the step, so that the step may be
                    one tick; 0: none */
};

struct st_changes {
    bool trend_found;
    double slope_ns_per_s; /* median of the slopes between all pairs of up to 64 group medians
                              (Theil 1950, Sen 1968) */
    struct st_step steps[ST_CHANGES_STEPS_MAX]; /* in order of time */
    size_t steps_n;
    bool moves; /* the level changes by more than noise, but neither along a line nor in steps; then
                   neither is reported */
};

/** Fits a line and up to eight steps to the levels, and reports the one with the smaller residuals;
 * the line only if no steps remain after it is subtracted. Tests: Mann (1945) and Kendall for the
 * line, with a p-value below 1e-5; Pettitt (1979), which uses ranks, for a step, with a p-value
 * below 1e-6. Both tests assume independent values, so their variance is multiplied by 1 + twice
 * the sum of the autocorrelations. A step is reported only if its p-value is below 1e-10 and the
 * levels right before and right after it differ by half of its size or more; otherwise `moves` is
 * set.
 * @return 0, -ENODATA (fewer than 64 levels), -ENOMEM. Threads: any. */
ST_NODISCARD int st_changes_of(const struct st_levels *levels, struct st_changes *ret);
