/* What `sleeptune watch` shows, laid out for any size. */
#ifndef ST_CLI_SHOW_WATCH_SCREEN_H
#define ST_CLI_SHOW_WATCH_SCREEN_H

#include <jansson.h>

#include "cli/show/screen.h"

/** Draws a document sleeptune-live/1 (NULL: none yet) on an empty screen; what is missing in it is left out.
 * message: for the last row, NULL: the last row is used like the others; alert: it must not be overlooked,
 * and has more rows where it needs them. */
void st_watch_draw(struct st_screen *screen, const json_t *live, const char *message, bool alert);

/** Why what is shown may not be true now: the loop is not heard of. "" when all is well. @return buf. */
const char *st_watch_doubt(const json_t *live, char *buf, size_t buf_bytes);

#endif
