/* Calls of Linux, one row each; what only FreeBSD has at the end. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lab/linux/lab_linux.h"
#include "lab/posix/call_posix.h"

#ifdef SYS_futex
#define FUTEX_NUMBER SYS_futex
#else /* 32 bits, newer than 2038's problem */
#define FUTEX_NUMBER SYS_futex_time64
#endif

#define FREEBSD_CLOCK "only FreeBSD has this clock"

static int call_futex(struct st_call *c)
{
    return syscall(FUTEX_NUMBER, &c->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0 ? 0 : -errno;
}

static const struct st_call_method calls[] = {
    ST_CALL_EMPTY,
    ST_CALL_CLOCK("monotonic", CLOCK_MONOTONIC),
    ST_CALL_CLOCK("realtime", CLOCK_REALTIME),
    ST_CALL_CLOCK("boottime", CLOCK_BOOTTIME),
    ST_CALL_CLOCK("tai", CLOCK_TAI),
    ST_CALL_CLOCK("monotonic_raw", CLOCK_MONOTONIC_RAW),
    ST_CALL_CLOCK("monotonic_coarse", CLOCK_MONOTONIC_COARSE),
    ST_CALL_CLOCK("realtime_coarse", CLOCK_REALTIME_COARSE),
    ST_CALL_CLOCK("realtime_alarm", CLOCK_REALTIME_ALARM),
    ST_CALL_CLOCK("boottime_alarm", CLOCK_BOOTTIME_ALARM),
    ST_CALL_CLOCK("process_cputime", CLOCK_PROCESS_CPUTIME_ID),
    ST_CALL_CLOCK("thread_cputime", CLOCK_THREAD_CPUTIME_ID),
    {.name = "futex-wake",
     .summary = "futex: wake, and nobody waits",
     .call = call_futex,
     .raw = call_futex}, /* the C library has no function for it: it is a system call */
    ST_CALL_ABSENT("clock_gettime-monotonic_fast", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-monotonic_precise", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-realtime_fast", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-realtime_precise", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-uptime", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-uptime_fast", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-uptime_precise", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-second", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-virtual", FREEBSD_CLOCK),
    ST_CALL_ABSENT("clock_gettime-prof", FREEBSD_CLOCK),
    ST_CALL_ABSENT("umtx-wake", "only FreeBSD has it; see futex-wake"),
};

const struct st_call_method *st_linux_call_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return st_call_of_tables(calls, ST_ARRAY_LEN(calls), i);
}
