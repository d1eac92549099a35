/* Is the hourly rate of miss events (miss_events.h) below a limit? The events are taken as independent. */
#pragma once

#include "core/base.h"

#define ST_LIMIT_LEAST_N                                                                                     \
    2.995732274 /* -log(0.05): with fewer allowed events, even no event at all cannot show that the limit is \
                   kept */

enum st_limit_verdict { ST_LIMIT_KEPT, ST_LIMIT_BROKEN, ST_LIMIT_UNDECIDED };

/** Kept: the upper 95 % bound of the event rate is at most the limit. Broken: the lower 95 % bound is
 * above the limit. Both bounds are exact and one-sided (Poisson; Garwood 1936), for a run whose end was
 * fixed in advance. A run already broken by its events so far stays broken at its end. @param allowed_n
 * events in the whole run. */
enum st_limit_verdict st_limit_judge(double allowed_n, uint64_t events_n);
