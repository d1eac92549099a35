/* A timer that is read like a file; Linux, and FreeBSD from 14.0 on. */
#include <errno.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/sleep_posix.h"

#if ST_HAVE_TIMERFD
#include <sys/timerfd.h>

int st_sleep_open_timerfd(struct st_sleep *s)
{
    s->fd = timerfd_create(s->method->clock_id, TFD_CLOEXEC);
    return s->fd >= 0 ? 0 : -errno;
}

static int arm_and_read(struct st_sleep *s, int flags, const struct itimerspec *when, uint64_t *ret_n)
{
    if (when != NULL && timerfd_settime(s->fd, flags, when, NULL) != 0)
        return -errno;
    const ssize_t bytes = read(s->fd, ret_n, sizeof(*ret_n));
    return bytes == (ssize_t)sizeof(*ret_n) ? 0 : bytes < 0 ? -errno : -EIO;
}

int st_sleep_timerfd_absolute(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    const struct itimerspec once = {.it_value = st_ns_to_timespec(s->due_ns)};
    uint64_t n;
    return arm_and_read(s, TFD_TIMER_ABSTIME, &once, &n);
}

#endif
