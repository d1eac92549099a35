/* kqueue: waiting with a timeout, and a timer as an event. kqueue(2). */
#include <sys/types.h>
#include <sys/event.h>

#include <errno.h>

#include "lib/ns.h"
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

/* Arms with `change` (NULL: is armed) and waits. @param ret_n how often it has fired. */
static int wait_for_timer(struct st_sleep *s, const struct kevent *change, int64_t *ret_n)
{
    struct kevent event;
    const int r = kevent(s->fd, change, change != NULL ? 1 : 0, &event, 1, NULL);
    if (r != 1)
        return r < 0 ? -errno : -EIO;
    if ((event.flags & EV_ERROR) != 0)
        return event.data != 0 ? -(int)event.data : -EIO;
    *ret_n = event.data;
    return 0;
}

int st_sleep_kevent_timer(struct st_sleep *s, int64_t requested_ns)
{
    struct kevent change;
    int64_t fired_n;
    EV_SET(&change, TIMER_ID, EVFILT_TIMER, EV_ADD | EV_ONESHOT, NOTE_NSECONDS, requested_ns, NULL);
    return wait_for_timer(s, &change, &fired_n);
}

/* The kernel's beats count from when the timer was added, some microseconds after the caller's clock read:
 * that is in every lateness alike. */
int st_sleep_kevent_periodic(struct st_sleep *s, int64_t requested_ns)
{
    struct kevent change;
    int64_t fired_n;
    EV_SET(&change, TIMER_ID, EVFILT_TIMER, EV_ADD, NOTE_NSECONDS, requested_ns, NULL);
    const bool armed = s->period_ns == requested_ns;
    const int64_t due_ns = armed ? st_ns_add(s->beat_ns, requested_ns) : s->due_ns;
    s->period_ns = 0;
    const int r = wait_for_timer(s, armed ? NULL : &change, &fired_n);
    if (r != 0)
        return r;
    s->period_ns = requested_ns;
    s->due_ns = due_ns;
    s->beat_ns = st_ns_add(due_ns, (fired_n - 1) * requested_ns);
    return 0;
}
