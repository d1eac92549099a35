/* The wait of punctual mode: sleep until shortly before the due time (the margin), then spin. */
#pragma once

#include "platform/platform.h"
#include "punctual/margin.h"

/* longest time (ns) after the due time at which spinning must end. If one clock read takes longer,
 * an empty loop shifts the reads */
#define ST_PUNCTUAL_NEAR_NS 100
/* reserve within ST_PUNCTUAL_NEAR_NS, since clock reads vary in length */
#define ST_PUNCTUAL_EDGE_NS 20

#ifndef ST_PUNCTUAL_TURN /* one iteration of an empty loop; tests define their own */
#define ST_PUNCTUAL_TURN() __asm__ volatile("")
#endif

/* Number of turns of the empty loop before the next clock read, so that one of the following reads
 * ends 20 to 80 ns after the due time. @param left_ns time until the due time. */
static inline unsigned st_punctual_wait_turns(const struct st_margin *margin,
                                              int64_t left_ns) ST_NONBLOCKING
{
    const int64_t to_last_ns = left_ns + ST_PUNCTUAL_NEAR_NS - ST_PUNCTUAL_EDGE_NS;
    if (margin->read_ns <= ST_PUNCTUAL_NEAR_NS || to_last_ns < margin->read_ns)
        return 0;
    /* time that is left after a whole number of clock reads */
    const int64_t rest_ns = to_last_ns % margin->read_ns;
    if (rest_ns <= ST_PUNCTUAL_NEAR_NS - 2 * ST_PUNCTUAL_EDGE_NS)
        return 0;
    return (unsigned)((float)(rest_ns - ST_PUNCTUAL_NEAR_NS / 2 + ST_PUNCTUAL_EDGE_NS) *
                      margin->turns_per_ns);
}

/* Reads the clock until due_ns. Reads in a row would end late by up to the length of one read, so
 * an empty loop shifts them. The work between two reads is short and always the same, so it counts
 * as part of the read. */
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

/** Waits until due_ns (CLOCK_MONOTONIC) with at most one sleep; with none if due_ns is nearer than
 * early_ns.
 * @param platform only its now_ns is called, and it is passed to sleep_until_ns. @param
 * sleep_until_ns sleep_until_ns or sleep_until_precise_ns of the platform. @param now_ns the time
 * of the call, just read; less than 292 years from due_ns. @param early_ns how long before due_ns
 * the thread asks to be woken. margin->overshoot_ns (after a sleep) and margin->spun_ns receive the
 * outcome. @param ret_woke_ns the last clock read, due_ns or later; written on success. @return 0,
 * -EINTR (a signal came first), or the error of the sleep. Real-time safe; one thread for each
 * margin. Inline, since it runs once a cycle. */
static inline int st_punctual_wait_early(struct st_margin *margin, struct st_platform *platform,
                                         int (*sleep_until_ns)(struct st_platform *, int64_t)
                                             ST_NONBLOCKING,
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

/** As st_punctual_wait_early, with the current margin, limited to half of the wait. Learns the
 * outcome of the previous wait. */
static inline int st_punctual_wait(struct st_margin *margin, struct st_platform *platform,
                                   int (*sleep_until_ns)(struct st_platform *, int64_t)
                                       ST_NONBLOCKING,
                                   int64_t now_ns, int64_t due_ns,
                                   int64_t *ret_woke_ns) ST_NONBLOCKING
{
    /* learns before the sleep, because there is no time for it after the wake-up */
    st_margin_review(margin);
    return st_punctual_wait_early(margin, platform, sleep_until_ns, now_ns, due_ns,
                                  st_margin_for(margin, due_ns - now_ns), ret_woke_ns);
}
