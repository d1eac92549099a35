/* What `sleeptune status` does. */
#pragma once

#include <jansson.h>

#include "cli/show/status_line.h"

/** The options of `sleeptune status`. */
struct st_status_wish {
    const char *socket;                     /* --socket; NULL: the usual places */
    const struct st_status_line_form *line; /* --line; NULL: none */
    bool json, details, html, watch, follow;
};

/** @return an st_exit, after a message if it is a failure. */
ST_NODISCARD int st_status_run(const struct st_status_wish *wish);

/** --watch on a terminal; the same. */
ST_NODISCARD int st_status_watch(const struct st_status_wish *wish);

/** Prints the first screen, if a daemon answers within 500 ms. @return an st_exit; -1: none answers. */
int st_status_first(void);

/** Asks the daemon that `status` would show, in at most 500 ms and without a message. @return its
 * sleeptune-status/1, a new reference; NULL: none answers. */
json_t *st_status_ask(void);
