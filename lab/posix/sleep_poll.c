/* Waiting for no file at all, with a timeout. */
#include <errno.h>
#include <poll.h>
#include <sys/select.h>

#include "core/ns.h"
#include "lab/posix/sleep_lab.h"

/* 0: the timeout passed */
static int timed_out(int r)
{
    return r == 0 ? 0 : r < 0 ? -errno : -EIO;
}

int st_sleep_select(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    struct timeval tv = {.tv_sec = ts.tv_sec, .tv_usec = (suseconds_t)(ts.tv_nsec / ST_NS_PER_US)};
    return timed_out(select(0, NULL, NULL, NULL, &tv));
}

int st_sleep_poll(struct st_sleep *s, int64_t requested_ns)
{
    return timed_out(poll(NULL, 0, st_sleep_units(s, requested_ns)));
}

int st_sleep_ppoll(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    return timed_out(ppoll(NULL, 0, &ts, NULL));
}
