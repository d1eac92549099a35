/* The calls that do nothing but sleep. */
#include <errno.h>

#include "platform/posix/sleep_posix.h"

/* A sleep of no time tells whether the kernel takes this clock. */
int st_sleep_open_clock_relative(struct st_sleep *s)
{
    const struct timespec none = {0};
    return -clock_nanosleep(s->method->clock_id, 0, &none, NULL); /* returns the error */
}

int st_sleep_open_clock_absolute(struct st_sleep *s)
{
    const struct timespec past = {0};
    return -clock_nanosleep(s->method->clock_id, TIMER_ABSTIME, &past, NULL);
}

int st_sleep_clock_relative(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return -clock_nanosleep(s->method->clock_id, 0, &ts, NULL);
}

int st_sleep_clock_absolute(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    if (s->method->clock_id == CLOCK_MONOTONIC) /* the call of the cycle loop */
        return s->platform->sleep_until_ns(s->platform, s->due_ns);
    const struct timespec ts = st_sleep_due_on_clock(s);
    return -clock_nanosleep(s->method->clock_id, TIMER_ABSTIME, &ts, NULL);
}
