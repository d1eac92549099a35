/* The laboratory's sleeping methods of Linux, one row each; what only FreeBSD has at the end.
 *
 * What is stretched: a call that starts its timer with a range of current->timer_slack_ns may be woken as
 * late as the slack says; the slack of a real-time thread is 0. Read in Linux 6.1: kernel/time/hrtimer.c
 * (hrtimer_nanosleep), fs/select.c (select_estimate_accuracy), fs/eventpoll.c (ep_poll), kernel/futex/core.c
 * (futex_setup_timer); without a range: fs/timerfd.c, kernel/time/posix-timers.c.
 */
#include <time.h>

#include "core/ns.h"
#include "lab/linux/lab_linux.h"
#include "lab/linux/sleep_linux.h"
#include "lab/posix/sleep_rows.h"

#define NANOSLEEP "hrtimer_nanosleep: a range of the timer slack"
#define POLLING   "select_estimate_accuracy: the larger of timer slack and 0.1 % of the timeout"
#define FUTEX     "futex_setup_timer: a range of the timer slack"
#define EXACT     "its timer is started without a range"

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_NANOSLEEP, ST_ON_MONOTONIC, ST_STRETCHED(YES, NANOSLEEP), .usual = true},
    {ST_SLEEP_USLEEP, ST_ON_MONOTONIC, ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_SELECT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_POLL, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_PPOLL, ST_STRETCHED(YES, POLLING), .usual = true},
    {
        .name = "epoll_wait",
        .summary = "epoll_wait on no file: whole milliseconds",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = ST_NS_PER_MS,
        .usual = true,
        .open = st_sleep_open_epoll,
        .sleep = st_sleep_epoll_wait,
        .close = st_sleep_close_fd,
    },
    {ST_SLEEP_POSIX_TIMER(""), ST_STRETCHED(NO, EXACT)},
    {ST_SLEEP_COND, ST_STRETCHED(YES, FUTEX), .usual = true},
    {
        .name = "futex",
        .summary = "FUTEX_WAIT_BITSET on a word that no one wakes",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(YES, FUTEX),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_futex,
    },
    ST_SLEEP_ABSENT("kevent-timeout", "kqueue is FreeBSD's"),
    ST_SLEEP_ABSENT("kevent-timer", "kqueue is FreeBSD's"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-monotonic_fast", "a clock of FreeBSD"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-monotonic_precise", "a clock of FreeBSD"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-uptime", "a clock of FreeBSD"),
};

const struct st_sleep_method *st_linux_lab_sleep_method(struct st_lab *lab, size_t i)
{
    return st_lab_sleep_of_tables(lab, methods, ST_ARRAY_LEN(methods), i);
}
