/* A screen of character cells in memory, for the whole screen of a terminal or for printing. */
#pragma once

#include "core/base.h"

enum st_style {
    ST_STYLE_PLAIN,
    ST_STYLE_BOLD,
    ST_STYLE_DIM,
    ST_STYLE_GOOD,
    ST_STYLE_WARN,
    ST_STYLE_BAD,
    ST_STYLE_ALERT
};

struct st_cell {
    char text[5];        /* one character, UTF-8; "": the right half of a wide character */
    unsigned char style; /* enum st_style */
};

struct st_screen {
    int rows, columns;
    bool unicode; /* false: ASCII only */
    struct st_cell *cells;
};

/** Makes an empty screen. @return 0, -EINVAL (no rows or columns), -ENOMEM. */
ST_NODISCARD int st_screen_init(struct st_screen *screen, int rows, int columns, bool unicode);
void st_screen_finish(struct st_screen *screen);

struct st_cell *st_screen_cell(const struct st_screen *screen, int row, int column);

/** Writes text at a place, at most `width` columns and never beyond the screen. A mark in the last
 * column, or in place of a number, shows that text was cut. Foreign text is made safe
 * (core/text/safe.h); a character without width is left out. @return columns used. */
int st_screen_put(struct st_screen *screen, int row, int column, int width, enum st_style style,
                  const char *text);

/** Wraps text at spaces into at most max_rows rows of `width` columns; cuts the last row. @return
 * rows used. */
int st_screen_wrap(struct st_screen *screen, int row, int column, int width, int max_rows,
                   enum st_style style, const char *text);

/** Width of the text in columns; for a text wider than the screen, any number of at least the
 * screen's columns. */
int st_screen_width(const struct st_screen *screen, const char *text);

/** Number of rows of `width` columns that the text needs. */
int st_screen_wrapped_rows(const struct st_screen *screen, int width, const char *text);

/** Prints all rows up to the last one with text, without spaces at their ends and without
 * styles. */
void st_screen_print(const struct st_screen *screen, FILE *out);
