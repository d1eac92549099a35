/* Documents of the history as text: steps of time, events, causes. They come from a socket or a file: nothing in them is
 * trusted. */
#ifndef ST_CLI_SHOW_HISTORY_TEXT_H
#define ST_CLI_SHOW_HISTORY_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/** Was anything measured? @param document sleeptune-history/1. */
bool st_history_text_measured(const json_t *document);

/** Prints a sleeptune-history/1 document: a sentence, a sparkline, a row per step, circumstances. Times are local. Lines have at most `columns`, or 80 if that is less. */
void st_history_text_steps(FILE *out, const json_t *document, int columns);

/** Prints one event of a sleeptune-events/1 document. */
void st_history_text_event(FILE *out, const json_t *event, int columns);

/** Prints a sleeptune-causes/1 document: the sentence, the table, from when to when. */
void st_history_text_causes(FILE *out, const json_t *document, int columns);

#endif
