/* What an event says: its sentence and its JSON, composed from the record when it is read. A dropout that its
 * own cycle does not explain is put down to a late wake-up of the test loop at the same time, if there was
 * one. Pure; threads: any. */
#pragma once

#include <jansson.h>

#include "xruns/event.h"

/** "loop-on-time": in the place of a cause: the test loop has nothing to do with the dropout. */
#define ST_STORY_ON_TIME "loop-on-time"

/** What a reader of records knows beside an event: of the last ones (daemon/causes/events.c), or of a file
 * (story/event_list.c). Times are by the wall clock. */
struct st_story_beside {
    int64_t from_ns, to_ns;           /* a late wake-up that was under way then may explain it */
    struct st_event late;             /* the worst of these, of equal ones the first; lateness_ns 0: none */
    int64_t seen_from_ns, seen_to_ns; /* the loop's wake-ups were looked at, and all late ones were joined */
    bool open; /* a late wake-up after seen_to_ns can become known yet, or was known and is forgotten */
};

/** Nothing is joined yet. Open, if late wake-ups matter: it is sound that was lost and that its own cycle
 * does not explain. */
struct st_story_beside st_event_story_alone(const struct st_event *event);

/** Joins any record of its time. */
void st_event_story_join(struct st_story_beside *beside, const struct st_event *record);

/** Nothing that is recorded from now on can explain it. */
bool st_event_story_is_settled(const struct st_story_beside *beside);

/** "HeavyReverb made 3 dropouts on card (PipeWire): it computed too long (25.0 ms of CPU time, the buffer
 * lasts 21.3 ms)". Names in it are others' bytes. @return as st_text. */
const char *st_event_story_text(const struct st_event *event, const struct st_story_beside *beside);

/** {time_ns, event, text} and what is known of the rest, as in docs/schema/sleeptune-events-1.json. New
 * reference, NULL when out of memory. */
json_t *st_event_story_json(const struct st_event *event, const struct st_story_beside *beside);
