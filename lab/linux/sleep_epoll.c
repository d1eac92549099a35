/* epoll without a file. */
#include <errno.h>
#include <sys/epoll.h>

#include "lab/linux/sleep_linux.h"
#include "lab/posix/sleep_lab.h"

int st_sleep_open_epoll(struct st_sleep *s)
{
    s->fd = epoll_create1(EPOLL_CLOEXEC);
    return s->fd >= 0 ? 0 : -errno;
}

static int timed_out(int r)
{
    return r == 0 ? 0 : r < 0 ? -errno : -EIO;
}

int st_sleep_epoll_wait(struct st_sleep *s, int64_t requested_ns)
{
    struct epoll_event event;
    return timed_out(epoll_wait(s->fd, &event, 1, st_sleep_units(s, requested_ns)));
}
