#include "daemon/wait.h"

#include <poll.h>

#include "core/ns.h"

#define FAILED_MS 100

void st_wait_init(struct st_wait *wait, int64_t due_ns)
{
    FD_ZERO(&wait->read);
    FD_ZERO(&wait->write);
    FD_ZERO(&wait->error);
    wait->fd_max = -1;
    wait->due_ns = due_ns;
}

void st_wait_until(struct st_wait *wait, int64_t due_ns)
{
    if (due_ns < wait->due_ns)
        wait->due_ns = due_ns;
}

static void add(struct st_wait *wait, fd_set *set, int fd)
{
    if (fd < 0 || fd >= FD_SETSIZE)
        return;
    FD_SET(fd, set);
    if (fd > wait->fd_max)
        wait->fd_max = fd;
}

void st_wait_to_read(struct st_wait *wait, int fd)
{
    add(wait, &wait->read, fd);
}

void st_wait_to_write(struct st_wait *wait, int fd)
{
    add(wait, &wait->write, fd);
}

void st_wait(struct st_wait *wait, struct st_platform *platform, const sigset_t *blocked)
{
    const int64_t wait_ns = st_ns_sub(wait->due_ns, st_platform_now_ns(platform));
    const struct timespec timeout = st_ns_to_timespec(ST_MAX(wait_ns, 0));
    const int ready =
        pselect(wait->fd_max + 1, &wait->read, &wait->write, &wait->error, &timeout, blocked);
    if (ready < 0 && errno != EINTR)
        (void)poll(NULL, 0, FAILED_MS); /* pselect failed, for example for lack of memory: wait
                                           before the next try */
    if (ready <= 0)
        st_wait_init(wait, wait->due_ns);
}

bool st_wait_can_read(const struct st_wait *wait, int fd)
{
    return fd >= 0 && fd < FD_SETSIZE && FD_ISSET(fd, &wait->read);
}
