/* Tails of Student's distribution and of chi-squared. */
#pragma once

#include "core/base.h"

/** Probability beyond t on both sides. @param df degrees of freedom, 7 at least. */
double st_tails_student_p(double t, double df);

/** The t of Student's distribution with the same tail probability as z of the normal distribution. @param
 * df degrees of freedom, at least 7. */
double st_tails_student_t(double z, double df);

/** Probability that chi-squared with df degrees of freedom is x at least. */
double st_tails_chi_squared_p(double x, double df);
