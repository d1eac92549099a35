/* Does the machine wake programs at clock ticks only? Lateness is then a sawtooth: it grows or
 * falls steadily, because ticks drift against the clock or the period is not a whole number of
 * ticks, and jumps back by one tick. */
#pragma once

#include "lab/stats/series.h"

#define ST_TICKS_SAMPLES_MIN 64

struct st_ticks {
    bool found;
    double tick_ns; /* length of a tick as measured: from all wake-ups if the drift is known, else
                       from the jumps */
    double tick_sd_ns; /* standard error of tick_ns */
    int hz; /* whole-number rate that fits tick_ns, a usual rate if possible; 0: none fits, or the
               error is too large to choose */
    double slope_ns_per_s;    /* slope of lateness between the jumps; if two slopes explain the same
                                 samples, the smaller one */
    double slope_sd_ns_per_s; /* standard error of slope_ns_per_s */
    double tooth_s;      /* seconds from one jump to the next: tick / slope; 0: the slope is zero */
    bool drift_known;    /* drift_ppm and drift_sd_ppm are known; false if hz is 0 */
    double drift_ppm;    /* by how many ppm a tick is longer than 1 / hz */
    double drift_sd_ppm; /* standard error of drift_ppm */
    double unseen_ppm; /* drift that a control loop of the tick may have added or removed so slowly
                          that the samples do not show it */
    bool slope_modulo; /* a drift that differs by modulo_ppm, and is at most 500 ppm, would give the
                          same samples: then slope, drift and extra_ticks are unknown */
    double modulo_ppm; /* drift that moves lateness by one whole tick a period */
    int extra_ticks;   /* whole ticks that the kernel adds to each sleep; -1: unknown */
    uint64_t jumps_n;
    double residual_sd_ns; /* standard deviation of the samples around the sawtooth */
    double p_value;
};

/**
 * Looks for a sawtooth.
 * @return 0 (also when nothing is found), -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any.
 * Method: the differences of neighbouring samples have two tight clusters, one tick apart; the
 * sawtooth that follows is fitted to all samples but outliers (at most 5 %) by least squares, and
 * must leave an eighth of a tick or less of spread. p_value is that of the F test of the sawtooth's
 * residuals against those of a constant, multiplied by the square of the number of samples, because
 * a sawtooth was looked for at as many places. A control loop that steers the tick changes the
 * slope. Then nothing is found, because one slope must fit all samples: its residuals are below
 * three times the noise of neighbouring samples, its tick is within five standard errors as long as
 * the jumps, and the means of 12 parts of the series agree (chi-squared, 1 in 10 million). */
ST_NODISCARD int st_ticks_find(const struct st_series *series, struct st_ticks *ret);

/* --- which rate has a tick of this length? --- */

/** Largest drift of a tick against its nominal rate that is considered possible: no usable clock
 * drifts by more. */
#define ST_TICK_DRIFT_MAX_PPM 500

/** Finds the whole-number rate in Hz whose tick is tick_ns long, within four standard errors and
 * the drift that ticks may have: a usual rate (lab/analyse/periodic.h) if one fits.
 * @param tick_ns > 0. @param tick_sd_ns its standard error. @return 0: no rate fits. Threads:
 * any. */
int st_ticks_rate_of(double tick_ns, double tick_sd_ns);

/** By how many Hz a rate that st_ticks_rate_of finds from this tick may be wrong: four standard
 * errors, and ST_TICK_DRIFT_MAX_PPM. */
double st_ticks_rate_error(double tick_ns, double tick_sd_ns);

/** Is this one of the tick rates that kernels usually have? */
bool st_ticks_is_usual(int hz);

/** @return the commonest rate in Hz of those that kernels' schedulers have (24 to 1024), with a
 * tick within 12 % of length_ns; 0: none. */
int st_ticks_rate_about(double length_ns);
