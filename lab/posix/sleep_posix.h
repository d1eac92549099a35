/* Ways of sleeping that Linux and FreeBSD share: their functions, and members of their struct
 * st_sleep_method (lab/series/sleep.h). The clocks differ, so each system has a table of its
 * own. */
#pragma once

#include "core/ns.h"
#include "lab/series/sleep.h"
#include "st_config.h"

/* Members of a struct st_sleep_method: the clock that a sleep uses. */
#define ST_ON_MONOTONIC .clock = "monotonic", .clock_id = CLOCK_MONOTONIC
#define ST_ON_REALTIME  .clock = "realtime", .clock_id = CLOCK_REALTIME

/** requested_ns rounded up to the method's unit, as a timespec. */
struct timespec st_sleep_rounded(const struct st_sleep *s, int64_t requested_ns);
/** requested_ns in whole units of the method, rounded up, at most INT_MAX. */
int st_sleep_units(const struct st_sleep *s, int64_t requested_ns);
int st_sleep_open_nothing(struct st_sleep *s);
void st_sleep_close_fd(struct st_sleep *s);

int st_sleep_open_clock(struct st_sleep *s);
int st_sleep_clock_relative(struct st_sleep *s, int64_t requested_ns);
int st_sleep_clock_absolute(struct st_sleep *s, int64_t requested_ns);

/* timerfd: on Linux, and on FreeBSD from 14.0 on. */
int st_sleep_open_timerfd(struct st_sleep *s);
int st_sleep_timerfd_absolute(struct st_sleep *s, int64_t requested_ns);

int st_sleep_nanosleep(struct st_sleep *s, int64_t requested_ns);
int st_sleep_usleep(struct st_sleep *s, int64_t requested_ns);

/** A sleep that asks to be woken early and spins until the due time, with the wait of the library
 * punctual/. */
int st_sleep_open_punctual(struct st_sleep *s);
int st_sleep_punctual(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_punctual(struct st_sleep *s);

#define ST_SLEEP_CLOCK(clock_name, id)                                                             \
    .name = "clock_nanosleep-abs-" clock_name, .summary = "clock_nanosleep until a time",          \
    .clock = clock_name, .clock_id = (id), .unit_ns = 1, .open = st_sleep_open_clock,              \
    .sleep = st_sleep_clock_absolute
#define ST_SLEEP_CLOCK_RELATIVE(clock_name, id)                                                    \
    .name = "clock_nanosleep-rel-" clock_name, .summary = "clock_nanosleep for a time",            \
    .clock = clock_name, .clock_id = (id), .unit_ns = 1, .open = st_sleep_open_clock,              \
    .sleep = st_sleep_clock_relative
#define ST_SLEEP_TIMERFD                                                                           \
    .name = "timerfd-abs", .summary = "timerfd until a time, then read", ST_ON_MONOTONIC,          \
    .unit_ns = 1, .open = st_sleep_open_timerfd, .sleep = st_sleep_timerfd_absolute,               \
    .close = st_sleep_close_fd
/* The table of each system adds the clock, because nanosleep uses a different one on each. */
#define ST_SLEEP_NANOSLEEP                                                                         \
    .name = "nanosleep", .summary = "nanosleep", .unit_ns = 1, .open = st_sleep_open_nothing,      \
    .sleep = st_sleep_nanosleep
#define ST_SLEEP_USLEEP                                                                            \
    .name = "usleep", .summary = "usleep: nanosleep in microseconds", .unit_ns = ST_NS_PER_US,     \
    .open = st_sleep_open_nothing, .sleep = st_sleep_usleep
#define ST_SLEEP_PUNCTUAL                                                                          \
    .name = "punctual", .summary = "asks to be woken 125 us early, then spins until due",          \
    ST_ON_MONOTONIC, .unit_ns = 1, .open = st_sleep_open_punctual, .sleep = st_sleep_punctual,     \
    .close = st_sleep_close_punctual
