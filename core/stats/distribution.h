/* Tails of the normal distribution and of Student's. */
#pragma once

#include "core/base.h"

#define ST_DISTRIBUTION_NORMAL_975 1.959963984540054 /* 97.5 % lie below it */

/** Probability beyond z on both sides. */
double st_distribution_normal_p(double z);
/** The z with so much beyond it on one side, 0 < tail <= 0.5. */
double st_distribution_normal_z(double tail);

/** The t that has as much beyond it as z of the normal distribution. @param df degrees of freedom, 7 at
 * least. */
double st_distribution_student_t(double z, double df);
