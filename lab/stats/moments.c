#include "lab/stats/moments.h"

struct st_moments st_moments_of(const int64_t *values, size_t n)
{
    struct st_moments moments = {.n = n};
    double square = 0;
    /* differences from the first value are small, so that their sum loses no digits */
    ST_EACH_OF (value, values, n)
        moments.mean += ((double)*value - (double)values[0]) / (double)n;
    if (n > 0)
        moments.mean += (double)values[0];
    ST_EACH_OF (value, values, n)
        square += ((double)*value - moments.mean) * ((double)*value - moments.mean);
    moments.sd = n < 2 ? 0 : sqrt(square / (double)(n - 1));
    return moments;
}
