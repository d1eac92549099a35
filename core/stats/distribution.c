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
