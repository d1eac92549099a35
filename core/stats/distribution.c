#include "core/stats/distribution.h"

double st_distribution_normal_p(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

double st_distribution_normal_z(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        const double z = (low + high) / 2;
        *(0.5 * st_distribution_normal_p(z) > tail ? &low : &high) = z;
    }
    return low;
}

/* Student's distribution by a normal one, within 0.1 % of the tail from 7 degrees of freedom on. Source:
 * Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", 1959. */
double st_distribution_student_p(double t, double df)
{
    return st_distribution_normal_p((8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df)));
}

double st_distribution_student_t(double z, double df)
{
    const double wider = z * (8 * df + 3) / (8 * df + 1);
    return sqrt(df * expm1(wider * wider / df));
}

/* Source: Wilson & Hilferty, "The distribution of chi-square", 1931. */
double st_distribution_chi_squared_p(double x, double df)
{
    const double square = 2 / (9 * df);
    return 0.5 * erfc((cbrt(x / df) - (1 - square)) / sqrt(2 * square));
}
