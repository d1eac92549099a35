/* The events of a history as JSON. A dropout is joined with the late wake-up of the timing test at
 * the same time. */
#pragma once

#include "store/history/history_read.h"
#include "story/event_story.h"

/** Finds what a history knows about the time of an event. Whether the timing test was on time is
 * known after the end of the dropout's minute. */
void st_event_list_beside(struct st_history_reader *reader, const struct st_event *event,
                          struct st_story_beside *ret);

/** Document sleeptune-events/1 as text, which the caller frees; NULL: out of memory. */
char *st_event_list_text(struct st_history_reader *reader, const struct st_history_asked *wish);
