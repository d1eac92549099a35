/* How two runs differ, in words and as a table, for `compare`. */
#pragma once

#include "lab/compare/figure.h"

#define ST_DIFFERENCE_TEXT_BYTES 1500

/* figures: ST_FIGURES of them, judged. buf: ST_DIFFERENCE_TEXT_BYTES unless said. Each returns buf. */

/** The answer, from the verdicts alone: "Better than A: the median is 8.2 µs less (95 %: 7.6 µs .. 8.9 µs)."
 * @param a the name of the first run. */
const char *st_difference_text_sentence(const struct st_figure *figures, size_t tests_n, const char *a,
                                        char *buf);
/** Figures that change within one run by more than chance, and by how much; "": none does. */
const char *st_difference_text_drift(const struct st_figure *figures, char *buf);
/** Intervals that may be too narrow; "": none. */
const char *st_difference_text_doubts(const struct st_figure *figures, char *buf);

/** A row for each figure that a run has: both values, the difference, its interval, p. */
void st_difference_text_table(FILE *out, const struct st_figure *figures, const char *a, const char *b);
