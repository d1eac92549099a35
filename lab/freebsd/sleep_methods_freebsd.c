/* The laboratory's sleeping methods of FreeBSD, one row each; what only Linux has at the end.
 *
 * What is stretched by kern.timecounter.alloweddeviation: measured on 13.2 and 15.1 (2.667 ms from the call,
 * 5 % and 0 %), or read in sys/kern (kern_time.c, kern_umtx.c, sys_generic.c, kern_event.c). From 15.0 on
 * kern.timecounter.nanosleep_precise exempts nanosleep and clock_nanosleep on plain clocks, and nothing else.
 */
#include <time.h>

#include "core/ns.h"
#include "lab/freebsd/lab_freebsd.h"
#include "lab/freebsd/sleep_freebsd.h"
#include "lab/posix/sleep_rows.h"

#define NANOSLEEP "kern_clock_nanosleep: a share of the remaining time"
#define POLLING   "the precision of tc_precexp, also where nanosleep_precise is 1; measured on 13.2 and 15.1"
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
    {ST_SLEEP_POSIX_TIMER(": whole ticks"),
     ST_STRETCHED(NO, "rounded up to ticks, and one more; measured on 13.2 and 15.1")},
    {ST_SLEEP_COND, ST_STRETCHED(NO, MEASURED), .usual = true},
    ST_SLEEP_ABSENT("epoll_wait", "epoll is Linux'; kevent-timeout is alike"),
    ST_SLEEP_ABSENT("futex", "a Linux call; umtx is alike"),
};

const struct st_sleep_method *st_freebsd_lab_sleep_method(struct st_lab *lab, size_t i)
{
    return st_lab_sleep_of_tables(lab, methods, ST_ARRAY_LEN(methods), i);
}
