/* Sums the dropouts of one source into events: at most one in 10 s for each device, client and
 * reason. */
#pragma once

#include "daemon/causes/events.h"

/* most sums (of one device, client and reason) of one source at a time. Dropouts beyond that are
 * added to two common sums, for clients and for devices */
#define ST_OBSERVED_PENDING_MAX     16
#define ST_OBSERVED_EVENTS_OPEN_MAX (ST_OBSERVED_PENDING_MAX + 2)
/* shortest time between two events of one device, client and reason */
#define ST_OBSERVED_EVENT_EACH_NS INT64_C(10000000000)

/** The sums of one source that become events. Threads: one. */
struct st_observed_events {
    struct st_platform *platform;
    struct st_events *events;
    /* the dropouts of one device, client and reason that are in no event yet */
    struct st_observed_pending {
        struct st_event event; /* the sum; count_n 0: no dropout since the last event */
        int64_t
            since_ns; /* end of the first dropout in the sum (CLOCK_MONOTONIC), as far as known */
        /* end of the last dropout (CLOCK_MONOTONIC); kept after an event, since the next one must
         * end later
         */
        int64_t end_ns;
        int64_t
            reported_ns; /* time of the last event, CLOCK_MONOTONIC; INT64_MIN: there was none */
    } pending[ST_OBSERVED_EVENTS_OPEN_MAX];
};

void st_observed_events_init(struct st_observed_events *e, struct st_platform *platform,
                             struct st_events *events);

/** Adds dropouts of the source to their sum. @param at_ns end of the last of them,
 * CLOCK_MONOTONIC. */
void st_observed_events_take(struct st_observed_events *e, const struct st_event *event,
                             int64_t at_ns);

/** Adds the events that are due to the list of events. @param all adds all, so that later dropouts
 * are in other events. */
void st_observed_events_put(struct st_observed_events *e, bool all);

/** Events for dropouts that are in no event yet. Changes nothing. @param ret room for
 * ST_OBSERVED_EVENTS_OPEN_MAX. @return their number. */
size_t st_observed_events_open(const struct st_observed_events *e, struct st_event *ret);
