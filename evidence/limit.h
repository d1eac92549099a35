/* Is the hourly rate of miss events (miss_events.h) below a limit? Assumes that the events are
 * independent.
 */
#pragma once

#include "core/base.h"

/* -log(0.05): with fewer allowed events, even a run without an event cannot show that the limit is
 * kept */
#define ST_LIMIT_LEAST_N 2.995732274

enum st_limit_verdict { ST_LIMIT_KEPT, ST_LIMIT_BROKEN, ST_LIMIT_UNDECIDED };

/** Judges a run. Kept: the upper 95 % bound of the event rate is at most the limit. Broken: the
 * lower 95 % bound is above the limit. Both bounds are exact and one-sided (Poisson; Garwood 1936),
 * for a run whose end was fixed in advance. Once the events so far break the limit, further ones
 * cannot change that. @param allowed_n events that the limit allows in the whole run. */
enum st_limit_verdict st_limit_judge(double allowed_n, uint64_t events_n);
