/* sleeptune-causes/1 for people. */
#ifndef ST_CLI_SHOW_CAUSES_TEXT_H
#define ST_CLI_SHOW_CAUSES_TEXT_H

#include <jansson.h>
#include <stdio.h>

/** The sentence, the table, from when to when. The document comes from a socket: nothing in it is trusted. */
void st_causes_text(FILE *out, const json_t *document, int columns);

#endif
