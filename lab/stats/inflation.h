/* The variance of sums of correlated values. */
#pragma once

#include "core/base.h"

/** The factor by which the variance of a sum of correlated values exceeds that of independent
 * values: 1 + twice the sum of the autocorrelations of the lags 1 .. lags_max, which ends before
 * the first pair of lags whose sum is not positive. @return >= 1. Threads: any. Source: Geyer,
 * "Practical Markov Chain Monte Carlo", 1992 (initial positive sequence). */
double st_inflation(const double *values, size_t n, double mean, size_t lags_max);
