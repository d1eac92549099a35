/* A counter as a file: read by itself, or watched by epoll. */
#include <errno.h>
#include <linux/time_types.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/linux/wake_linux.h"

static int open_eventfd(struct st_wake_place *place)
{
    place->fds[0] = eventfd(0, EFD_CLOEXEC);
    return place->fds[0] >= 0 ? 0 : -errno;
}

static int wait_eventfd(struct st_wake_place *place, int64_t due_ns)
{
    uint64_t count;
    (void)due_ns;
    return read(place->fds[0], &count, sizeof(count)) == (ssize_t)sizeof(count) ? 0 : -errno;
}

static int wake_eventfd(struct st_wake_place *place)
{
    const uint64_t one = 1;
    return write(place->fds[0], &one, sizeof(one)) == (ssize_t)sizeof(one) ? 0 : -errno;
}

static int open_epoll(struct st_wake_place *place)
{
    struct epoll_event event = {.events = EPOLLIN};
    int r = open_eventfd(place);
    if (r != 0)
        return r;
    place->watch = epoll_create1(EPOLL_CLOEXEC);
    if (place->watch < 0 || epoll_ctl(place->watch, EPOLL_CTL_ADD, place->fds[0], &event) != 0) {
        r = -errno;
        st_wake_close_fds(place);
    }
    return r;
}

/* epoll_pwait2 takes nanoseconds: Linux 5.11. */
static int wait_epoll(struct st_wake_place *place, int64_t due_ns)
{
    struct epoll_event event;
    const struct timespec left = st_wake_left(place, due_ns);
    const struct __kernel_timespec timeout = {.tv_sec = left.tv_sec, .tv_nsec = left.tv_nsec};
    const long ready = syscall(SYS_epoll_pwait2, place->watch, &event, 1, &timeout, NULL, 0);
    if (ready <= 0)
        return ready == 0 ? -ETIMEDOUT : -errno;
    return wait_eventfd(place, due_ns);
}

const struct st_wake_ops st_wake_eventfd = {open_eventfd, wait_eventfd, wake_eventfd, st_wake_close_fds};
const struct st_wake_ops st_wake_epoll = {open_epoll, wait_epoll, wake_eventfd, st_wake_close_fds};
