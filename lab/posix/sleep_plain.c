/* The calls that do nothing but sleep, and the loop that does not sleep at all. */
#include <errno.h>
#include <unistd.h>

#include "lab/posix/sleep_lab.h"

int st_sleep_nanosleep(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return nanosleep(&ts, NULL) == 0 ? 0 : -errno;
}

int st_sleep_usleep(struct st_sleep *s, int64_t requested_ns)
{
    return usleep((useconds_t)st_sleep_units(s, requested_ns)) == 0 ? 0 : -errno;
}

int st_sleep_spin(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    do
        s->woke_ns = s->platform->now_ns(s->platform);
    while (s->woke_ns < s->due_ns);
    return 0;
}
