/* Ways of sleeping on Linux and FreeBSD: their calls, and times in the form that each call
 * takes. */
#include "lab/posix/sleep_posix.h"

#include <unistd.h>
#ifdef ST_HAVE_TIMERFD
#include <sys/timerfd.h>
#endif

#include "core/ns.h"
#include "platform/posix/posix.h"
#include "punctual/exact_sleep.h"
#include "punctual/punctual_wait.h"

#define PUNCTUAL_MARGIN_NS (125 * ST_NS_PER_US)

static int64_t rounded_up(const struct st_sleep *s, int64_t ns)
{
    const int64_t rest_ns = ns % s->method->unit_ns;
    return rest_ns == 0 ? ns : st_ns_add(ns, s->method->unit_ns - rest_ns);
}

/* Converts due_ns from CLOCK_MONOTONIC to the clock of the method. Both clocks are read at each
 * sleep, as a program that sleeps on such a clock would do. */
static struct timespec due_on_clock(const struct st_sleep *s)
{
    const int64_t clock_ns = st_posix_clock_ns(s->method->clock_id);
    const int64_t now_ns = st_platform_now_ns(s->platform);
    return st_ns_to_timespec(st_ns_add(s->due_ns, clock_ns - now_ns));
}

struct timespec st_sleep_rounded(const struct st_sleep *s, int64_t requested_ns)
{
    return st_ns_to_timespec(rounded_up(s, requested_ns));
}

int st_sleep_units(const struct st_sleep *s, int64_t requested_ns)
{
    const int64_t units = rounded_up(s, requested_ns) / s->method->unit_ns;
    return units < INT_MAX ? (int)units : INT_MAX;
}

int st_sleep_open_nothing(ST_UNUSED struct st_sleep *s)
{
    return 0;
}

void st_sleep_close_fd(struct st_sleep *s)
{
    close(s->fd);
    s->fd = -1;
}

/* Tries a sleep until a time in the past, to find out whether the kernel accepts this clock. */
int st_sleep_open_clock(struct st_sleep *s)
{
    const struct timespec past = {0};
    /* clock_nanosleep returns a positive error number */
    return -clock_nanosleep(s->method->clock_id, TIMER_ABSTIME, &past, NULL);
}

int st_sleep_clock_relative(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return -clock_nanosleep(s->method->clock_id, 0, &ts, NULL);
}

int st_sleep_clock_absolute(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    /* on CLOCK_MONOTONIC, sleep with the same call as the cycle loop (measure/loop.c) */
    if (s->method->clock_id == CLOCK_MONOTONIC)
        return s->platform->sleep_until_ns(s->platform, s->due_ns);
    const struct timespec ts = due_on_clock(s);
    return -clock_nanosleep(s->method->clock_id, TIMER_ABSTIME, &ts, NULL);
}

#ifdef ST_HAVE_TIMERFD
int st_sleep_open_timerfd(struct st_sleep *s)
{
    s->fd = timerfd_create(s->method->clock_id, TFD_CLOEXEC);
    return s->fd >= 0 ? 0 : -errno;
}

int st_sleep_timerfd_absolute(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    const struct itimerspec once = {.it_value = st_ns_to_timespec(s->due_ns)};
    uint64_t n;
    if (timerfd_settime(s->fd, TFD_TIMER_ABSTIME, &once, NULL) != 0)
        return -errno;
    const ssize_t bytes = read(s->fd, &n, sizeof(n));
    return bytes == (ssize_t)sizeof(n) ? 0 : bytes < 0 ? -errno : -EIO;
}
#endif

int st_sleep_nanosleep(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return nanosleep(&ts, NULL) == 0 ? 0 : -errno;
}

int st_sleep_usleep(struct st_sleep *s, int64_t requested_ns)
{
    return usleep((useconds_t)st_sleep_units(s, requested_ns)) == 0 ? 0 : -errno;
}

/* Creates the state of the punctual wait. The margin before the due time is fixed; the wait only
 * learns how long a clock read and one iteration of its loop take. */
int st_sleep_open_punctual(struct st_sleep *s)
{
    struct st_margin *margin = malloc(sizeof(*margin));
    if (margin == NULL)
        return -ENOMEM;
    st_margin_init(margin, ST_MARGIN_FIXED, PUNCTUAL_MARGIN_NS);
    s->state = margin;
    return 0;
}

int st_sleep_punctual(struct st_sleep *s, int64_t requested_ns)
{
    int64_t woke_ns;
    return st_punctual_wait(s->state, s->platform, st_exact_sleep_until_ns,
                            st_ns_sub(s->due_ns, requested_ns), s->due_ns, &woke_ns);
}

void st_sleep_close_punctual(struct st_sleep *s)
{
    free(s->state);
    s->state = NULL;
}
