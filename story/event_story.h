/* The sentence and the JSON of an event, composed from its record when it is read. A dropout that its own
 * cycle does not explain is attributed to a late wake-up of the test loop at the same time, if there was
 * one. Pure; threads: any. */
#pragma once

#include <jansson.h>

#include "xruns/event.h"

/** In place of a cause: the test loop was on time, so the machine did not cause the dropout. */
#define ST_STORY_ON_TIME "loop-on-time"

/** What is known about the time of an event, from the last events (daemon/causes/events.c) or a file
 * (story/event_list.c). Times by the wall clock. */
struct st_story_beside {
    int64_t from_ns, to_ns; /* a late wake-up under way in this time may explain the event */
    struct st_event late;   /* the worst such wake-up, the first of equal ones; lateness_ns 0: none */
    int64_t seen_from_ns,
        seen_to_ns; /* in this time the loop's wake-ups were looked at, and all late ones were joined */
    bool open; /* a late wake-up after seen_to_ns may still become known, or was known and is forgotten */
};

/** Begins without joined records. `open` if late wake-ups matter: for lost sound that the event's own
 * cycle does not explain. */
struct st_story_beside st_event_story_alone(const struct st_event *event);

/** Joins a record of the same time. */
void st_event_story_join(struct st_story_beside *beside, const struct st_event *record);

/** Is it certain that no later record can explain the event? */
bool st_event_story_is_settled(const struct st_story_beside *beside);

/** "HeavyReverb made 3 dropouts on card (PipeWire): it computed too long (25.0 ms of CPU time, the buffer
 * lasts 21.3 ms)". Contains foreign names. @return as st_text. */
const char *st_event_story_text(const struct st_event *event, const struct st_story_beside *beside);

/** {time_ns, event, text} and the known members of docs/schema/sleeptune-events-1.json. New reference;
 * NULL: out of memory. */
json_t *st_event_story_json(const struct st_event *event, const struct st_story_beside *beside);
