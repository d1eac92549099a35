/* The one rule by which `compare` says that something changed. A difference
 * is shown if its p-value, corrected for all figures compared together, is at most 5 %, and if it is larger
 * than the drift of the runs, if they drift. */
#pragma once

#include "lab/compare/figure.h"

/** Where nothing differs, a difference is shown in at most this share of all comparisons. */
#define ST_VERDICT_LEVEL 0.05

/**
 * Sets p_corrected and verdict of all figures compared together. @return how many were tested.
 * Source: Holm, "A simple sequentially rejective multiple test procedure", 1979. */
size_t st_verdict_judge(struct st_figure *const *figures, size_t n);

/** Is a difference shown: better or worse? */
bool st_verdict_shows(const struct st_figure *figure);

/** The difference of a quantile that is shown with a probability of 80 %; at least the drift. @param tests_n
 * from st_verdict_judge. */
double st_verdict_detectable(const struct st_figure *figure, size_t tests_n);
