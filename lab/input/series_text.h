/* A series from text: one figure a line, or the CSV of `sleeptune-lab plot`. */
#pragma once

#include "lab/stats/series.h"

enum st_series_text_kind {
    ST_SERIES_TEXT_EMPTY,   /* no line with a figure yet */
    ST_SERIES_TEXT_SECONDS, /* figures, one of them at least with a decimal point or an exponent */
    ST_SERIES_TEXT_NS,      /* whole figures */
    ST_SERIES_TEXT_CSV,     /* period,lateness_ns,skipped */
};

struct st_series_text {
    size_t
        cell; /* column to read, from 1; 0: a line has one figure. Set after st_series_text_init */
    int64_t unit_ns; /* ns that a figure of 1 means; 0: a second if any figure has a decimal point,
                        else 1 ns. Set after st_series_text_init */
    struct st_series series; /* the samples; in CSV, rows of skipped periods are left out */
    enum st_series_text_kind kind;
    bool period_known; /* CSV's comment period_ns was read */
    char heading[64];  /* heading of the column in a table; "": none */
    double *column;    /* figures of the lines so far, whose unit is known only at the end */
    size_t column_n, column_room;
};

/** @param period between two lines of text, or of CSV that does not say its period. */
void st_series_text_init(struct st_series_text *text, const struct st_period *period);
void st_series_text_finish(struct st_series_text *text);

/** Adds one line without its newline. Empty lines and lines that begin with '#' are comments. A row
 * whose cell in the column is empty adds no sample. @return 0; -EBADMSG (not one figure, or a NUL
 * in the line); -ENOENT (no such column); -ERANGE (lateness of more than an hour, period out of
 * range); -EINVAL (period indices do not ascend); -ENOMEM. Threads: one per text. */
ST_NODISCARD int st_series_text_line(struct st_series_text *text, const char *line, size_t bytes);

/** Ends the text after its last line: text->series and kind are complete then. @return 0, -ENODATA
 * (no figure), -ENOMEM, -ERANGE. */
ST_NODISCARD int st_series_text_end(struct st_series_text *text);
