/* The wait of punctual mode: sleep to a margin before the time, spin the rest. */
#pragma once

#include "platform/platform.h"
#include "punctual/margin.h"

#define ST_PUNCTUAL_NEAR_NS                                                                                  \
    100 /* reads of the clock that take longer are late by more if they are made in a row */
#define ST_PUNCTUAL_EDGE_NS 20 /* of these 100: room for what reads differ by */

#ifndef ST_PUNCTUAL_TURN /* of an empty loop; tests have their own */
#define ST_PUNCTUAL_TURN() __asm__ volatile("")
#endif

/* How many turns to make before the next read, so that one of the reads ends 20 to 80 ns after the due time.
 * @param left_ns until then. */
static inline unsigned st_punctual_wait_turns(const struct st_margin *margin, int64_t left_ns) ST_NONBLOCKING
{
    const int64_t to_last_ns = left_ns + ST_PUNCTUAL_NEAR_NS - ST_PUNCTUAL_EDGE_NS;
    if (margin->read_ns <= ST_PUNCTUAL_NEAR_NS || to_last_ns < margin->read_ns)
        return 0;
    const int64_t rest_ns = to_last_ns % margin->read_ns; /* what reads in a row leave over */
    if (rest_ns <= ST_PUNCTUAL_NEAR_NS - 2 * ST_PUNCTUAL_EDGE_NS)
        return 0;
    return (unsigned)((float)(rest_ns - ST_PUNCTUAL_NEAR_NS / 2 + ST_PUNCTUAL_EDGE_NS) *
                      margin->turns_per_ns);
}

/* Reads the clock until due_ns. Reads in a row would be late by up to the time of one. Little is done between
 * two of them, and the same each time: it is part of that time. */
static inline int64_t st_punctual_wait_spin(struct st_margin *margin, struct st_platform *platform,
                                            int64_t now_ns, int64_t due_ns) ST_NONBLOCKING
{
    while (now_ns < due_ns) {
        const int64_t before_ns = now_ns;
        const unsigned turns = st_punctual_wait_turns(margin, due_ns - now_ns);
        for (unsigned i = 0; i < turns; i++)
            ST_PUNCTUAL_TURN();
        now_ns = platform->now_ns(platform);
        if (turns > 0) {
            margin->turns_n += turns;
            margin->turns_ns += now_ns - before_ns - margin->read_ns;
        } else {
            margin->read_ns = now_ns - before_ns;
        }
    }
    return now_ns;
}

/**
 * Waits until due_ns on CLOCK_MONOTONIC; one sleep at most, none where what is left is within the margin.
 * @param clock of which only now_ns is called, and sleep_until_ns: its member of that name, or
 * sleep_until_precise_ns. @param now_ns the time of the call, just read; less than 292 years from due_ns.
 * @param early_ns how long before due_ns it asks to be woken; margin gets what came of that: overshoot_ns
 * where it slept, spun_ns. @param ret_woke_ns the last clock read, which is due_ns or later; written on
 * success.
 * @return 0, -EINTR (a signal came first), or what the sleep said. Real-time safe; one thread a margin.
 * Inline: once a cycle. */
static inline int st_punctual_wait_early(struct st_margin *margin, struct st_platform *platform,
                                         int (*sleep_until_ns)(struct st_platform *, int64_t) ST_NONBLOCKING,
                                         int64_t now_ns, int64_t due_ns, int64_t early_ns,
                                         int64_t *ret_woke_ns) ST_NONBLOCKING
{
    const int64_t wake_ns = due_ns - early_ns;
    const bool sleeps = wake_ns > now_ns;
    if (sleeps) {
        const int r = sleep_until_ns(platform, wake_ns);
        if (r != 0)
            return r;
    }
    int64_t woke_ns = platform->now_ns(platform);
    if (sleeps)
        margin->overshoot_ns = woke_ns - wake_ns;
    margin->spun_ns = 0;
    if (woke_ns < due_ns) {
        margin->spun_ns = due_ns - woke_ns;
        woke_ns = st_punctual_wait_spin(margin, platform, woke_ns, due_ns);
    }
    *ret_woke_ns = woke_ns;
    return 0;
}

/** The same by the margin as it is, for no more than half of the wait. Learns what the wait before saw. */
static inline int st_punctual_wait(struct st_margin *margin, struct st_platform *platform,
                                   int (*sleep_until_ns)(struct st_platform *, int64_t) ST_NONBLOCKING,
                                   int64_t now_ns, int64_t due_ns, int64_t *ret_woke_ns) ST_NONBLOCKING
{
    st_margin_review(margin); /* here there is time; after a wake-up there is none */
    return st_punctual_wait_early(margin, platform, sleep_until_ns, now_ns, due_ns,
                                  st_margin_for(margin, due_ns - now_ns), ret_woke_ns);
}
