/* A line of a log that arrives in pieces. */
#pragma once

#include "core/base.h"

/** A line of a log, as far as it has arrived. All zero at first. */
struct st_log_line {
    size_t len;
    char text[512]; /* the incomplete line; a longer line is cut */
};

/** Adds a byte. @return true: the byte ended the line; the next byte begins a new line. */
static inline bool st_log_line_take(struct st_log_line *line, char c)
{
    if (c != '\n' && line->len + 1 < sizeof(line->text))
        line->text[line->len++] = c != '\0' ? c : '?';
    if (c != '\n')
        return false;
    line->text[line->len] = '\0';
    line->len = 0;
    return true;
}
