/* The screen of the daemon (object "screen" of sleeptune-status/1), laid out for a terminal of any size. */
#pragma once

#include <jansson.h>

#include "cli/show/screen.h"

struct st_status_screen {
    bool details;        /* all sections, else the first one */
    bool live;           /* as much of the details as there is room for */
    const char *whose;   /* whose daemon answered, a row; NULL or "": no such row */
    bool stale;          /* ... of another version than this program: the row is a warning */
    const char *socket;  /* who answered, a row of the details; NULL: no such row */
    const char *message; /* for the last row; NULL: that row is used like the others */
    bool alert;          /* the message must not be overlooked; it takes more rows if it needs them */
};

/** Draws a document on an empty screen; NULL: none yet. What is missing in it is left out. */
void st_status_screen_draw(struct st_screen *screen, const json_t *document,
                           const struct st_status_screen *how);

/** Prints a section that is a table; without details its first rows, and how many others there are. */
void st_status_screen_table(FILE *out, const json_t *section, bool details, int columns);

/** Does the document have a screen to draw? A daemon of another version may send none. */
#define ST_STATUS_SCREEN_MISSING                                                                             \
    "sleeptuned on %s has another version than this command. Restart sleeptuned, or add --json."
bool st_status_screen_is_in(const json_t *document);
