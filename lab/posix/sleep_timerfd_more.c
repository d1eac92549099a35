#include <errno.h>
#include <unistd.h>

#include "lib/ns.h"
#include "lab/posix/sleep_lab.h"

#if ST_HAVE_TIMERFD
#include <sys/timerfd.h>

static int arm_and_read(struct st_sleep *s, int flags, const struct itimerspec *when, uint64_t *ret_n)
{
    if (when != NULL && timerfd_settime(s->fd, flags, when, NULL) != 0)
        return -errno;
    const ssize_t bytes = read(s->fd, ret_n, sizeof(*ret_n));
    return bytes == (ssize_t)sizeof(*ret_n) ? 0 : bytes < 0 ? -errno : -EIO;
}

int st_sleep_timerfd_relative(struct st_sleep *s, int64_t requested_ns)
{
    const struct itimerspec once = {.it_value = st_sleep_rounded(s, requested_ns)};
    uint64_t n;
    return arm_and_read(s, 0, &once, &n);
}

/* Waits for the first beat after those that were read; the kernel says how many have passed by now. */
int st_sleep_timerfd_periodic(struct st_sleep *s, int64_t requested_ns)
{
    const struct itimerspec each = {.it_value = st_ns_to_timespec(s->due_ns),
                                    .it_interval = st_ns_to_timespec(requested_ns)};
    const bool armed = s->period_ns == requested_ns;
    const int64_t due_ns = armed ? st_ns_add(s->beat_ns, requested_ns) : s->due_ns;
    uint64_t beats_n;
    s->period_ns = 0;
    const int r = arm_and_read(s, TFD_TIMER_ABSTIME, armed ? NULL : &each, &beats_n);
    if (r != 0)
        return r;
    s->period_ns = requested_ns;
    s->due_ns = due_ns;
    s->beat_ns = st_ns_add(due_ns, (int64_t)(beats_n - 1) * requested_ns);
    return 0;
}

#endif
