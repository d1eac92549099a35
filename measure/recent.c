#include "measure/recent.h"

void st_recent_add(struct st_recent *recent, double value) ST_NONBLOCKING
{
    recent->values[recent->n++ % ST_RECENT_MAX] = value;
}

double st_recent_median(const struct st_recent *recent) ST_NONBLOCKING
{
    const size_t n = recent->n < ST_RECENT_MAX ? (size_t)recent->n : ST_RECENT_MAX;
    double sorted[ST_RECENT_MAX];
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1] > recent->values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = recent->values[i];
    }
    if (n == 0)
        return 0;
    return sorted[(n - 1) / 2];
}

double st_recent_max(const struct st_recent *recent) ST_NONBLOCKING
{
    const size_t n = recent->n < ST_RECENT_MAX ? (size_t)recent->n : ST_RECENT_MAX;
    double max = n > 0 ? recent->values[0] : 0;
    for (size_t i = 1; i < n; i++)
        max = ST_MAX(recent->values[i], max);
    return max;
}
