/* Collects the lateness of the test loop in the current minute, and the due time of its next
 * period, from the cycles that the drain thread saw. */
#pragma once

#include "measure/session.h"

/** The sink of the test loop's session. It is filled by the drain thread; other threads may read it
 * between st_session_hold and st_session_let_go. */
struct st_live {
    struct st_sink next;
    struct st_period period;
    /* time of the loop's first deadline (CLOCK_MONOTONIC); INT64_MIN: the loop does not count
     * yet */
    int64_t t0_ns;
    uint64_t next_k;       /* index of the first period that was not seen yet */
    int64_t next_due_ns;   /* due time of next_k, as of the last drain; INT64_MIN: no loop yet */
    struct st_hist minute; /* lateness; ST_HISTORY_DIGITS digits */
};

int st_live_init(struct st_live *live);
void st_live_finish(struct st_live *live);

/** The sink for a session with this period; call before the session starts. @param next sink to
 * which each cycle, late wake-up and flush is passed on; NULL: none. */
struct st_sink st_live_sink(struct st_live *live, const struct st_period *period,
                            const struct st_sink *next);

/** Ends the minute: adds the lateness of the minute to *ret, an empty histogram of
 * ST_HISTORY_DIGITS digits. */
void st_live_end_minute(struct st_live *live, struct st_hist *ret);
