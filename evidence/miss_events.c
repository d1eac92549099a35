#include "evidence/miss_events.h"

#include "core/ns.h"
#include "core/stats/stats.h"

void st_miss_events_add(struct st_miss_events *events, int64_t first_ns, int64_t last_ns)
{
    events->n += events->n == 0 || st_ns_sub(first_ns, events->last_ns) >= ST_MISS_EVENTS_GAP_NS;
    events->last_ns = last_ns;
}

double st_miss_events_per_hour_max95(uint64_t events_n, double seconds)
{
    return seconds > 0 ? st_stats_rate_max95(events_n) * 3600 / seconds : HUGE_VAL;
}

const char *st_miss_events_rate_text(double per_hour)
{
    int decimals = 0;
    if (isfinite(per_hour) && per_hour > 0) {
        const double digits = floor(log10(per_hour));
        const double step = pow(10, digits - 2);
        per_hour = ceil(per_hour / step) * step;
        decimals = digits < 2 ? 2 - (int)digits : 0;
    }
    return st_text("%.*f", decimals, per_hour);
}

const char *st_miss_events_text(uint64_t events_n, uint64_t misses_n, double seconds)
{
    return st_text("%s (95 %% confidence: at most %s events per hour; missed periods less "
                   "than " ST_MISS_EVENTS_GAP " apart are one event)",
                   events_n == 0
                       ? ""
                       : st_text(" in %ju event%s of %.1f periods", events_n, ST_PLURAL(events_n),
                                 (double)misses_n / (double)events_n),
                   st_miss_events_rate_text(st_miss_events_per_hour_max95(events_n, seconds)));
}
