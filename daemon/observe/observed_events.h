/* Dropouts of one source become events: one in ten seconds for each device, client and reason. */
#pragma once

#include "daemon/causes/events.h"
#include "platform/platform.h"

#define ST_OBSERVED_PENDING_MAX     16 /* of a source, and one for all others of each kind */
#define ST_OBSERVED_EVENTS_OPEN_MAX (ST_OBSERVED_PENDING_MAX + 2)
#define ST_OBSERVED_EVENT_EACH_NS                                                                            \
    INT64_C(10000000000) /* of one device, client and reason; those between are summed */

/** Threads: one. */
struct st_observed_events {
    struct st_platform *platform;
    struct st_events *events;
    /* what was seen of one device, client and reason since its last event */
    struct st_observed_pending {
        struct st_event event; /* count_n 0: nothing */
        int64_t since_ns;      /* when the first of them ended, as far as that is known */
        int64_t end_ns;        /* when the last one did; kept by report(): the next event must end later */
        int64_t reported_ns;   /* INT64_MIN: free */
    } pending[ST_OBSERVED_EVENTS_OPEN_MAX];
};

void st_observed_events_init(struct st_observed_events *e, struct st_platform *platform,
                             struct st_events *events);

/** Dropouts of the source; the last of them ended at_ns. */
void st_observed_events_take(struct st_observed_events *e, const struct st_event *event, int64_t at_ns);

/** Puts those that are due. @param all  all: what is counted from now on is in others. */
void st_observed_events_put(struct st_observed_events *e, bool all);

/** What is in no event yet, as the events that it would be now. Nothing changes by it.
 * @param ret room for ST_OBSERVED_EVENTS_OPEN_MAX. @return how many. */
size_t st_observed_events_open(const struct st_observed_events *e, struct st_event *ret);
