/* The sleeping methods of Linux, one row each; what only FreeBSD has at the end.
 *
 * What is stretched: a call that starts its timer with a range of current->timer_slack_ns may be woken as
 * late as the slack says; the slack of a real-time thread is 0. Read in Linux 6.1: kernel/time/hrtimer.c
 * (hrtimer_nanosleep), fs/select.c (select_estimate_accuracy), fs/eventpoll.c (ep_poll), kernel/signal.c
 * (do_sigtimedwait), kernel/futex/core.c (futex_setup_timer); without a range: fs/timerfd.c,
 * kernel/time/posix-timers.c, kernel/time/itimer.c, ipc/mqueue.c (wq_sleep), io_uring/timeout.c.
 */
#include <time.h>

#include "lib/ns.h"
#include "platform/linux/linux.h"
#include "platform/linux/sleep_linux.h"
#include "platform/posix/sleep_posix.h"

#define NANOSLEEP "hrtimer_nanosleep: a range of the timer slack"
#define POLLING   "select_estimate_accuracy: the larger of timer slack and 0.1 % of the timeout"
#define FUTEX     "futex_setup_timer: a range of the timer slack"
#define EXACT     "its timer is started without a range"
#define PUNCTUAL  "what the kernel adds is learned, and the margin grows by it"

#define CLOCK_RELATIVE(clock_name, id)                                                                       \
    {                                                                                                        \
        .name = "clock_nanosleep-rel-" clock_name, .summary = "clock_nanosleep for a time",                  \
        .clock = clock_name, .clock_id = (id), .asked = ST_SLEEP_RELATIVE, .stretch = ST_STRETCH_YES,        \
        .stretch_source = NANOSLEEP, .unit_ns = 1, .open = st_sleep_open_clock_relative,                     \
        .sleep = st_sleep_clock_relative                                                                     \
    }
#define CLOCK_ABSOLUTE(clock_name, id)                                                                       \
    {                                                                                                        \
        .name = "clock_nanosleep-abs-" clock_name, .summary = "clock_nanosleep until a time",                \
        .clock = clock_name, .clock_id = (id), .asked = ST_SLEEP_ABSOLUTE, .stretch = ST_STRETCH_YES,        \
        .stretch_source = NANOSLEEP, .unit_ns = 1, .usual = (id) == CLOCK_MONOTONIC,                         \
        .open = st_sleep_open_clock_absolute, .sleep = st_sleep_clock_absolute                               \
    }

static const struct st_sleep_method methods[] = {
    CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC),
    CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC),
    CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME),
    CLOCK_RELATIVE("realtime", CLOCK_REALTIME),
    CLOCK_ABSOLUTE("boottime", CLOCK_BOOTTIME),
    CLOCK_RELATIVE("boottime", CLOCK_BOOTTIME),
    CLOCK_ABSOLUTE("tai", CLOCK_TAI),
    CLOCK_RELATIVE("tai", CLOCK_TAI),
    CLOCK_ABSOLUTE("realtime_alarm", CLOCK_REALTIME_ALARM),
    CLOCK_ABSOLUTE("boottime_alarm", CLOCK_BOOTTIME_ALARM),
    CLOCK_ABSOLUTE("monotonic_raw", CLOCK_MONOTONIC_RAW),
    CLOCK_ABSOLUTE("monotonic_coarse", CLOCK_MONOTONIC_COARSE),
    {
        .name = "nanosleep",
        .summary = "nanosleep",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, NANOSLEEP),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_nanosleep,
    },
    {
        .name = "usleep",
        .summary = "usleep: nanosleep in microseconds",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, NANOSLEEP),
        .unit_ns = ST_NS_PER_US,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_usleep,
    },
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
    {
        .name = "select",
        .summary = "select on no file",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = ST_NS_PER_US,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_select,
    },
    {
        .name = "pselect",
        .summary = "pselect on no file",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_pselect,
    },
    {
        .name = "poll",
        .summary = "poll on no file: whole milliseconds",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = ST_NS_PER_MS,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_poll,
    },
    {
        .name = "ppoll",
        .summary = "ppoll on no file",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_ppoll,
    },
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
    {
        .name = "timerfd-rel",
        .summary = "timerfd for a time, then read",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(NO, EXACT),
        .unit_ns = 1,
        .open = st_sleep_open_timerfd,
        .sleep = st_sleep_timerfd_relative,
        .close = st_sleep_close_fd,
    },
    {
        .name = "timerfd-abs",
        .summary = "timerfd until a time, then read",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, EXACT),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_timerfd,
        .sleep = st_sleep_timerfd_absolute,
        .close = st_sleep_close_fd,
    },
    {
        .name = "timerfd-periodic",
        .summary = "timerfd armed once, each beat read",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_PERIODIC,
        ST_STRETCHED(NO, EXACT),
        .unit_ns = 1,
        .open = st_sleep_open_timerfd,
        .sleep = st_sleep_timerfd_periodic,
        .close = st_sleep_close_fd,
    },
    {
        .name = "posix-timer",
        .summary = "timer_settime until a time, then sigwaitinfo",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, EXACT),
        .unit_ns = 1,
        .open = st_sleep_open_posix_timer,
        .sleep = st_sleep_posix_timer,
        .close = st_sleep_close_posix_timer,
    },
    {
        .name = "setitimer",
        .summary = "setitimer ITIMER_REAL, then sigwaitinfo",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(NO, EXACT),
        .unit_ns = ST_NS_PER_US,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_setitimer,
    },
    {
        .name = "sigtimedwait",
        .summary = "sigtimedwait for a signal that nobody sends",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, "do_sigtimedwait: a range of the timer slack"),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_sigtimedwait,
    },
    {
        .name = "pthread_cond_timedwait",
        .summary = "a condition that nobody signals",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(YES, FUTEX),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_cond,
        .sleep = st_sleep_cond,
        .close = st_sleep_close_cond,
    },
    {
        .name = "sem_timedwait",
        .summary = "a semaphore that nobody posts",
        ST_ON_REALTIME,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(YES, FUTEX),
        .unit_ns = 1,
        .open = st_sleep_open_semaphore,
        .sleep = st_sleep_sem_timedwait,
        .close = st_sleep_close_semaphore,
    },
    {
        .name = "sem_clockwait",
        .summary = "the same on the monotonic clock (glibc 2.30)",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(YES, FUTEX),
        .unit_ns = 1,
        .open = st_sleep_open_semaphore,
        .sleep = st_sleep_sem_clockwait,
        .close = st_sleep_close_semaphore,
    },
    {
        .name = "mq_timedreceive",
        .summary = "a message queue that nobody writes to",
        ST_ON_REALTIME,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, "wq_sleep: a range of 0"),
        .unit_ns = 1,
        .open = st_sleep_open_queue,
        .sleep = st_sleep_queue,
        .close = st_sleep_close_queue,
    },
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
    {
        .name = "punctual-free",
        .summary = "sleeps to the smallest overshoot before the time",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, PUNCTUAL),
        .unit_ns = 1,
        .open = st_sleep_open_punctual_free,
        .sleep = st_sleep_punctual,
        .close = st_sleep_free_state,
    },
    {
        .name = "punctual",
        .summary = "sleeps to the 97 % quantile of the overshoots before the time, spins the rest",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, PUNCTUAL),
        .unit_ns = 1,
        .open = st_sleep_open_punctual,
        .sleep = st_sleep_punctual,
        .close = st_sleep_free_state,
    },
    {
        .name = "spin",
        .summary = "reads the clock until it is time; uses the whole CPU",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, "no timer at all"),
        .unit_ns = 1,
        .spins = true,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_spin,
    },
    ST_SLEEP_ABSENT("kevent-timeout", "kqueue is FreeBSD's"),
    ST_SLEEP_ABSENT("kevent-timer", "kqueue is FreeBSD's"),
    ST_SLEEP_ABSENT("umtx", "_umtx_op is FreeBSD's; futex is alike"),
    ST_SLEEP_ABSENT("sem_clockwait_np", "FreeBSD's name; sem_clockwait is alike"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-monotonic_fast", "a clock of FreeBSD"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-monotonic_precise", "a clock of FreeBSD"),
    ST_SLEEP_ABSENT("clock_nanosleep-abs-uptime", "a clock of FreeBSD"),
};

const struct st_sleep_method *st_linux_sleep_method(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}
