/* The laboratory's sleeping methods of FreeBSD, one row each; what only Linux has at the end.
 *
 * What is stretched by kern.timecounter.alloweddeviation: measured on 13.2 and 15.1 (2.667 ms from the call,
 * 5 % and 0 %), or read in sys/kern (kern_time.c, kern_umtx.c, sys_generic.c, kern_event.c). From 15.0 on
 * kern.timecounter.nanosleep_precise exempts nanosleep and clock_nanosleep on plain clocks, and nothing else.
 */
#include <time.h>

#include "lib/ns.h"
#include "lab/freebsd/lab_freebsd.h"
#include "lab/freebsd/sleep_freebsd.h"
#include "lab/posix/sleep_rows.h"

#define NANOSLEEP "kern_clock_nanosleep: a share of the remaining time"
#define POLLING   "the precision of tc_precexp, also where nanosleep_precise is 1; measured on 13.2 and 15.1"
#define UMTX      "kern_umtx.c passes precision 0"
#define MEASURED  "not stretched on 13.2 and 15.1, measured"

#define PLAIN   ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)
#define FAST    ST_STRETCHED(YES, "kern_clock_nanosleep: fast clocks keep the deviation on 15.0 too")
#define PRECISE ST_STRETCHED(IF_IMPRECISE, "before 15.0 as the plain clock, measured on 13.2")

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic_precise", CLOCK_MONOTONIC_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic_precise", CLOCK_MONOTONIC_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic_fast", CLOCK_MONOTONIC_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic_fast", CLOCK_MONOTONIC_FAST), FAST},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME), PLAIN},
    {ST_SLEEP_CLOCK_RELATIVE("realtime", CLOCK_REALTIME), PLAIN},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime_precise", CLOCK_REALTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_RELATIVE("realtime_precise", CLOCK_REALTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime_fast", CLOCK_REALTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("realtime_fast", CLOCK_REALTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_ABSOLUTE("uptime", CLOCK_UPTIME), PLAIN},
    {ST_SLEEP_CLOCK_RELATIVE("uptime", CLOCK_UPTIME), PLAIN},
    {ST_SLEEP_CLOCK_ABSOLUTE("uptime_precise", CLOCK_UPTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_RELATIVE("uptime_precise", CLOCK_UPTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_ABSOLUTE("uptime_fast", CLOCK_UPTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("uptime_fast", CLOCK_UPTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("second", CLOCK_SECOND), FAST},
    {ST_SLEEP_NANOSLEEP, ST_ON_REALTIME, PLAIN, .usual = true},
    {ST_SLEEP_USLEEP, ST_ON_REALTIME, PLAIN},
    {ST_SLEEP_SELECT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_PSELECT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_POLL, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_PPOLL, ST_STRETCHED(YES, POLLING), .usual = true},
    {
        .name = "kevent-timeout",
        .summary = "kevent on no event, with a timeout",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = 1,
        .open = st_sleep_open_kqueue,
        .sleep = st_sleep_kevent_timeout,
        .close = st_sleep_close_fd,
    },
    {
        .name = "kevent-timer",
        .summary = "EVFILT_TIMER, once",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(NO, MEASURED),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_kqueue,
        .sleep = st_sleep_kevent_timer,
        .close = st_sleep_close_fd,
    },
    {
        .name = "kevent-timer-periodic",
        .summary = "EVFILT_TIMER armed once, each beat waited for",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_PERIODIC,
        ST_STRETCHED(NO, MEASURED),
        .unit_ns = 1,
        .open = st_sleep_open_kqueue,
        .sleep = st_sleep_kevent_periodic,
        .close = st_sleep_close_fd,
    },
#if ST_HAVE_TIMERFD
    {ST_SLEEP_TIMERFD_RELATIVE(" (FreeBSD 14)"), ST_STRETCHED(UNKNOWN, NULL)},
    {ST_SLEEP_TIMERFD_PERIODIC(" (FreeBSD 14)"), ST_STRETCHED(UNKNOWN, NULL)},
#else
    ST_SLEEP_ABSENT("timerfd-rel", "FreeBSD has timerfd from 14.0 on"),
    ST_SLEEP_ABSENT("timerfd-periodic", "FreeBSD has timerfd from 14.0 on"),
#endif
    {ST_SLEEP_POSIX_TIMER(": whole ticks"),
     ST_STRETCHED(NO, "rounded up to ticks, and one more; measured on 13.2 and 15.1")},
    {ST_SLEEP_SETITIMER, ST_STRETCHED(YES, "kern_time.c, realitexpire: the precision of tc_precexp")},
    {ST_SLEEP_SIGTIMEDWAIT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_COND, ST_STRETCHED(NO, MEASURED), .usual = true},
    {ST_SLEEP_SEM_TIMEDWAIT, ST_STRETCHED(NO, UMTX)},
    {ST_SLEEP_SEM_CLOCKWAIT("sem_clockwait_np", ""), ST_STRETCHED(NO, MEASURED)},
    {ST_SLEEP_QUEUE(" (mqueuefs)"), ST_STRETCHED(UNKNOWN, NULL)},
    ST_SLEEP_LAST_ROWS,
    ST_SLEEP_ABSENT("thrd_sleep", "in libstdthreads, which sleeptune does not link; it calls nanosleep"),
    ST_SLEEP_ABSENT("epoll_wait", "epoll is Linux'; kevent-timeout is alike"),
    ST_SLEEP_ABSENT("epoll_pwait2", "epoll is Linux'; kevent-timeout is alike"),
    ST_SLEEP_ABSENT("libuv-loop", "built on epoll here; on FreeBSD libuv takes kqueue"),
    ST_SLEEP_ABSENT("sem_clockwait", "glibc's name; sem_clockwait_np is alike"),
    ST_SLEEP_ABSENT("futex", "a Linux call; umtx is alike"),
    ST_SLEEP_ABSENT("io_uring-timeout", "io_uring is Linux'"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-boottime", "another name of uptime here"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-tai", "no sleep on this clock"),
};

const struct st_sleep_method *st_freebsd_lab_sleep_method(struct st_lab *lab, size_t i)
{
    return st_lab_sleep_of_tables(lab, methods, ST_ARRAY_LEN(methods), i);
}
