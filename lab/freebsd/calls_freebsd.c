/* Calls of FreeBSD, one row each; what only Linux has at the end. clock_gettime(2), _umtx_op(2). */
#include <errno.h>
#include <time.h>

#include <sys/types.h>

#include <sys/umtx.h>

#include "lab/freebsd/lab_freebsd.h"
#include "lab/posix/call_posix.h"

#define LINUX_CLOCK "only Linux has this clock"

static int call_umtx(struct st_call *c)
{
    return _umtx_op(&c->word, UMTX_OP_WAKE_PRIVATE, 1, NULL, NULL) == 0 ? 0 : -errno;
}

static const struct st_call_method calls[] = {
    ST_CALL_EMPTY,
    ST_CALL_CLOCK("monotonic", CLOCK_MONOTONIC),
    ST_CALL_CLOCK("monotonic_fast", CLOCK_MONOTONIC_FAST),
    ST_CALL_CLOCK("monotonic_precise", CLOCK_MONOTONIC_PRECISE),
    ST_CALL_CLOCK("realtime", CLOCK_REALTIME),
    ST_CALL_CLOCK("realtime_fast", CLOCK_REALTIME_FAST),
    ST_CALL_CLOCK("realtime_precise", CLOCK_REALTIME_PRECISE),
    ST_CALL_CLOCK("uptime", CLOCK_UPTIME),
    ST_CALL_CLOCK("uptime_fast", CLOCK_UPTIME_FAST),
    ST_CALL_CLOCK("uptime_precise", CLOCK_UPTIME_PRECISE),
    ST_CALL_CLOCK("second", CLOCK_SECOND),
    ST_CALL_CLOCK("virtual", CLOCK_VIRTUAL),
    ST_CALL_CLOCK("prof", CLOCK_PROF),
    ST_CALL_CLOCK("process_cputime", CLOCK_PROCESS_CPUTIME_ID),
    ST_CALL_CLOCK("thread_cputime", CLOCK_THREAD_CPUTIME_ID),
    {.name = "umtx-wake",
     .summary = "_umtx_op: wake, and nobody waits",
     .call = call_umtx,
     .raw = call_umtx}, /* the C library has no other way to it: it is a system call */
    ST_CALL_ABSENT("clock_gettime-boottime", "the same as uptime on FreeBSD"),
    ST_CALL_ABSENT("clock_gettime-tai", LINUX_CLOCK),
    ST_CALL_ABSENT("clock_gettime-monotonic_raw", LINUX_CLOCK),
    ST_CALL_ABSENT("clock_gettime-monotonic_coarse", "the same as monotonic_fast on FreeBSD"),
    ST_CALL_ABSENT("clock_gettime-realtime_coarse", "the same as realtime_fast on FreeBSD"),
    ST_CALL_ABSENT("clock_gettime-realtime_alarm", LINUX_CLOCK),
    ST_CALL_ABSENT("clock_gettime-boottime_alarm", LINUX_CLOCK),
    ST_CALL_ABSENT("futex-wake", "only Linux has it; see umtx-wake"),
};

const struct st_call_method *st_freebsd_call_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return st_call_of_tables(calls, ST_ARRAY_LEN(calls), i);
}
