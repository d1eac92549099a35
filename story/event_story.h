/* Composes the sentence and the JSON of an event when it is read. If the dropout's own cycle does
 * not explain it, a late wake-up of the timing test at the same time does, if there was one. Pure;
 * threads: any. */
#pragma once

#include <jansson.h>

#include "xruns/event.h"

/** Value of "cause" if the timing test was on time, so that the machine did not cause the dropout.
 */
#define ST_STORY_ON_TIME "loop-on-time"

/** What is known about the timing test at the time of an event, from the list of recent events
 * (daemon/causes/events.c) or from a history (story/event_list.c). Times by the wall clock. */
struct st_story_beside {
    int64_t from_ns, to_ns; /* a late wake-up under way in this time may explain the event */
    /* the worst late wake-up in that time, of equal ones the first; lateness_ns 0: none */
    struct st_event late;
    int64_t seen_from_ns, seen_to_ns; /* in this time all late wake-ups of the loop are known */
    bool open; /* a late wake-up after seen_to_ns may still become known, or may have been
                * forgotten */
};

/** Begins without any late wake-up. `open` is true if late wake-ups matter: sound was lost, and the
 * event's own cycle does not explain it. */
struct st_story_beside st_event_story_alone(const struct st_event *event);

/** Takes another event into account: if it is a late wake-up at the same time, and the worst one so
 * far, keeps it in beside->late. */
void st_event_story_join(struct st_story_beside *beside, const struct st_event *record);

/** Is everything known about the time of the event, so that no later event can change its
 * explanation? */
bool st_event_story_is_settled(const struct st_story_beside *beside);

/** The sentence: "HeavyReverb made 3 dropouts on card (PipeWire): it computed too long, 25.0 ms
 * in a buffer of 21.3 ms". Names in it are not made safe. @return as st_text. */
const char *st_event_story_text(const struct st_event *event, const struct st_story_beside *beside);

/** {time_ns, event, text} and the known members of docs/schema/sleeptune-events-1.json. New
 * reference; NULL: out of memory. */
json_t *st_event_story_json(const struct st_event *event, const struct st_story_beside *beside);
