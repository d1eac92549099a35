/* Sleeping methods of the laboratory that Linux and FreeBSD share: the functions of their rows
 * (lab/sleep/sleep.h), beside those that the platform has (lab/posix/sleep_posix.h). */
#pragma once

#include "core/ns.h"
#include "lab/posix/sleep_posix.h"

/** Blocks the signals that some methods wait for; call it before the first thread starts, so that no thread
 * gets them. @return 0 or -errno. */
int st_sleep_lab_block_signals(void);

int st_sleep_lab_nanosleep(struct st_sleep *s, int64_t requested_ns);
int st_sleep_lab_usleep(struct st_sleep *s, int64_t requested_ns);

/** Of a call that waits for nothing with a timeout. @return 0 (r 0: it passed), -errno, -EIO (r > 0). */
int st_sleep_lab_timed_out(int r);
int st_sleep_lab_select(struct st_sleep *s, int64_t requested_ns);
int st_sleep_lab_poll(struct st_sleep *s, int64_t requested_ns);
int st_sleep_lab_ppoll(struct st_sleep *s, int64_t requested_ns);

int st_sleep_lab_open_posix_timer(struct st_sleep *s);
int st_sleep_lab_posix_timer(struct st_sleep *s, int64_t requested_ns);
void st_sleep_lab_close_posix_timer(struct st_sleep *s);

int st_sleep_lab_open_cond(struct st_sleep *s);
int st_sleep_lab_cond(struct st_sleep *s, int64_t requested_ns);
void st_sleep_lab_close_cond(struct st_sleep *s);

/* Sleeping methods that Linux and FreeBSD share: the parts of a row that are the same on both. A row adds
 * what the OS stretches (ST_STRETCHED), and whether the method is among its usual ones. */

/* without a state; the clock is the OS's choice */
#define ST_SLEEP_NANOSLEEP                                                                                   \
    .name = "nanosleep", .summary = "nanosleep", .asked = ST_SLEEP_RELATIVE, .unit_ns = 1,                   \
    .open = st_sleep_open_nothing, .sleep = st_sleep_lab_nanosleep
#define ST_SLEEP_USLEEP                                                                                      \
    .name = "usleep", .summary = "usleep: nanosleep in microseconds", .asked = ST_SLEEP_RELATIVE,            \
    .unit_ns = ST_NS_PER_US, .open = st_sleep_open_nothing, .sleep = st_sleep_lab_usleep

#define ST_SLEEP_SELECT                                                                                      \
    .name = "select", .summary = "select without a file", ST_ON_MONOTONIC, .asked = ST_SLEEP_RELATIVE,       \
    .unit_ns = ST_NS_PER_US, .open = st_sleep_open_nothing, .sleep = st_sleep_lab_select
#define ST_SLEEP_POLL                                                                                        \
    .name = "poll", .summary = "poll without a file; sleeps only whole milliseconds", ST_ON_MONOTONIC,       \
    .asked = ST_SLEEP_RELATIVE, .unit_ns = ST_NS_PER_MS, .open = st_sleep_open_nothing,                      \
    .sleep = st_sleep_lab_poll
#define ST_SLEEP_PPOLL                                                                                       \
    .name = "ppoll", .summary = "ppoll without a file", ST_ON_MONOTONIC, .asked = ST_SLEEP_RELATIVE,         \
    .unit_ns = 1, .open = st_sleep_open_nothing, .sleep = st_sleep_lab_ppoll

/* more: what else there is to say here, a literal */

#define ST_SLEEP_POSIX_TIMER(more)                                                                           \
    .name = "posix-timer", .summary = "timer_settime with a due time, then sigwaitinfo" more,                \
    ST_ON_MONOTONIC, .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_lab_open_posix_timer,        \
    .sleep = st_sleep_lab_posix_timer, .close = st_sleep_lab_close_posix_timer

#define ST_SLEEP_COND                                                                                        \
    .name = "pthread_cond_timedwait", .summary = "a condition that no one signals", ST_ON_MONOTONIC,         \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_lab_open_cond, .sleep = st_sleep_lab_cond,    \
    .close = st_sleep_lab_close_cond
