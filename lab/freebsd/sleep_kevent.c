/* kqueue: waiting with a timeout, and a timer as an event. kqueue(2). */
#include <sys/types.h>

#include <sys/event.h>

#include <errno.h>

#include "core/ns.h"
#include "lab/freebsd/sleep_freebsd.h"
#include "lab/posix/sleep_lab.h"

#define TIMER_ID 1

int st_sleep_open_kqueue(struct st_sleep *s)
{
    s->fd = kqueue();
    return s->fd >= 0 ? 0 : -errno;
}

int st_sleep_kevent_timeout(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    struct kevent event;
    const int r = kevent(s->fd, NULL, 0, &event, 1, &ts);
    return r == 0 ? 0 : r < 0 ? -errno : -EIO;
}

int st_sleep_kevent_timer(struct st_sleep *s, int64_t requested_ns)
{
    struct kevent change, event;
    EV_SET(&change, TIMER_ID, EVFILT_TIMER, EV_ADD | EV_ONESHOT, NOTE_NSECONDS, requested_ns, NULL);
    const int r = kevent(s->fd, &change, 1, &event, 1, NULL);
    if (r != 1)
        return r < 0 ? -errno : -EIO;
    if ((event.flags & EV_ERROR) != 0)
        return event.data != 0 ? -(int)event.data : -EIO;
    return 0;
}
