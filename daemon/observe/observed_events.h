/* Turns the dropouts of one source into events: one in ten seconds for each device, client and reason. */
#pragma once

#include "daemon/causes/events.h"

#define ST_OBSERVED_PENDING_MAX     16 /* of a source; one more of each kind takes the rest */
#define ST_OBSERVED_EVENTS_OPEN_MAX (ST_OBSERVED_PENDING_MAX + 2)
#define ST_OBSERVED_EVENT_EACH_NS                                                                            \
    INT64_C(10000000000) /* for one device, client and reason; dropouts in between are summed */

/** Threads: one. */
struct st_observed_events {
    struct st_platform *platform;
    struct st_events *events;
    /* sum for one device, client and reason since its last event */
    struct st_observed_pending {
        struct st_event event; /* count_n 0: none */
        int64_t since_ns;      /* end of the first dropout in the sum, as far as known */
        int64_t end_ns; /* end of the last dropout; kept by report(), since the next event must end later */
        int64_t reported_ns; /* INT64_MIN: free */
    } pending[ST_OBSERVED_EVENTS_OPEN_MAX];
};

void st_observed_events_init(struct st_observed_events *e, struct st_platform *platform,
                             struct st_events *events);

/** Adds dropouts of the source; the last of them ended at at_ns. */
void st_observed_events_take(struct st_observed_events *e, const struct st_event *event, int64_t at_ns);

/** Puts the events that are due. @param all puts all; later dropouts go into other events. */
void st_observed_events_put(struct st_observed_events *e, bool all);

/** Events for what is in no event yet. Changes nothing. @param ret room for ST_OBSERVED_EVENTS_OPEN_MAX.
 * @return their number. */
size_t st_observed_events_open(const struct st_observed_events *e, struct st_event *ret);
