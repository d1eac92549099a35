/* How two runs differ, in words and as a table, for `compare`. */
#pragma once

#include "lab/compare/figure.h"

#define ST_DIFFERENCE_TEXT_BYTES 1500

/* In all functions, `figures` has ST_FIGURES elements, which st_verdict_judge has judged. A `buf`
 * has ST_DIFFERENCE_TEXT_BYTES and is returned. */

/** The sentence that says whether and how the runs differ, from the verdicts alone: "Better than A:
 * the median is 8.2 µs less (95 %: 7.6 µs .. 8.9 µs)."
 * @param a the name of the first run. */
const char *st_difference_text_sentence(const struct st_figure *figures, size_t tests_n,
                                        const char *a, char *buf);
/** Names the figures that change within one run by more than chance, and by how much; "": none
 * does. */
const char *st_difference_text_drift(const struct st_figure *figures, char *buf);
/** Names the figures whose interval may be too narrow; "": none. */
const char *st_difference_text_doubts(const struct st_figure *figures, char *buf);

/** Prints a row for each figure: both values, the difference, its interval, p. */
void st_difference_text_table(FILE *out, const struct st_figure *figures, const char *a,
                              const char *b);
