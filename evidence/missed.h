/* Missed periods of two runs: one test, the interval that goes with it, and what that test would show. */
#ifndef ST_EVIDENCE_MISSED_H
#define ST_EVIDENCE_MISSED_H

#include "evidence/figure.h"

/** Misses that come one by one: Fisher's exact test, both tails. The interval leaves 0 out exactly where its
 * p-value is at most ST_VERDICT_LEVEL. @return 0, -EINVAL (more misses than periods). Source: Newcombe,
 * "Interval estimation for the difference between independent proportions", 1998 (hybrid score); Miettinen,
 * "Estimability and estimation in case-referent studies", 1976 (the end towards 0, where that and the test
 * disagree). */
ST_NODISCARD int st_missed_compare(uint64_t missed_a, uint64_t periods_a, uint64_t missed_b,
                                   uint64_t periods_b, struct st_figure *ret);

/** The same of misses that were divided by how they scatter. @param ret all but narrow and the drift. */
void st_missed_judge(const struct st_missed *counts, struct st_figure *ret);

/** By how much more B has to miss (a share of periods) so that the test shows it with a probability of 80 %.
 * @param level of the test. @return NAN: no share does. */
double st_missed_detectable(const struct st_missed *counts, double level);
/** How many times as much data shows `difference` with that probability. */
double st_missed_more_data(const struct st_missed *counts, double level, double difference);

#endif
