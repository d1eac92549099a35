/* An assertion: do missed deadlines stay below a limit an hour? It is judged by episodes: misses less than a
 * second apart are one, because they come in bursts, and one pause of the machine would count a hundred
 * times. Episodes are taken as independent. */
#pragma once

#include "core/base.h"

#define ST_ASSERTION_GAP_NS INT64_C(1000000000)

enum st_assertion_verdict { ST_ASSERTION_KEPT, ST_ASSERTION_BROKEN, ST_ASSERTION_UNDECIDED };

/** What was seen. Begins with zeros but for the limit. */
struct st_assertion {
    double limit_per_hour; /* > 0 */
    bool any_time;         /* bounds hold at every look; else only at an end that was fixed before */
    uint64_t episodes_n;
    int64_t last_missed_ns; /* due time; valid if episodes_n > 0 */
};

/** Missed deadlines without one between them that was held; times ascend. @param first_ns, last_ns due times
 * of the first and the last one, on any clock. */
void st_assertion_miss(struct st_assertion *assertion, int64_t first_ns, int64_t last_ns);

/** Bounds of episodes an hour. For a fixed end: one-sided, 95 % each (exact Poisson: Garwood 1936). For every
 * look: 95 % together, a mixture of Poisson likelihoods over a gamma distribution with shape 1/2 and its mean
 * at the limit, which is fixed before the run. Source: Robbins, "Statistical methods related to the law of
 * the iterated logarithm", 1970; Howard et al., "Time-uniform confidence sequences", 2021. @param hours > 0
 */
void st_assertion_bounds(const struct st_assertion *assertion, double hours, double *ret_low,
                         double *ret_high);

/** Kept: the upper bound is at most the limit. Broken: the lower one is above it. */
enum st_assertion_verdict st_assertion_judge(const struct st_assertion *assertion, double hours);

/** The shortest time, hours, that can show that the limit is kept: without any episode. */
double st_assertion_shortest(double limit_per_hour, bool any_time);

/** How long a run decides, if episodes go on as in these hours: the shortest of twice, four times ... 64
 * times them. @return hours; 0: none of these. */
double st_assertion_decides_after(const struct st_assertion *assertion, double hours);
