/* A screen of rows in memory, for the whole screen of a terminal or for printing. */
#pragma once

#include "core/text/text.h"

#define ST_SCREEN_ROWS 2100 /* most rows: more than a table of programs has */

enum st_style {
    ST_STYLE_PLAIN,
    ST_STYLE_BOLD,
    ST_STYLE_DIM,
    ST_STYLE_GOOD,
    ST_STYLE_WARN,
    ST_STYLE_BAD,
    ST_STYLE_ALERT
};

/** Its texts live as long as texts of st_text(). The last members are empty at first. */
struct st_screen {
    int rows, columns; /* at least 1; at most ST_SCREEN_ROWS rows */
    /* on a terminal, for each style the parameters of SGR, the escape sequence for colours; NULL:
     * without styles */
    const char *const *styles;
    struct st_screen_row {
        const char *text; /* NULL: an empty row */
        int columns;      /* of text, without escape sequences */
    } all[ST_SCREEN_ROWS];
};

/** Writes text at a place behind what the row has, at most `width` columns and never beyond the
 * screen. A mark in the last column, or in place of a number, shows that text was cut. Foreign text
 * is made safe (core/text/safe.h). */
void st_screen_put(struct st_screen *screen, int row, int column, int width, enum st_style style,
                   const char *text);

/** Wraps text at spaces into at most max_rows rows of `width` columns; cuts the last row. @return
 * rows used. */
int st_screen_wrap(struct st_screen *screen, int row, int column, int width, int max_rows,
                   enum st_style style, const char *text);

/** Width of the text in columns, as the screen shows it. */
int st_screen_width(const char *text);

/** Number of rows of `width` columns that the text needs. */
int st_screen_wrapped_rows(struct st_screen *screen, int width, const char *text);

/** Prints all rows up to the last one with text. */
void st_screen_print(const struct st_screen *screen, FILE *out);
