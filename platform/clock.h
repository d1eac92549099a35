/* The seam: real time. Conventions of the seam: platform/platform.h. In the cycle loop: the first three. */
#pragma once

#include "core/base.h"

struct st_clock {
    /** CLOCK_MONOTONIC. Never fails; vDSO where the OS has it. */
    int64_t (*now_ns)(struct st_clock *clock) ST_NONBLOCKING;
    /** Sleeps until due_ns on CLOCK_MONOTONIC: exactly one clock_nanosleep(TIMER_ABSTIME).
     *  @return 0, or -EINTR when a signal came first. */
    int (*sleep_until_ns)(struct st_clock *clock, int64_t due_ns) ST_NONBLOCKING;
    /** As sleep_until_ns by a timed wait that the kernel does not stretch (FreeBSD: umtx). -ENOTSUP where the
     * plain sleep of a real-time thread is exact already (Linux). */
    int (*sleep_until_precise_ns)(struct st_clock *clock, int64_t due_ns) ST_NONBLOCKING;
    /** CLOCK_REALTIME, ns since 1970. */
    int64_t (*wall_ns)(struct st_clock *clock);
    /** Total time this machine was suspended since boot (CLOCK_BOOTTIME - CLOCK_MONOTONIC), >= 0 up to read
     * noise.
     *  @return 0 or -ENOTSUP. */
    int (*suspended_ns)(struct st_clock *clock, int64_t *ret_ns);
};

static inline int64_t st_clock_now_ns(struct st_clock *clock)
{
    return clock->now_ns(clock);
}

static inline int64_t st_clock_wall_ns(struct st_clock *clock)
{
    return clock->wall_ns(clock);
}
