/* The wait of punctual mode: sleep to a margin before the time, spin the rest. */
#ifndef ST_PLATFORM_PUNCTUAL_WAIT_H
#define ST_PLATFORM_PUNCTUAL_WAIT_H

#include "lib/margin.h"
#include "platform/platform.h"

/**
 * Waits until due_ns on CLOCK_MONOTONIC; one sleep at most, none where what is left is within the margin.
 * @param p of which only now_ns is called, and sleep_until_ns: its member of that name, or
 * sleep_until_precise_ns. @param now_ns the time of the call, just read. @param ret_woke_ns the last clock
 * read, which is due_ns or later; written on success.
 * @return 0, -EINTR (a signal came first), or what the sleep said. Learns what the wait before saw. Real-time
 * safe; one thread a margin.
 */
int st_punctual_wait(struct st_margin *margin, struct st_platform *p,
                     int (*sleep_until_ns)(struct st_platform *, int64_t) ST_NONBLOCKING, int64_t now_ns,
                     int64_t due_ns, int64_t *ret_woke_ns) ST_NONBLOCKING;

#endif
