/* The laboratory's sleeping methods of Linux, one row each; what only FreeBSD has at the end.
 *
 * What is stretched: a call that starts its timer with a range of current->timer_slack_ns may be woken as
 * late as the slack says; the slack of a real-time thread is 0. Read in Linux 6.1: kernel/time/hrtimer.c
 * (hrtimer_nanosleep), fs/select.c (select_estimate_accuracy), fs/eventpoll.c (ep_poll), kernel/signal.c
 * (do_sigtimedwait), kernel/futex/core.c (futex_setup_timer); without a range: fs/timerfd.c,
 * kernel/time/posix-timers.c, kernel/time/itimer.c, ipc/mqueue.c (wq_sleep), io_uring/timeout.c.
 */
#include <time.h>

#include "lib/ns.h"
#include "lab/linux/lab_linux.h"
#include "lab/linux/sleep_linux.h"
#include "lab/posix/sleep_rows.h"

#define NANOSLEEP "hrtimer_nanosleep: a range of the timer slack"
#define POLLING   "select_estimate_accuracy: the larger of timer slack and 0.1 % of the timeout"
#define FUTEX     "futex_setup_timer: a range of the timer slack"
#define EXACT     "its timer is started without a range"

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("realtime", CLOCK_REALTIME), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_ABSOLUTE("boottime", CLOCK_BOOTTIME), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("boottime", CLOCK_BOOTTIME), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_ABSOLUTE("tai", CLOCK_TAI), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("tai", CLOCK_TAI), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime_alarm", CLOCK_REALTIME_ALARM), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_ABSOLUTE("boottime_alarm", CLOCK_BOOTTIME_ALARM), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic_raw", CLOCK_MONOTONIC_RAW), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic_coarse", CLOCK_MONOTONIC_COARSE), ST_STRETCHED(YES, NANOSLEEP)},
    {ST_SLEEP_NANOSLEEP, ST_ON_MONOTONIC, ST_STRETCHED(YES, NANOSLEEP), .usual = true},
    {ST_SLEEP_USLEEP, ST_ON_MONOTONIC, ST_STRETCHED(YES, NANOSLEEP)},
    {
        .name = "thrd_sleep",
        .summary = "C11 thrd_sleep",
        ST_ON_REALTIME,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, NANOSLEEP),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_thrd,
    },
    {ST_SLEEP_SELECT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_PSELECT, ST_STRETCHED(YES, POLLING)},
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
    {
        .name = "epoll_pwait2",
        .summary = "epoll_pwait2 on no file (Linux 5.11)",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = 1,
        .open = st_sleep_open_epoll_pwait2,
        .sleep = st_sleep_epoll_pwait2,
        .close = st_sleep_close_fd,
    },
    {
        .name = "libuv-loop",
        .summary = "a timer in an event loop that counts whole milliseconds",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = ST_NS_PER_MS,
        .open = st_sleep_open_epoll,
        .sleep = st_sleep_libuv,
        .close = st_sleep_close_fd,
    },
    {ST_SLEEP_TIMERFD_RELATIVE(""), ST_STRETCHED(NO, EXACT)},
    {ST_SLEEP_TIMERFD_PERIODIC(""), ST_STRETCHED(NO, EXACT)},
    {ST_SLEEP_POSIX_TIMER(""), ST_STRETCHED(NO, EXACT)},
    {ST_SLEEP_SETITIMER, ST_STRETCHED(NO, EXACT)},
    {ST_SLEEP_SIGTIMEDWAIT, ST_STRETCHED(YES, "do_sigtimedwait: a range of the timer slack")},
    {ST_SLEEP_COND, ST_STRETCHED(YES, FUTEX), .usual = true},
    {ST_SLEEP_SEM_TIMEDWAIT, ST_STRETCHED(YES, FUTEX)},
    {ST_SLEEP_SEM_CLOCKWAIT("sem_clockwait", " (glibc 2.30)"), ST_STRETCHED(YES, FUTEX)},
    {ST_SLEEP_QUEUE(""), ST_STRETCHED(NO, "wq_sleep: a range of 0")},
    {
        .name = "futex",
        .summary = "FUTEX_WAIT_BITSET on a word that nobody wakes",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(YES, FUTEX),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_futex,
    },
    {
        .name = "io_uring-timeout",
        .summary = "IORING_OP_TIMEOUT until a time",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, EXACT),
        .unit_ns = 1,
        .open = st_sleep_open_uring,
        .sleep = st_sleep_uring,
        .close = st_sleep_close_uring,
    },
    ST_SLEEP_LAST_ROWS,
    ST_SLEEP_ABSENT("kevent-timeout", "kqueue is FreeBSD's"),
    ST_SLEEP_ABSENT("kevent-timer", "kqueue is FreeBSD's"),
    ST_SLEEP_ABSENT("sem_clockwait_np", "FreeBSD's name; sem_clockwait is alike"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-monotonic_fast", "a clock of FreeBSD"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-monotonic_precise", "a clock of FreeBSD"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-uptime", "a clock of FreeBSD"),
};

const struct st_sleep_method *st_linux_lab_sleep_method(struct st_lab *lab, size_t i)
{
    return st_lab_sleep_of_tables(lab, methods, ST_ARRAY_LEN(methods), i);
}
