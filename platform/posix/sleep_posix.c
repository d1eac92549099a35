/* What the sleeping methods share: times in the form that a call takes. */
#include "platform/posix/sleep_posix.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"

static int64_t rounded_up(const struct st_sleep *s, int64_t ns)
{
    const int64_t rest_ns = ns % s->method->unit_ns;
    return rest_ns == 0 ? ns : st_ns_add(ns, s->method->unit_ns - rest_ns);
}

/* Both clocks are read at each sleep, as a program that sleeps on such a clock would. */
struct timespec st_sleep_due_on_clock(const struct st_sleep *s)
{
    const int64_t clock_ns = st_posix_clock_ns(s->method->clock_id);
    const int64_t now_ns = s->platform->now_ns(s->platform);
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

int st_sleep_open_nothing(struct st_sleep *s)
{
    (void)s;
    return 0;
}

void st_sleep_close_fd(struct st_sleep *s)
{
    close(s->fd);
    s->fd = -1;
}

void st_sleep_free_state(struct st_sleep *s)
{
    free(s->state);
    s->state = NULL;
}
