/* Documents of the history as text: steps of time, events, causes. The documents come from a socket
 * or a file and are untrusted. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** Was anything measured, or a dropout observed? @param document sleeptune-history/1. */
bool st_history_text_measured(const json_t *document);

struct st_history_text_look {
    int columns;             /* of the terminal; tables need 40 */
    int64_t now_wall_ns;     /* times on this day are printed without a date */
    bool details;            /* print everything */
    bool late;               /* among events, print late wake-ups of the timing test as well */
    const char *socket, *db; /* named by the user, for the next command; NULL: not named */
    const char *trace;       /* how to get the kernel's trace on this system (struct st_os_row) */
};

/** Prints a sleeptune-history/1 document: the answer, clients with dropouts, what was watched, a
 * row for each step. Times are local. */
void st_history_text_steps(FILE *out, const json_t *document,
                           const struct st_history_text_look *look);

/** Prints "changes" of a sleeptune-history/1 document: since when dropouts are more frequent, and
 * what changed. */
void st_history_text_changes(FILE *out, const json_t *document,
                             const struct st_history_text_look *look);

/** Prints a sleeptune-events/1 document: for each event at most two lines of 80 columns, or
 * everything with look->details. */
void st_history_text_events(FILE *out, const json_t *document,
                            const struct st_history_text_look *look);

/** Prints a sleeptune-causes/1 document: the sentences, the tables, the time covered. */
void st_history_text_causes(FILE *out, const json_t *document,
                            const struct st_history_text_look *look);

/** Prints a sleeptune-heard/1 document: the answer, then each mark with the events before it. */
void st_history_text_heard(FILE *out, const json_t *document,
                           const struct st_history_text_look *look);

/** Prints the last mark of the document, which was just set. */
void st_history_text_mark(FILE *out, const json_t *document,
                          const struct st_history_text_look *look);
