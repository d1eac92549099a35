/* Documents of the history as text: steps of time, events, causes. They come from a socket or a file: nothing
 * in them is trusted. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** Was anything measured, or a dropout observed? @param document sleeptune-history/1. */
bool st_history_text_measured(const json_t *document);

struct st_history_text_look {
    int columns;             /* of the terminal; tables need 40 */
    int64_t now_wall_ns;     /* times of this day have no date */
    bool details;            /* all of it */
    bool late;               /* late wake-ups of the test loop, too, among events */
    const char *socket, *db; /* that the user named, for the next command; NULL */
    const char *trace;       /* of this system's row (struct st_os_row) */
};

/** Prints a sleeptune-history/1 document: the answer, who made dropouts, what was watched, a row per step.
 * Times are local. */
void st_history_text_steps(FILE *out, const json_t *document, const struct st_history_text_look *look);

/** Prints "changes" of a sleeptune-history/1 document: since when dropouts are more frequent, what changed.
 */
void st_history_text_changes(FILE *out, const json_t *document, const struct st_history_text_look *look);

/** Prints a sleeptune-events/1 document: at most two lines of 80 columns for each event, or all of it with
 * details. */
void st_history_text_events(FILE *out, const json_t *document, const struct st_history_text_look *look);

/** Prints a sleeptune-causes/1 document: the sentences, the tables, from when to when. */
void st_history_text_causes(FILE *out, const json_t *document, const struct st_history_text_look *look);
