/* The table of dropouts per hour by buffer size: answer, rows and next step as text, rows as
 * JSON. */
#pragma once

#include <jansson.h>

#include "evidence/predict.h"

#define ST_PREDICT_SIZES_MAX 13 /* 1, 2 .. 2048 frames, and one other size */

/** The table of `predict`, a row for each buffer size. Holds pointers into itself: must not be
 * copied. */
struct st_predict_table {
    const struct st_predict_run *run;
    struct st_predict_row rows[ST_PREDICT_SIZES_MAX];
    size_t n;
    const struct st_predict_row
        *held;  /* the smallest size whose bound keeps the target; NULL: none */
    bool known; /* at least one row is known */
    bool brief; /* the run's length is printed elsewhere, and the run is too short for useful
                 * bounds */
};

/** Fills the rows of the table's run: the measured size, doubled up to 2048 frames, and the wanted
 * size in its order. @param wanted_frames 0: none */
void st_predict_text_fill(struct st_predict_table *table, uint32_t wanted_frames);

json_t *st_predict_text_rows_json(const struct st_predict_table *table);

/** Appearance of the rows. */
struct st_predict_view {
    int width; /* columns; headroom and bounds are shown from 64 columns on */
    bool colour;
    uint32_t used_frames; /* the row marked "in use"; 0: none */
    uint64_t music_n;     /* dropouts of the music at the size in use; printed beside the computer's
                             dropouts */
};

/** One sentence: the smallest size that kept the target, and how sure that is; or why no size
 * did. */
const char *st_predict_text_answer(const struct st_predict_table *table);
/** Prints a head and a row for each size. */
void st_predict_text_rows(const struct st_predict_table *table, const struct st_predict_view *view,
                          FILE *out);
/** Prints the mark of a row: ✔, ! or ✘. @param row NULL: not known. */
void st_predict_text_mark(const struct st_predict_row *row, bool colour, FILE *out);
/** How to set the size in the server that runs here, if the server is this user's. */
const char *st_predict_text_setting(uint32_t frames);
