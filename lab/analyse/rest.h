/* Does lateness come to rest, as it does where a loop steers the tick towards the clock? */
#pragma once

#include "lab/stats/series.h"

#define ST_REST_SAMPLES_MIN 64
#define ST_REST_SAMPLES_MAX 4096 /* only the first ones are examined */

struct st_rest {
    bool found;
    double rest_ns;  /* where it comes to rest */
    double start_ns; /* the third sample's distance from there, ticks that it jumps by taken out */
    double within_s; /* after this it stays within 1 % of the largest distance */
    int hz;          /* it jumps by a tick of this usual rate on its way; 0: no jump */
    double residual_sd_ns;
};

/**
 * Looked for at periods of a second and more: the loop acts once a second, and between it nothing decays.
 * @return 0 (also when nothing is found), -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any.
 * Method: a loop that takes out the share g of the error each second, and g^2 / 4 of all errors so far, makes
 * it decay with two poles that follow from g (lab/series/simulate.c steers like that). That curve is fitted
 * by least squares for each g from 0.004 to 1, with the jumps of a usual tick taken out where the samples
 * have some. Found where the residuals are 1/64 of the largest distance or less, leave an eighth of what the
 * best step or line leaves and do not hang together, 95 % of the samples follow, the distance decays to 1 %
 * in the first two thirds, eight samples or more are further away than four times the residuals, and a tenth
 * of those on the way to rest at most are outliers. Which g fits best is not reported: several fit nearly as
 * well. */
ST_NODISCARD int st_rest_find(const struct st_series *all, struct st_rest *ret);
