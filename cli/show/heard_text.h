/* Marks of a listener as text. The document comes from a socket or a file and is untrusted. */
#pragma once

#include "cli/show/history_text.h"

/** Prints a sleeptune-heard/1 document: the answer, then each mark with the events before it. */
void st_heard_text(FILE *out, const json_t *document, const struct st_history_text_look *look);

/** Prints the last mark of the document, which was just set. */
void st_heard_text_mark(FILE *out, const json_t *document, const struct st_history_text_look *look);
