/* Missed periods of two runs: one test, and the interval that goes with it. */
#pragma once

#include "lab/compare/figure.h"

/** Fisher's exact test, both tails, of misses that were divided by how they scatter. The interval leaves 0
 * out exactly where the p-value is at most ST_VERDICT_LEVEL. @param ret all but narrow and the drift. Source:
 * Newcombe, "Interval estimation for the difference between independent proportions", 1998 (hybrid score);
 * Miettinen, "Estimability and estimation in case-referent studies", 1976 (the end towards 0, where that and
 * the test disagree). */
void st_missed_judge(const struct st_missed *counts, struct st_figure *ret);
