/* Sleeping methods that Linux and FreeBSD share: the functions of their rows (lab/sleep/sleep.h). What
 * a row says about stretching differs, so each OS has a row of its own. */
#pragma once

#include "lab/sleep/sleep.h"
#include "st_config.h"

/* parts of a row */
#define ST_ON_MONOTONIC          .clock = "monotonic", .clock_id = CLOCK_MONOTONIC
#define ST_ON_REALTIME           .clock = "realtime", .clock_id = CLOCK_REALTIME
#define ST_STRETCHED(how, where) .stretch = ST_STRETCH_##how, .stretch_source = (where)

/** requested_ns rounded up to the method's unit, as a timespec. */
struct timespec st_sleep_rounded(const struct st_sleep *s, int64_t requested_ns);
/** requested_ns in whole units of the method, rounded up, at most INT_MAX. */
int st_sleep_units(const struct st_sleep *s, int64_t requested_ns);
int st_sleep_open_nothing(struct st_sleep *s);
void st_sleep_close_fd(struct st_sleep *s);

int st_sleep_open_clock(struct st_sleep *s);
int st_sleep_clock_relative(struct st_sleep *s, int64_t requested_ns);
int st_sleep_clock_absolute(struct st_sleep *s, int64_t requested_ns);

/* Linux, FreeBSD from 14.0 on */
int st_sleep_open_timerfd(struct st_sleep *s);
int st_sleep_timerfd_absolute(struct st_sleep *s, int64_t requested_ns);

/* parts of rows that are the same on both; a row adds what the OS stretches (ST_STRETCHED) */
#define ST_SLEEP_CLOCK_RELATIVE(clock_name, id)                                                              \
    .name = "clock_nanosleep-rel-" clock_name, .summary = "clock_nanosleep for a time", .clock = clock_name, \
    .clock_id = (id), .asked = ST_SLEEP_RELATIVE, .unit_ns = 1, .open = st_sleep_open_clock,                 \
    .sleep = st_sleep_clock_relative
#define ST_SLEEP_CLOCK_ABSOLUTE(clock_name, id)                                                              \
    .name = "clock_nanosleep-abs-" clock_name, .summary = "clock_nanosleep until a time",                    \
    .clock = clock_name, .clock_id = (id), .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1,                         \
    .usual = (id) == CLOCK_MONOTONIC, .open = st_sleep_open_clock, .sleep = st_sleep_clock_absolute
#define ST_SLEEP_TIMERFD_ABSOLUTE(more)                                                                      \
    .name = "timerfd-abs", .summary = "timerfd until a time, then read" more, ST_ON_MONOTONIC,               \
    .asked = ST_SLEEP_ABSOLUTE, .unit_ns = 1, .open = st_sleep_open_timerfd,                                 \
    .sleep = st_sleep_timerfd_absolute, .close = st_sleep_close_fd
