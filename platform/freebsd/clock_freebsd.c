/* The exact sleep of the cycle loop. */
#include <sys/types.h>

#include <sys/umtx.h>

#include "core/ns.h"
#include "platform/freebsd/freebsd.h"

/* Sleeps by a wait on a word that no one wakes, with an absolute timeout. Before FreeBSD 15 (and
 * later with kern.timecounter.nanosleep_precise=0) clock_nanosleep is stretched by
 * kern.timecounter.alloweddeviation, a share of the remaining time; umtx passes precision 0 to
 * msleep_sbt and is not stretched. It needs no right. Source: sys/kern/kern_umtx.c, do_wait and
 * umtxq_sleep; _umtx_op(2). */
int st_freebsd_sleep_until_precise_ns(ST_UNUSED struct st_platform *platform,
                                      int64_t due_ns) ST_NONBLOCKING
{
    const int64_t due = due_ns > 0 ? due_ns : 1; /* 0 would mean "no timeout" to the kernel */
    uint32_t word = 0; /* on the thread's stack: no other thread waits in its sleep queue */
    struct _umtx_time timeout = {
        ._timeout = {.tv_sec = due / ST_NS_PER_S, .tv_nsec = due % ST_NS_PER_S},
        ._flags = UMTX_ABSTIME,
        ._clockid = CLOCK_MONOTONIC,
    };
    /* the fourth argument is the size of the fifth, as a pointer */
    if (_umtx_op(&word, UMTX_OP_WAIT_UINT_PRIVATE, 0, (void *)sizeof(timeout), &timeout) == 0 ||
        errno == ETIMEDOUT)
        return 0;
    return -errno;
}
