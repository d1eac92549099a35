/* Does the machine wake at clock ticks only? Lateness is then a sawtooth: it grows or falls steadily, by the
 * drift of tick against clock or by what the period is more than whole ticks, and jumps back by one tick. */
#pragma once

#include "lab/stats/series.h"

#define ST_TICKS_SAMPLES_MIN 64

struct st_ticks {
    bool found;
    double tick_ns;        /* as measured: from all wake-ups where the drift is known, else from the jumps */
    double tick_sd_ns;     /* its standard error */
    int hz;                /* the whole rate that fits, a usual one first; 0: none fits, or none is sure */
    double slope_ns_per_s; /* between the jumps; of the two that explain the same samples the flatter one */
    double slope_sd_ns_per_s; /* its standard error */
    double tooth_s;           /* from jump to jump: tick / slope; 0: the slope is zero */
    bool drift_known;         /* with hz only */
    double drift_ppm;         /* ticks are so much longer than 1 / hz */
    double drift_sd_ppm;      /* its standard error */
    double unseen_ppm; /* of drift a loop that steers the tick may have made or taken away so slowly that it
                          would not show */
    bool slope_modulo; /* with modulo_ppm more or less of drift, 500 ppm at most, samples would be the same:
                          then neither slope nor drift nor an added tick is known */
    double modulo_ppm; /* a tick a period */
    int extra_ticks;   /* whole ticks that are added to each sleep; -1: not known */
    uint64_t jumps_n;
    double residual_sd_ns; /* what the sawtooth leaves */
    double p_value;
};

/**
 * @return 0 (also when nothing is found), -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any.
 * Method: the differences of neighbouring samples have two tight clusters, one tick apart; the sawtooth that
 * follows is fitted to all samples but outliers (at most 5 %) by least squares, and must leave an eighth of a
 * tick or less of spread. p is that of the F test of the sawtooth's residuals against a constant's, times the
 * square of the number of samples for the places looked at.
 * Where a loop steers the tick, the slope changes: nothing is found where one slope leaves three times what
 * neighbours differ by, a tick that is not as long as the jumps by five standard errors, or means of 12
 * parts that move (chi-squared, 1 in 10 million). */
ST_NODISCARD int st_ticks_find(const struct st_series *series, struct st_ticks *ret);

/* --- which rate has a tick of this length? --- */

/** Of a tick against its nominal rate: no clock that is of use drifts by more. */
#define ST_TICK_DRIFT_MAX_PPM 500

/** @param tick_ns > 0, with its standard error. @return the whole rate in Hz that it has, within four of
 * these and the drift that ticks may have: a usual one (lab/analyse/periodic.h) if one fits; 0: none.
 * Threads: any. */
int st_ticks_rate_of(double tick_ns, double tick_sd_ns);

/** By how many Hz the rate of such a tick may differ: four standard errors, and that drift. */
double st_ticks_rate_error(double tick_ns, double tick_sd_ns);

/** Is that a rate that kernels have? */
bool st_ticks_is_usual(int hz);

/** @return the commonest rate in Hz of those that kernels' schedulers have (24 to 1024), with a tick within
 * 12 % of length_ns; 0: none. */
int st_ticks_rate_about(double length_ns);
