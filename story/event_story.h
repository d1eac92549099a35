/* What an event says: its sentence and its JSON, composed from the record when it is read. A dropout that its
 * own cycle does not explain is put down to a late wake-up of the test loop at the same time, if there was
 * one. Pure; threads: any. */
#pragma once

#include <jansson.h>

#include "store/history/event.h"

/* A late wake-up of the time of a dropout is recorded at most so long after it: the drain looks each quarter
 * of a second, a tracer reads its ring when it is asked, main puts it each second. A loop that does not wake
 * up takes longer. */
#define ST_STORY_SETTLED_NS INT64_C(3000000000)

/** "loop-on-time": in the place of a cause: the test loop has nothing to do with the dropout. */
#define ST_STORY_ON_TIME "loop-on-time"

#define ST_EVENT_STORY_BYTES 768 /* room for the sentence of any event */

/** Is it sound that was lost and that its own cycle does not explain? Then a late wake-up may. */
bool st_event_story_asks(const struct st_event *event);

/** The times by the wall clock between which a late wake-up must have been under way to explain this dropout.
 */
void st_event_story_window(const struct st_event *dropout, int64_t *ret_from_ns, int64_t *ret_to_ns);

/** What is known beside an event. */
struct st_story_beside {
    /* the worst late wake-up in its window; NULL: none */
    const struct st_event *late;
    bool settled; /* none can be recorded any more */
};

/** "HeavyReverb made 3 dropouts on card (PipeWire): it computed too long (25.0 ms of CPU time, the buffer
 * lasts 21.3 ms)". Names in it are others' bytes. @return buf. */
const char *st_event_story_text(const struct st_event *event, const struct st_story_beside *beside, char *buf,
                                size_t buf_bytes);

/** {time_ns, event, text} and what is known of the rest, as in docs/schema/sleeptune-events-1.json. New
 * reference, NULL when out of memory. */
json_t *st_event_story_json(const struct st_event *event, const struct st_story_beside *beside);
