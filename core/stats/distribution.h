/* Tails of the normal distribution and of Student's. */
#pragma once

#include "core/base.h"

#define ST_DISTRIBUTION_NORMAL_975 1.959963984540054 /* 97.5 % of the distribution lie below this value */

/** Probability beyond z on both sides. */
double st_distribution_normal_p(double z);
/** The z with the probability `tail` beyond it on one side, 0 < tail <= 0.5. */
double st_distribution_normal_z(double tail);

/** The t of Student's distribution with the same tail probability as z of the normal distribution. @param
 * df degrees of freedom, at least 7. */
double st_distribution_student_t(double z, double df);
