#include "lab/stats/tails.h"

#include "core/stats/distribution.h"

/* Approximates Student's distribution by a normal one; the error is below 0.1 % of the tail
 * probability from 7 degrees of freedom on. Source: Wallace, "Bounds on normal approximations to
 * Student's and the chi-square distributions", 1959. */
double st_tails_student_p(double t, double df)
{
    return st_distribution_normal_p((8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df)));
}

/* Inverts the approximation of st_tails_student_p. Source: Wallace 1959. */
double st_tails_student_t(double z, double df)
{
    const double wider = z * (8 * df + 3) / (8 * df + 1);
    return sqrt(df * expm1(wider * wider / df));
}

/* The cube root of chi-squared is nearly normal. Source: Wilson & Hilferty, "The distribution of
 * chi-square", 1931. */
double st_tails_chi_squared_p(double x, double df)
{
    const double square = 2 / (9 * df);
    return 0.5 * erfc((cbrt(x / df) - (1 - square)) / sqrt(2 * square));
}
