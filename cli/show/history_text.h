/* A history and events as text for people. */
#ifndef ST_CLI_SHOW_HISTORY_TEXT_H
#define ST_CLI_SHOW_HISTORY_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/** Was anything measured? @param document sleeptune-history/1. */
bool st_history_measured(const json_t *document);

/** Prints a sleeptune-history/1 document: a sentence, a sparkline, a row a step, circumstances. Times are
 * local. Lines of at most `columns`, which is taken for 80 where it is less. */
void st_history_text(FILE *out, const json_t *document, int columns);

/** Prints one event of a sleeptune-events/1 document. */
void st_event_text(FILE *out, const json_t *event, int columns);

#endif
