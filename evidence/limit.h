/* Do events of missed periods (miss_events.h) stay below a limit an hour? They are taken as independent. */
#pragma once

#include "core/base.h"

#define ST_LIMIT_LEAST_N                                                                                     \
    2.995732274 /* -log(0.05): fewer allowed events cannot be shown to be kept, even by none */

enum st_limit_verdict { ST_LIMIT_KEPT, ST_LIMIT_BROKEN, ST_LIMIT_UNDECIDED };

/** Kept: the upper 95 % bound of events is at most what is allowed. Broken: the lower one is above it. Both
 * are exact Poisson bounds (Garwood 1936), one-sided, of a run whose end was fixed before. Broken by the
 * events so far is broken at that end. @param allowed_n in the whole run. */
enum st_limit_verdict st_limit_judge(double allowed_n, uint64_t events_n);
