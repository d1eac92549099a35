/* The rule by which `compare` decides that something changed. A difference is shown if its p-value,
 * corrected for all figures that are compared together, is at most 5 %, and if it is larger than
 * the drift within the runs. */
#pragma once

#include "lab/compare/figure.h"

/** If nothing differs, a difference is shown in at most this share of all comparisons. */
#define ST_VERDICT_LEVEL 0.05

/**
 * Sets p_corrected and verdict of all figures that are compared together. @return how many figures
 * have a known difference. Source: Holm, "A simple sequentially rejective multiple test procedure",
 * 1979. */
size_t st_verdict_judge(struct st_figure *const *figures, size_t n);

/** Is a difference shown: better or worse? */
bool st_verdict_shows(const struct st_figure *figure);

/** The size that a true difference, in ns, needs to be shown with a probability of 80 %; at least
 * the drift. @param tests_n from st_verdict_judge. */
double st_verdict_detectable(const struct st_figure *figure, size_t tests_n);
