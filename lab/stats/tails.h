/* Tail probabilities of Student's distribution and of chi-squared. */
#pragma once

#include "core/base.h"

/** Probability that a value of Student's distribution is beyond t or -t. @param df degrees of
 * freedom, at least 7. */
double st_tails_student_p(double t, double df);

/** The t of Student's distribution with the same tail probability as z of the normal distribution.
 * @param df degrees of freedom, at least 7. */
double st_tails_student_t(double z, double df);

/** Probability that chi-squared with df degrees of freedom is at least x. */
double st_tails_chi_squared_p(double x, double df);
