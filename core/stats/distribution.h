/* Tails of the normal distribution. */
#pragma once

#include "core/base.h"

#define ST_DISTRIBUTION_NORMAL_975 1.959963984540054 /* 97.5 % of the distribution lie below this value */

/** Probability beyond z on both sides. */
double st_distribution_normal_p(double z);
/** The z with the probability `tail` beyond it on one side, 0 < tail <= 0.5. */
double st_distribution_normal_z(double tail);
