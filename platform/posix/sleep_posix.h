/* Sleeping methods that Linux and FreeBSD share: the functions of their rows (platform/sleep_method.h). What
 * a row says about stretching differs, so each OS has a row of its own. */
#ifndef ST_PLATFORM_POSIX_SLEEP_POSIX_H
#define ST_PLATFORM_POSIX_SLEEP_POSIX_H

#include <time.h>

#include "platform/sleep_method.h"

/* parts of a row */
#define ST_ON_MONOTONIC          .clock = "monotonic", .clock_id = CLOCK_MONOTONIC
#define ST_ON_REALTIME           .clock = "realtime", .clock_id = CLOCK_REALTIME
#define ST_STRETCHED(how, where) .stretch = ST_STRETCH_##how, .stretch_source = (where)

/* a whole row: what only the other OS has */
#define ST_SLEEP_ABSENT(method_name, why)                                                                    \
    {                                                                                                        \
        .name = (method_name), .absent = (why)                                                               \
    }

/** due_ns of CLOCK_MONOTONIC as the method's clock will show it then. */
struct timespec st_sleep_due_on_clock(const struct st_sleep *s);
/** requested_ns rounded up to the method's unit, as a timespec. */
struct timespec st_sleep_rounded(const struct st_sleep *s, int64_t requested_ns);
/** requested_ns in whole units of the method, rounded up, at most INT_MAX. */
int st_sleep_units(const struct st_sleep *s, int64_t requested_ns);
int st_sleep_open_nothing(struct st_sleep *s);
void st_sleep_close_fd(struct st_sleep *s);
void st_sleep_free_state(struct st_sleep *s);

/* sleep_nanosleep.c */
int st_sleep_open_clock_relative(struct st_sleep *s);
int st_sleep_open_clock_absolute(struct st_sleep *s);
int st_sleep_clock_relative(struct st_sleep *s, int64_t requested_ns);
int st_sleep_clock_absolute(struct st_sleep *s, int64_t requested_ns);
int st_sleep_nanosleep(struct st_sleep *s, int64_t requested_ns);
int st_sleep_usleep(struct st_sleep *s, int64_t requested_ns);
int st_sleep_spin(struct st_sleep *s, int64_t requested_ns);

/* sleep_punctual.c */
int st_sleep_open_punctual(struct st_sleep *s);
int st_sleep_open_punctual_free(struct st_sleep *s);
int st_sleep_punctual(struct st_sleep *s, int64_t requested_ns);

/* sleep_poll.c */
int st_sleep_select(struct st_sleep *s, int64_t requested_ns);
int st_sleep_pselect(struct st_sleep *s, int64_t requested_ns);
int st_sleep_poll(struct st_sleep *s, int64_t requested_ns);
int st_sleep_ppoll(struct st_sleep *s, int64_t requested_ns);

/* sleep_signal.c */
int st_sleep_open_posix_timer(struct st_sleep *s);
int st_sleep_posix_timer(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_posix_timer(struct st_sleep *s);
int st_sleep_setitimer(struct st_sleep *s, int64_t requested_ns);
int st_sleep_sigtimedwait(struct st_sleep *s, int64_t requested_ns);

/* sleep_lock.c */
int st_sleep_open_cond(struct st_sleep *s);
int st_sleep_cond(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_cond(struct st_sleep *s);
int st_sleep_open_semaphore(struct st_sleep *s);
int st_sleep_sem_timedwait(struct st_sleep *s, int64_t requested_ns);
int st_sleep_sem_clockwait(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_semaphore(struct st_sleep *s);

/* sleep_queue.c */
int st_sleep_open_queue(struct st_sleep *s);
int st_sleep_queue(struct st_sleep *s, int64_t requested_ns);
void st_sleep_close_queue(struct st_sleep *s);

/* sleep_timerfd.c: Linux, FreeBSD from 14.0 on */
#if defined(__has_include)
#if __has_include(<sys/timerfd.h>)
#define ST_HAVE_TIMERFD 1
#endif
#endif
#ifndef ST_HAVE_TIMERFD
#define ST_HAVE_TIMERFD 0
#endif
int st_sleep_open_timerfd(struct st_sleep *s);
int st_sleep_timerfd_relative(struct st_sleep *s, int64_t requested_ns);
int st_sleep_timerfd_absolute(struct st_sleep *s, int64_t requested_ns);
int st_sleep_timerfd_periodic(struct st_sleep *s, int64_t requested_ns);

#endif
