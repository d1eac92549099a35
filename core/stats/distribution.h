/* Tail probabilities of the normal distribution and of Student's t distribution. */
#pragma once

#include "core/base.h"

/* 97.5 % of the normal distribution are below this value */
#define ST_DISTRIBUTION_NORMAL_975 1.959963984540054

/** Probability of a value farther from 0 than z, on both sides together. */
double st_distribution_normal_p(double z);
/** The z that is exceeded with the probability `tail`, 0 < tail <= 0.5. */
double st_distribution_normal_z(double tail);

/** The t of Student's distribution whose tail probability is that of z in the normal distribution. @param df
 * degrees of freedom, at least 7. */
double st_distribution_student_t(double z, double df);
