/* epoll without a file, and what an event loop in the manner of libuv makes of it. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/ns.h"
#include "lab/linux/sleep_linux.h"
#include "lab/posix/sleep_lab.h"

int st_sleep_open_epoll(struct st_sleep *s)
{
    s->fd = epoll_create1(EPOLL_CLOEXEC);
    return s->fd >= 0 ? 0 : -errno;
}

static int timed_out(long r)
{
    return r == 0 ? 0 : r < 0 ? -errno : -EIO;
}

int st_sleep_epoll_wait(struct st_sleep *s, int64_t requested_ns)
{
    struct epoll_event event;
    return timed_out(epoll_wait(s->fd, &event, 1, st_sleep_units(s, requested_ns)));
}

/* Linux 5.11; not through libc, which has it only since glibc 2.35. The kernel's own timespec. */
static int pwait2(int fd, int64_t ns)
{
    const struct {
        int64_t tv_sec, tv_nsec;
    } timeout = {ns / ST_NS_PER_S, ns % ST_NS_PER_S};
    struct epoll_event event;
    return timed_out(syscall(SYS_epoll_pwait2, fd, &event, 1, &timeout, NULL, 0));
}

int st_sleep_open_epoll_pwait2(struct st_sleep *s)
{
    int r = st_sleep_open_epoll(s);
    if (r != 0)
        return r;
    r = pwait2(s->fd, 0); /* an older kernel has no such call */
    if (r != 0)
        st_sleep_close_fd(s);
    return r;
}

int st_sleep_epoll_pwait2(struct st_sleep *s, int64_t requested_ns)
{
    return pwait2(s->fd, requested_ns);
}

/* What a timer costs in a loop that keeps its time in whole milliseconds, as libuv does: the due time counts
 * from the time that the loop read last, rounded down; epoll_wait gets the rest in whole milliseconds; a
 * timer is run when the loop's time has reached it. So it runs up to 1 ms early where the request is whole
 * milliseconds. Source: libuv, src/timer.c (uv_timer_start, uv__run_timers, uv__next_timeout),
 * src/unix/core.c. */
int st_sleep_libuv(struct st_sleep *s, int64_t requested_ns)
{
    struct st_platform *p = s->platform;
    int64_t loop_ms = p->now_ns(p) / ST_NS_PER_MS;
    const int64_t timer_ms = loop_ms + st_sleep_units(s, requested_ns);
    while (loop_ms < timer_ms) {
        struct epoll_event event;
        const int r = timed_out(epoll_wait(s->fd, &event, 1, (int)(timer_ms - loop_ms)));
        if (r != 0)
            return r;
        loop_ms = p->now_ns(p) / ST_NS_PER_MS;
    }
    return 0;
}
