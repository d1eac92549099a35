/* The last minute of the loop, as differences of what it has counted. */
#pragma once

#include "measure/result.h"
#include "store/history/history.h"

/** What a loop has counted at now_ns (CLOCK_MONOTONIC, wall_ns by the wall clock), and for how long: until
 * its first period of which nothing is known. A loop that gets no CPU measures nothing meanwhile, and all of
 * it with the cycle by which it is back. from_wall_ns, counts of others, lateness and causes are 0. */
struct st_history_minute st_minute_so_far(const struct st_result *result, int64_t now_ns, int64_t wall_ns);

/** Ends a minute: *ret is what came between `before` and `now`; `before` becomes `now`. A counter that went
 * back (the loop was started again) counts from zero.
 * @return false: no period passed since; the minute goes on and becomes longer. Pure. */
bool st_minute_take(struct st_history_minute *before, const struct st_history_minute *now,
                    struct st_history_minute *ret);

/** "last 60 s: 22500 cycles, 0 missed ..." @param dropouts_n of other programs; INT64_MIN: none was watched.
 * @return buf. */
const char *st_minute_text(const struct st_history_minute *minute, int64_t dropouts_n, char *buf,
                           size_t buf_bytes);
