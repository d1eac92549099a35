/* Sleeping methods that Linux and FreeBSD share: the parts of a row that are the same on both. A row adds
 * what the OS stretches (ST_STRETCHED), and whether the method is among its usual ones. */
#ifndef ST_LAB_POSIX_SLEEP_ROWS_H
#define ST_LAB_POSIX_SLEEP_ROWS_H

#include "lab/posix/sleep_lab.h"
#include "lib/ns.h"

/* without a state; the clock is the OS's choice */
#define ST_SLEEP_NANOSLEEP                                                                                   \
    .name = "nanosleep", .summary = "nanosleep", .asked = ST_SLEEP_RELATIVE, .unit_ns = 1,                   \
    .open = st_sleep_open_nothing, .sleep = st_sleep_nanosleep
#define ST_SLEEP_USLEEP                                                                                      \
    .name = "usleep", .summary = "usleep: nanosleep in microseconds", .asked = ST_SLEEP_RELATIVE,            \
    .unit_ns = ST_NS_PER_US, .open = st_sleep_open_nothing, .sleep = st_sleep_usleep

#define ST_SLEEP_SELECT                                                                                      \
    .name = "select", .summary = "select on no file", ST_ON_MONOTONIC, .asked = ST_SLEEP_RELATIVE,           \
    .unit_ns = ST_NS_PER_US, .open = st_sleep_open_nothing, .sleep = st_sleep_select
#define ST_SLEEP_PSELECT                                                                                     \
    .name = "pselect", .summary = "pselect on no file", ST_ON_MONOTONIC, .asked = ST_SLEEP_RELATIVE,         \
    .unit_ns = 1, .open = st_sleep_open_nothing, .sleep = st_sleep_pselect
#define ST_SLEEP_POLL                                                                                        \
    .name = "poll", .summary = "poll on no file: whole milliseconds", ST_ON_MONOTONIC,                       \
    .asked = ST_SLEEP_RELATIVE, .unit_ns = ST_NS_PER_MS, .open = st_sleep_open_nothing,                      \
    .sleep = st_sleep_poll
#define ST_SLEEP_PPOLL                                                                                       \
    .name = "ppoll", .summary = "ppoll on no file", ST_ON_MONOTONIC, .asked = ST_SLEEP_RELATIVE,             \
    .unit_ns = 1, .open = st_sleep_open_nothing, .sleep = st_sleep_ppoll

/* more: what else there is to say here, a literal */
#define ST_SLEEP_TIMERFD_RELATIVE(more)                                                                      \
    .name = "timerfd-rel", .summary = "timerfd for a time, then read" more, ST_ON_MONOTONIC,                 \
    .asked = ST_SLEEP_RELATIVE, .unit_ns = 1, .open = st_sleep_open_timerfd,                                 \
    .sleep = st_sleep_timerfd_relative, .close = st_sleep_close_fd
#define ST_SLEEP_TIMERFD_PERIODIC(more)                                                                      \
    .name = "timerfd-periodic", .summary = "timerfd armed once, each beat read" more, ST_ON_MONOTONIC,       \
    .asked = ST_SLEEP_PERIODIC, .unit_ns = 1, .open = st_sleep_open_timerfd,                                 \
    .sleep = st_sleep_timerfd_periodic, .close = st_sleep_close_fd

#define ST_SLEEP_POSIX_TIMER(more)                                                                           \
    .name = "posix-timer", .summary = "timer_settime until a time, then sigwaitinfo" more, ST_ON_MONOTONIC,  \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_open_posix_timer,                             \
    .sleep = st_sleep_posix_timer, .close = st_sleep_close_posix_timer
#define ST_SLEEP_SETITIMER                                                                                   \
    .name = "setitimer", .summary = "setitimer ITIMER_REAL, then sigwaitinfo", ST_ON_MONOTONIC,              \
    .asked = ST_SLEEP_RELATIVE, .unit_ns = ST_NS_PER_US, .open = st_sleep_open_nothing,                      \
    .sleep = st_sleep_setitimer
#define ST_SLEEP_SIGTIMEDWAIT                                                                                \
    .name = "sigtimedwait", .summary = "sigtimedwait for a signal that nobody sends", ST_ON_MONOTONIC,       \
    .asked = ST_SLEEP_RELATIVE, .unit_ns = 1, .open = st_sleep_open_nothing, .sleep = st_sleep_sigtimedwait

#define ST_SLEEP_COND                                                                                        \
    .name = "pthread_cond_timedwait", .summary = "a condition that nobody signals", ST_ON_MONOTONIC,         \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_open_cond, .sleep = st_sleep_cond,            \
    .close = st_sleep_close_cond
#define ST_SLEEP_SEM_TIMEDWAIT                                                                               \
    .name = "sem_timedwait", .summary = "a semaphore that nobody posts", ST_ON_REALTIME,                     \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_open_semaphore,                               \
    .sleep = st_sleep_sem_timedwait, .close = st_sleep_close_semaphore
#define ST_SLEEP_SEM_CLOCKWAIT(its_name, more)                                                               \
    .name = its_name, .summary = "the same on the monotonic clock" more, ST_ON_MONOTONIC,                    \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_open_semaphore,                               \
    .sleep = st_sleep_sem_clockwait, .close = st_sleep_close_semaphore
#define ST_SLEEP_QUEUE(more)                                                                                 \
    .name = "mq_timedreceive", .summary = "a message queue that nobody writes to" more, ST_ON_REALTIME,      \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_open_queue, .sleep = st_sleep_queue,          \
    .close = st_sleep_close_queue

/* whole rows: nobody stretches these */
#define ST_SLEEP_PUNCTUAL(its_name, text, opens)                                                             \
    {                                                                                                        \
        .name = its_name, .summary = (text), ST_ON_MONOTONIC, .asked = ST_SLEEP_ABSOLUTE,                    \
        ST_STRETCHED(NO, "what the kernel adds is learned, and the margin grows by it"), .unit_ns = 1,       \
        .open = (opens), .sleep = st_sleep_punctual, .close = st_sleep_free_state                            \
    }
#define ST_SLEEP_LAST_ROWS                                                                                   \
    ST_SLEEP_PUNCTUAL("punctual-free", "sleeps to the smallest overshoot before the time",                   \
                      st_sleep_open_punctual_free),                                                          \
        ST_SLEEP_PUNCTUAL("punctual",                                                                        \
                          "sleeps to a margin before the time, spins the rest: at most 2 % of what is "      \
                          "asked for, on average",                                                           \
                          st_sleep_open_punctual),                                                           \
    {                                                                                                        \
        .name = "spin", .summary = "reads the clock until it is time; uses the whole CPU", ST_ON_MONOTONIC,  \
        .asked = ST_SLEEP_ABSOLUTE, ST_STRETCHED(NO, "no timer at all"), .unit_ns = 1, .spins = true,        \
        .open = st_sleep_open_nothing, .sleep = st_sleep_spin                                                \
    }

#endif
