/* The screen of the daemon (object "screen" of sleeptune-status/1), laid out for a terminal of any
 * size. */
#pragma once

#include <jansson.h>

#include "cli/show/screen.h"

struct st_status_screen {
    bool details;      /* show all sections; false: only the first one */
    bool live;         /* show as many details as there is room for */
    const char *whose; /* whose daemon answered, a row; NULL or "": no row */
    bool stale;        /* the daemon's version differs from this program's: that row is a warning */
    const char *socket;  /* socket of the daemon, a row of the details; NULL: no row */
    const char *message; /* message in the last row; NULL: the row is used like the others */
    bool alert;          /* the message is important; it takes more rows if needed */
};

/** Draws a document on an empty screen; missing members are left out. @param document NULL: none
 * yet. */
void st_status_screen_draw(struct st_screen *screen, const json_t *document,
                           const struct st_status_screen *how);

/** Prints a section that is a table; without details its first rows, and the number of further
 * rows. */
void st_status_screen_table(FILE *out, const json_t *section, bool details, int columns);
