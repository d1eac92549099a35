/* Does lateness drift or jump? */
#pragma once

#include "lab/stats/levels.h"

#define ST_CHANGES_SAMPLES_MIN 64
#define ST_CHANGES_STEPS_MAX   8

struct st_step {
    uint64_t index; /* of the first period after it, from the first sample on; to the width of a block */
    double at_s;    /* seconds after the first sample was due */
    double size_ns; /* median after less median before, to the next steps on both sides */
    double p_value;
    int tick_hz; /* a usual rate with a tick of about this size: it may be one; 0: none */
};

struct st_changes {
    bool trend_found;
    double slope_ns_per_s; /* median of the slopes between two of up to 64 parts (Theil 1950, Sen 1968) */
    double trend_p_value;
    struct st_step steps[ST_CHANGES_STEPS_MAX]; /* by time */
    size_t steps_n;
    bool curve_found; /* it moves, but neither by a line nor by steps; then neither is reported */
};

/**
 * A trend and up to eight steps, none of less than a twentieth of the largest: what is so small beside it may
 * be the end of what made that. Looked for in the levels of up to 4096 blocks. Each is looked for in what the
 * other leaves, until both stay.
 * @return 0, -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any.
 * Tests: Mann (1945) and Kendall for the trend, Pettitt (1979) for a step; both ask for ranks only, and for
 * independent values: their variance is multiplied by 1 + twice the sum of the autocorrelations. As that is
 * an estimate, a trend passes at 1 in 100000 and a step at 1 in a million. What passes is a curve instead
 * where what is left moves slowly (von Neumann 1941), where a curve of third degree fits better than the
 * steps, or where lateness does not jump at a step: by less than half of it between the samples right before
 * and right behind. */
ST_NODISCARD int st_changes_find(const struct st_series *series, struct st_changes *ret);
/** The same of levels that are there already. @return 0, -ENODATA (fewer than 64), -ENOMEM. */
ST_NODISCARD int st_changes_of(const struct st_levels *levels, struct st_changes *ret);
