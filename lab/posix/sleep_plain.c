/* The calls that do nothing but sleep. */
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
