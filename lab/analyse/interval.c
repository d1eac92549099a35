#include "lab/analyse/interval.h"

#include <math.h>

#include "lab/analyse/tick_rate.h"
#include "lab/analyse/ticks.h"

int st_interval_find(const struct st_series *s, struct st_interval *ret)
{
    const double period_ns = (double)s->period.num / (double)s->period.den;
    struct st_interval interval = {0};
    struct st_series_bulk bulk;
    struct st_series intervals; /* as a series, for its quantiles */
    uint64_t skips_n = 0;
    int r = 0;
    if (s->n < ST_TICKS_SAMPLES_MIN)
        return -ENODATA;
    st_series_init(&intervals, &s->period);
    for (size_t i = 1; i < s->n && r == 0; i++) {
        const double periods = (double)(s->index[i] - s->index[i - 1]);
        const double ns = periods * period_ns + (double)s->lateness_ns[i] - (double)s->lateness_ns[i - 1];
        skips_n += periods > 1;
        r = st_series_add(&intervals, i, ns < (double)INT64_MAX ? llrint(ns) : INT64_MAX);
    }
    if (r == 0)
        r = st_series_bulk(&intervals, &bulk);
    st_series_finish(&intervals);
    if (r != 0)
        return r;
    interval.skips = skips_n * 2 > s->n;
    interval.interval_ns = (double)bulk.median_ns;
    interval.spread_ns = (double)bulk.high_ns - (double)bulk.low_ns;
    interval.found = interval.skips && interval.spread_ns < 0.02 * interval.interval_ns &&
                     fabs(remainder(interval.interval_ns, period_ns)) > 0.05 * period_ns;
    if (interval.found)
        interval.hz = st_tick_rate_of(interval.interval_ns, interval.spread_ns / sqrt((double)s->n));
    *ret = interval;
    return 0;
}
