/* Do events of missed periods (miss_events.h) stay below a limit an hour? They are taken as independent. */
#pragma once

#include "core/base.h"

enum st_limit_verdict { ST_LIMIT_KEPT, ST_LIMIT_BROKEN, ST_LIMIT_UNDECIDED };

/** A limit, and what was seen. */
struct st_limit {
    double per_hour; /* > 0 */
    bool any_time;   /* bounds hold at every look; else only at an end that was fixed before */
    uint64_t events_n;
    double hours; /* in which these came; > 0 */
};

/** Kept: the upper 95 % bound of events an hour is at most the limit. Broken: the lower one is above it. For
 * a fixed end both are exact Poisson bounds (Garwood 1936), one-sided. For every look, 95 % together: a
 * mixture of Poisson likelihoods over a gamma distribution with shape 1/2 and its mean at the limit, which is
 * fixed before the run. Source: Robbins, "Statistical methods related to the law of the iterated logarithm",
 * 1970; Howard et al., "Time-uniform confidence sequences", 2021. */
enum st_limit_verdict st_limit_judge(const struct st_limit *limit);

/** The shortest time, hours, that can show that the limit is kept: without any event. */
double st_limit_shortest(double per_hour, bool any_time);
