/* The last minute: what the drain thread saw of each cycle. */
#ifndef ST_DAEMON_STATUS_MINUTE_H
#define ST_DAEMON_STATUS_MINUTE_H

#include <pthread.h>

#include "daemon/causes/causes.h"
#include "measure/session.h"

#define ST_MINUTE_DIGITS 2 /* of its histogram */

/** One minute; less for the first and the last, more when the loop got no CPU at its end. */
struct st_minute {
    int64_t from_wall_ns, to_wall_ns; /* may run backwards when the clock is set */
    int64_t duration_ns;              /* of its periods, which all have their cycle or were skipped */
    uint64_t cycles, misses, miss_events, skipped_periods, simulated_xruns, own_xruns, late_wakes;
    int64_t observed_xruns, starved_clients; /* of other programs; INT64_MIN: not watched */
    int64_t lateness_max_ns;                 /* INT64_MIN: no cycle */
};

struct st_minute_counts {
    int64_t measured_ns;   /* of all periods so far */
    int64_t until_wall_ns; /* their end */
    uint64_t cycles, misses, miss_events, skipped_periods, simulated_xruns, own_xruns, observed_xruns,
        starved_clients;
    bool observing; /* a source of observed xruns was watched */
};

struct st_minute_sink {
    struct st_causes *causes; /* gets how many wake-ups there were */
    /* drain thread */
    int64_t max_ns;
    uint64_t late_n, wakes_n;
    struct st_hist lateness; /* since the last flush */
    /* both threads */
    pthread_mutex_t mutex;
    int64_t shared_max_ns;
    uint64_t shared_late_n;
    struct st_hist shared_lateness;
};

int st_minute_sink_init(struct st_minute_sink *sink, struct st_causes *causes);
void st_minute_sink_finish(struct st_minute_sink *sink);

/** To be given to a session. */
struct st_sink st_minute_sink_functions(struct st_minute_sink *sink);

/** The counts of a loop at now_ns (CLOCK_MONOTONIC, wall_ns by the wall clock), and how long it measured:
 * until its first period of which nothing is known. A loop that gets no CPU measures nothing meanwhile, and
 * all of it with the cycle by which it is back. The counts of others are 0. */
struct st_minute_counts st_minute_counts_of(const struct st_result *result, int64_t now_ns, int64_t wall_ns);

/** Ends a minute: what was seen since the last one. Counts are differences; `before` becomes `now`. A counter
 * that went back (the loop was started again) counts from zero.
 * @param ret_lateness  an empty histogram of ST_MINUTE_DIGITS digits.
 * @return false: no period passed since; the minute goes on and becomes longer. Threads: one. */
bool st_minute_take(struct st_minute_sink *sink, struct st_minute_counts *before,
                    const struct st_minute_counts *now, struct st_minute *ret, struct st_hist *ret_lateness);

/** "last minute: 22500 cycles, 0 misses ..." @return buf. */
const char *st_minute_text(const struct st_minute *minute, char *buf, size_t buf_bytes);

#endif
