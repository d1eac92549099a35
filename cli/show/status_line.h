/* One line about the music for a status bar, in the format of each bar. Pure. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/* Content of the line. Texts can be foreign: each format escapes them. */
struct st_status_line {
    const char *brief;           /* "HeavyReverb: 12 dropouts" */
    const char *sentence;        /* the first line of `sleeptune status` */
    const char *next, *next_why; /* a command, and what the command does; "": none */
    const char *class;           /* "ok", "warning" or "problem" */
};

struct st_status_line_form {
    const char *name;
    /** The line without its newline; lives as long as texts of st_text(). */
    const char *(*text)(const struct st_status_line *line);
};

extern const struct st_status_line_form
    st_status_line_forms[]; /* one for each bar; the last has no name */

/** The line for a document sleeptune-status/1. @param document NULL: no daemon answered, and
 * `error` says why. The result points into both. */
struct st_status_line st_status_line_of(const json_t *document, const char *error);
