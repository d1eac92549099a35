/* Does lateness drift or jump? */
#pragma once

#include "lab/stats/levels.h"

#define ST_CHANGES_SAMPLES_MIN 64
#define ST_CHANGES_STEPS_MAX   8

struct st_step {
    uint64_t index; /* of the first period after it, from the first sample on; to the width of a level */
    double at_s;    /* seconds after the first sample was due */
    double size_ns; /* median after less median before, to the next steps on both sides */
    int tick_hz;    /* a usual rate with a tick of about this size: it may be one; 0: none */
};

struct st_changes {
    bool trend_found;
    double slope_ns_per_s; /* median of the slopes between two of up to 64 parts (Theil 1950, Sen 1968) */
    struct st_step steps[ST_CHANGES_STEPS_MAX]; /* by time */
    size_t steps_n;
    bool moves; /* more than noise does, but neither by a line nor by steps; then neither is reported */
};

/**
 * A line that leaves no steps, or up to eight steps, whichever leaves less. Tests: Mann (1945) and Kendall
 * for the line, at 1 in 100000; Pettitt (1979) for a step, of ranks, at 1 in a million. Both ask for
 * independent values: their variance is multiplied by 1 + twice the sum of the autocorrelations. A step is
 * one only at 1 in 10^10, and where what lies right before and right behind it differs by half of it; else
 * lateness moves.
 * @return 0, -ENODATA (fewer than 64 levels), -ENOMEM. Threads: any. */
ST_NODISCARD int st_changes_of(const struct st_levels *levels, struct st_changes *ret);
