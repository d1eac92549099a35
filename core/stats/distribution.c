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

/* Approximates Student's distribution by a normal one; the tail probability is within 0.1 % from 7 degrees of
 * freedom on. Source: Wallace, "Bounds on normal approximations to Student's and the chi-square
 * distributions", 1959. */
double st_distribution_student_t(double z, double df)
{
    const double wider = z * (8 * df + 3) / (8 * df + 1);
    return sqrt(df * expm1(wider * wider / df));
}
