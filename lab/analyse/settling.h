/* Does lateness come to rest, as it does where a loop steers the tick towards the clock? */
#ifndef ST_LAB_ANALYSE_SETTLING_H
#define ST_LAB_ANALYSE_SETTLING_H

#include <stdbool.h>

#include "lib/series.h"

#define ST_SETTLING_SAMPLES_MIN 64
#define ST_SETTLING_SAMPLES_MAX 4096 /* the first so many are looked at */

struct st_settling {
    bool found;
    double gain;     /* share of the error that is taken out each second, of a critically damped loop */
    double gain_sd;  /* its standard error, with that of jumps that are no nominal ticks */
    double rest_ns;  /* where it comes to rest */
    double start_ns; /* the third sample's distance from there, ticks that it jumps by taken out */
    double within_s; /* after this it stays within 1 % of the largest distance */
    int hz;          /* it jumps by a tick of this usual rate on its way; 0: no jump */
    double residual_sd_ns;
};

/**
 * Looked for at periods of a second and more: the loop acts once a second, and between it nothing decays.
 * @return 0 (also when nothing is found), -ENODATA (fewer than 64 samples), -ENOMEM. Threads: any.
 * Method: of the error, such a loop takes out the share g each second, and g^2 / 4 of all errors so far: the
 * error then decays with two poles that follow from g (lab/series/simulate.c steers like that; for small g
 * both are 1 - g / 2, critical damping). That is fitted by least squares for each g from 0.004 to 1, with the
 * jumps of a usual tick taken out where the samples have some. Found where the residuals are 1/64 of the
 * largest distance or less, leave an eighth of what the best step or line leaves and do not hang together, 95
 * % of the samples follow, the distance decays to 1 % in the first two thirds, and eight samples or more are
 * further away than four times the residuals, a tenth of those on the way to rest at most are outliers, and
 * the error of the gain is a tenth of it or less; and where no gain that differs by more than 5 % fits as
 * well, nor follows from the part after the distance has fallen to a quarter (if that has 64 samples).
 * docs/measuring.md has how often that was right, and wrong.
 */
ST_NODISCARD int st_settling_find(const struct st_series *all, struct st_settling *ret);

#endif
