/* A status document as text for people. */
#ifndef ST_CLI_SHOW_STATUS_TEXT_H
#define ST_CLI_SHOW_STATUS_TEXT_H

#include <jansson.h>
#include <stdio.h>

/** Prints a sleeptune-status/1 document in lines of at most `columns`. What is missing in it is left out;
 * control characters never reach the terminal. */
void st_status_text(FILE *out, const json_t *document, const char *socket_path, int columns);

#endif
