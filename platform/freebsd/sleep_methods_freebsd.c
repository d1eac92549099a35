/* The sleeping methods of FreeBSD, one row each; what only Linux has at the end.
 *
 * What is stretched by kern.timecounter.alloweddeviation: measured on 13.2 and 15.1 (2.667 ms from the call,
 * 5 % and 0 %), or read in sys/kern (kern_time.c, kern_umtx.c, sys_generic.c, kern_event.c). From 15.0 on
 * kern.timecounter.nanosleep_precise exempts nanosleep and clock_nanosleep on plain clocks, and nothing else.
 */
#include <time.h>

#include "lib/ns.h"
#include "platform/freebsd/freebsd.h"
#include "platform/freebsd/sleep_freebsd.h"
#include "platform/posix/sleep_posix.h"

#define NANOSLEEP "kern_clock_nanosleep: a share of the remaining time"
#define POLLING   "the precision of tc_precexp, also where nanosleep_precise is 1; measured on 13.2 and 15.1"
#define UMTX      "kern_umtx.c passes precision 0"
#define MEASURED  "not stretched on 13.2 and 15.1, measured"
#define PUNCTUAL  "what the kernel adds is learned, and the margin grows by it"

#define PLAIN   ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)
#define FAST    ST_STRETCHED(YES, "kern_clock_nanosleep: fast clocks keep the deviation on 15.0 too")
#define PRECISE ST_STRETCHED(IF_IMPRECISE, "before 15.0 as the plain clock, measured on 13.2")

#define CLOCK_RELATIVE(clock_name, id, stretched)                                                            \
    {                                                                                                        \
        .name = "clock_nanosleep-rel-" clock_name, .summary = "clock_nanosleep for a time",                  \
        .clock = clock_name, .clock_id = (id), .asked = ST_SLEEP_RELATIVE, stretched, .unit_ns = 1,          \
        .open = st_sleep_open_clock_relative, .sleep = st_sleep_clock_relative                               \
    }
#define CLOCK_ABSOLUTE(clock_name, id, stretched)                                                            \
    {                                                                                                        \
        .name = "clock_nanosleep-abs-" clock_name, .summary = "clock_nanosleep until a time",                \
        .clock = clock_name, .clock_id = (id), .asked = ST_SLEEP_ABSOLUTE, stretched, .unit_ns = 1,          \
        .usual = (id) == CLOCK_MONOTONIC, .open = st_sleep_open_clock_absolute,                              \
        .sleep = st_sleep_clock_absolute                                                                     \
    }

static const struct st_sleep_method methods[] = {
    CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC, PLAIN),
    CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC, PLAIN),
    CLOCK_ABSOLUTE("monotonic_precise", CLOCK_MONOTONIC_PRECISE, PRECISE),
    CLOCK_RELATIVE("monotonic_precise", CLOCK_MONOTONIC_PRECISE, PRECISE),
    CLOCK_ABSOLUTE("monotonic_fast", CLOCK_MONOTONIC_FAST, FAST),
    CLOCK_RELATIVE("monotonic_fast", CLOCK_MONOTONIC_FAST, FAST),
    CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME, PLAIN),
    CLOCK_RELATIVE("realtime", CLOCK_REALTIME, PLAIN),
    CLOCK_ABSOLUTE("realtime_precise", CLOCK_REALTIME_PRECISE, PRECISE),
    CLOCK_RELATIVE("realtime_precise", CLOCK_REALTIME_PRECISE, PRECISE),
    CLOCK_ABSOLUTE("realtime_fast", CLOCK_REALTIME_FAST, FAST),
    CLOCK_RELATIVE("realtime_fast", CLOCK_REALTIME_FAST, FAST),
    CLOCK_ABSOLUTE("uptime", CLOCK_UPTIME, PLAIN),
    CLOCK_RELATIVE("uptime", CLOCK_UPTIME, PLAIN),
    CLOCK_ABSOLUTE("uptime_precise", CLOCK_UPTIME_PRECISE, PRECISE),
    CLOCK_RELATIVE("uptime_precise", CLOCK_UPTIME_PRECISE, PRECISE),
    CLOCK_ABSOLUTE("uptime_fast", CLOCK_UPTIME_FAST, FAST),
    CLOCK_RELATIVE("uptime_fast", CLOCK_UPTIME_FAST, FAST),
    CLOCK_RELATIVE("second", CLOCK_SECOND, FAST),
    {
        .name = "nanosleep",
        .summary = "nanosleep",
        ST_ON_REALTIME,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(IF_IMPRECISE, NANOSLEEP),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_nanosleep,
    },
    {
        .name = "usleep",
        .summary = "usleep: nanosleep in microseconds",
        ST_ON_REALTIME,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(IF_IMPRECISE, NANOSLEEP),
        .unit_ns = ST_NS_PER_US,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_usleep,
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
    {
        .name = "timerfd-rel",
        .summary = "timerfd for a time, then read (FreeBSD 14)",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(UNKNOWN, NULL),
        .unit_ns = 1,
        .open = st_sleep_open_timerfd,
        .sleep = st_sleep_timerfd_relative,
        .close = st_sleep_close_fd,
    },
    {
        .name = "timerfd-abs",
        .summary = "timerfd until a time, then read (FreeBSD 14)",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(UNKNOWN, NULL),
        .unit_ns = 1,
        .open = st_sleep_open_timerfd,
        .sleep = st_sleep_timerfd_absolute,
        .close = st_sleep_close_fd,
    },
    {
        .name = "timerfd-periodic",
        .summary = "timerfd armed once, each beat read (FreeBSD 14)",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_PERIODIC,
        ST_STRETCHED(UNKNOWN, NULL),
        .unit_ns = 1,
        .open = st_sleep_open_timerfd,
        .sleep = st_sleep_timerfd_periodic,
        .close = st_sleep_close_fd,
    },
#else
    ST_SLEEP_ABSENT("timerfd-rel", "FreeBSD has timerfd from 14.0 on"),
    ST_SLEEP_ABSENT("timerfd-abs", "FreeBSD has timerfd from 14.0 on"),
    ST_SLEEP_ABSENT("timerfd-periodic", "FreeBSD has timerfd from 14.0 on"),
#endif
    {
        .name = "posix-timer",
        .summary = "timer_settime until a time, then sigwaitinfo: whole ticks",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, "rounded up to ticks, and one more; measured on 13.2 and 15.1"),
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
        ST_STRETCHED(YES, "kern_time.c, realitexpire: the precision of tc_precexp"),
        .unit_ns = ST_NS_PER_US,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_setitimer,
    },
    {
        .name = "sigtimedwait",
        .summary = "sigtimedwait for a signal that nobody sends",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_sigtimedwait,
    },
    {
        .name = "pthread_cond_timedwait",
        .summary = "a condition that nobody signals",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, MEASURED),
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
        ST_STRETCHED(NO, UMTX),
        .unit_ns = 1,
        .open = st_sleep_open_semaphore,
        .sleep = st_sleep_sem_timedwait,
        .close = st_sleep_close_semaphore,
    },
    {
        .name = "sem_clockwait_np",
        .summary = "the same on the monotonic clock",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, MEASURED),
        .unit_ns = 1,
        .open = st_sleep_open_semaphore,
        .sleep = st_sleep_sem_clockwait,
        .close = st_sleep_close_semaphore,
    },
    {
        .name = "mq_timedreceive",
        .summary = "a message queue that nobody writes to (mqueuefs)",
        ST_ON_REALTIME,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(UNKNOWN, NULL),
        .unit_ns = 1,
        .open = st_sleep_open_queue,
        .sleep = st_sleep_queue,
        .close = st_sleep_close_queue,
    },
    {
        .name = "umtx",
        .summary = "_umtx_op on a word that nobody wakes",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, UMTX),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = st_sleep_umtx,
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

const struct st_sleep_method *st_freebsd_sleep_method(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}
