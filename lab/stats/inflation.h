/* The variance of sums of correlated values. */
#pragma once

#include "core/base.h"

/** How much more the sum of correlated values varies than that of independent ones: 1 + twice the sum of the
 * autocorrelations of the lags 1 .. lags_max, as far as pairs of them are positive. @return >= 1. Threads:
 * any. Source: Geyer, "Practical Markov Chain Monte Carlo", 1992 (initial positive sequence). */
double st_inflation(const double *values, size_t n, double mean, size_t lags_max);
