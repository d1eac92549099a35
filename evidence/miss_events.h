/* Miss events: missed periods less than 100 ms apart form one event. Missed periods come in bursts,
 * so a bound that takes them as independent would be too small. Events are nearly independent, and
 * an event is what a listener hears. */
#pragma once

#include "core/text/text.h"

#define ST_MISS_EVENTS_GAP_NS INT64_C(100000000)
#define ST_MISS_EVENTS_GAP    "100 ms" /* ST_MISS_EVENTS_GAP_NS as text */

struct st_miss_events {
    uint64_t n;
    int64_t last_ns; /* due time of the last missed period; valid if n > 0 */
};

/** Adds missed periods that follow each other without a gap; calls must be in ascending order.
 * @param first_ns, last_ns due times of the first and the last of these periods, on any clock.
 * Threads: each counter by one thread at a time; it must be all 0 at first. */
void st_miss_events_add(struct st_miss_events *events, int64_t first_ns, int64_t last_ns);

/** Upper 95 % bound of events per hour (exact Poisson: Garwood 1936); +inf if nothing was
 * measured. */
double st_miss_events_per_hour_max95(uint64_t events_n, double seconds);

/** An upper bound as text, rounded up to three digits. */
const char *st_miss_events_rate_text(double per_hour);

/** A rate that was seen, as text: "0.22", "120". */
static inline const char *st_miss_events_seen_text(double per_hour)
{
    return st_text(per_hour < 9.95 ? "%.2g" : "%.0f", per_hour);
}

/** Text after "12 of 7500 periods missed": " in 5 events of 2.4 periods (95 % confidence: at most
 * ...)". */
const char *st_miss_events_text(uint64_t events_n, uint64_t misses_n, double seconds);
