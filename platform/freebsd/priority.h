/* Real-time priorities: ours (1..99, as Linux and every audio program count them) and FreeBSD's
 * (0..31). Pure, tested on every host. */
#pragma once

#include "core/base.h"

#define ST_FREEBSD_PRIORITY_MAX 31 /* RTP_PRIO_MAX; sched_get_priority_max(SCHED_FIFO) */

/** floor(priority * 31 / 99): 70 is 21, 99 is 31. @return 0..31, -EINVAL outside 1..99. */
static inline int st_priority_to_freebsd(int priority)
{
    return priority < 1 || priority > 99 ? -EINVAL : priority * ST_FREEBSD_PRIORITY_MAX / 99;
}

/** Converts to or from rtprio(2), where 0 is the most urgent priority; the function is its own
 * inverse. */
static inline int st_priority_rtprio(int freebsd_priority)
{
    return ST_FREEBSD_PRIORITY_MAX - freebsd_priority;
}
