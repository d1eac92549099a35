/* The last two minutes, second by second, and the minute that goes on: what the drain thread saw of each
 * cycle. */
#pragma once

#include "core/stats/hist.h"
#include "measure/session.h"

#define ST_LIVE_SECONDS 120

/** The periods that were due in one second of CLOCK_MONOTONIC. */
struct st_live_second {
    int64_t index; /* second since the clock's zero */
    uint64_t cycles, misses;
    uint64_t lost;     /* periods of which nothing is known: the ring was full */
    int64_t max_ns;    /* lateness; INT64_MIN: no cycle */
    int64_t median_ns; /* INT64_MIN: fewer cycles than a median needs */
};

/** The sink of the session, and what others see of it: between st_session_hold and st_session_let_go. */
struct st_live {
    struct st_sink next;
    struct st_period period;
    int64_t t0_ns;                                  /* INT64_MIN: this loop does not count yet */
    uint64_t next_k;                                /* the first period that was not seen yet */
    struct st_live_second now;                      /* index < 0: none begun */
    struct st_hist hist;                            /* lateness in `now`; 2 digits */
    struct st_live_second seconds[ST_LIVE_SECONDS]; /* a ring; the slot is index % ST_LIVE_SECONDS */
    int64_t newest;                                 /* index of the newest whole second; INT64_MIN: none */
    int64_t next_due_ns;   /* of the next period, as of the last drain; INT64_MIN: no loop yet */
    struct st_hist minute; /* lateness; ST_HISTORY_DIGITS digits */
};

/** Oldest first, one a second without a gap: a second of which nothing is known has no cycles, misses or lost
 * periods. */
struct st_live_look {
    struct st_live_second seconds[ST_LIVE_SECONDS];
    size_t n;
};

int st_live_init(struct st_live *live);
void st_live_finish(struct st_live *live);

/** To be given to a session with this period; before it starts.
 * @param next gets each cycle, late wake-up and flush as well; NULL: no one. */
struct st_sink st_live_sink(struct st_live *live, const struct st_period *period, const struct st_sink *next);

/** Ends the minute: adds its lateness to an empty histogram of ST_HISTORY_DIGITS digits. */
void st_live_end_minute(struct st_live *live, struct st_hist *ret);

/** Forgets the seconds before a loop that starts after a rest: there is no gap to show. No session runs. */
void st_live_forget(struct st_live *live);

/** What is known at now_ns on CLOCK_MONOTONIC: whole seconds of the last ST_LIVE_SECONDS. */
void st_live_take(const struct st_live *live, int64_t now_ns, struct st_live_look *ret);
