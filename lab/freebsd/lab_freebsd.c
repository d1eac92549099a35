/* The FreeBSD row of the laboratory's seam: its ways of sleeping, and ways of waking and calls that only
 * FreeBSD has. kqueue(2), _umtx_op(2), clock_gettime(2), ntp_adjtime(2). */
#include <sys/types.h>

#include <sys/event.h>
#include <sys/umtx.h>

#include <sys/timex.h> /* needs struct timespec */

#include "core/ns.h"
#include "lab/posix/call_posix.h"
#include "lab/posix/lab_posix.h"
#include "lab/posix/sleep_lab.h"
#include "lab/posix/wake_posix.h"

#define TIMER_ID 1

static int sleep_open_kqueue(struct st_sleep *s)
{
    s->fd = kqueue();
    return s->fd >= 0 ? 0 : -errno;
}

static int sleep_kevent_timeout(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    struct kevent event;
    return st_sleep_lab_timed_out(kevent(s->fd, NULL, 0, &event, 1, &ts));
}

static int sleep_kevent_timer(struct st_sleep *s, int64_t requested_ns)
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

/* The wait below the thread library's: the one that the cycle loop takes with wait = "precise". */
static int sleep_umtx(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    return s->platform->clock.sleep_until_precise_ns(&s->platform->clock, s->due_ns);
}

/* Ways of sleeping, one row each.
 *
 * What is stretched by kern.timecounter.alloweddeviation: measured on 13.2 and 15.1 (2.667 ms from the call,
 * 5 % and 0 %), or read in sys/kern (kern_time.c, kern_umtx.c, sys_generic.c, kern_event.c). From 15.0 on
 * kern.timecounter.nanosleep_precise exempts nanosleep and clock_nanosleep on plain clocks, and nothing
 * else. */

#define NANOSLEEP "kern_clock_nanosleep: a share of the remaining time"
#define POLLING   "stretched, also if nanosleep_precise is 1 (tc_precexp); measured on FreeBSD 13.2 and 15.1"
#define MEASURED  "not stretched; measured on FreeBSD 13.2 and 15.1"

#define PLAIN   ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)
#define FAST    ST_STRETCHED(YES, "kern_clock_nanosleep: on 15.0 sleeps on fast clocks are stretched, too")
#define PRECISE ST_STRETCHED(IF_IMPRECISE, "before 15.0 stretched like the plain clock; measured on 13.2")

static const struct st_sleep_method sleeps[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC), PLAIN},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC), PLAIN},
#ifdef ST_HAVE_TIMERFD
    {ST_SLEEP_TIMERFD_ABSOLUTE(" (FreeBSD 14)"), ST_STRETCHED(UNKNOWN, NULL)},
#endif
    {
        .name = "umtx",
        .summary = "_umtx_op with a timeout, on a word in memory that no one signals",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, "kern_umtx.c passes precision 0"),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = sleep_umtx,
    },
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic_precise", CLOCK_MONOTONIC_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic_precise", CLOCK_MONOTONIC_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic_fast", CLOCK_MONOTONIC_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic_fast", CLOCK_MONOTONIC_FAST), FAST},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime", CLOCK_REALTIME), PLAIN},
    {ST_SLEEP_CLOCK_RELATIVE("realtime", CLOCK_REALTIME), PLAIN},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime_precise", CLOCK_REALTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_RELATIVE("realtime_precise", CLOCK_REALTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_ABSOLUTE("realtime_fast", CLOCK_REALTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("realtime_fast", CLOCK_REALTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_ABSOLUTE("uptime", CLOCK_UPTIME), PLAIN},
    {ST_SLEEP_CLOCK_RELATIVE("uptime", CLOCK_UPTIME), PLAIN},
    {ST_SLEEP_CLOCK_ABSOLUTE("uptime_precise", CLOCK_UPTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_RELATIVE("uptime_precise", CLOCK_UPTIME_PRECISE), PRECISE},
    {ST_SLEEP_CLOCK_ABSOLUTE("uptime_fast", CLOCK_UPTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("uptime_fast", CLOCK_UPTIME_FAST), FAST},
    {ST_SLEEP_CLOCK_RELATIVE("second", CLOCK_SECOND), FAST},
    {ST_SLEEP_NANOSLEEP, ST_ON_REALTIME, PLAIN, .usual = true},
    {ST_SLEEP_USLEEP, ST_ON_REALTIME, PLAIN},
    {ST_SLEEP_SELECT, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_POLL, ST_STRETCHED(YES, POLLING)},
    {ST_SLEEP_PPOLL, ST_STRETCHED(YES, POLLING), .usual = true},
    {
        .name = "kevent-timeout",
        .summary = "kevent with a timeout and without an event",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(YES, POLLING),
        .unit_ns = 1,
        .open = sleep_open_kqueue,
        .sleep = sleep_kevent_timeout,
        .close = st_sleep_close_fd,
    },
    {
        .name = "kevent-timer",
        .summary = "EVFILT_TIMER, once",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_RELATIVE,
        ST_STRETCHED(NO, MEASURED),
        .unit_ns = 1,
        .usual = true,
        .open = sleep_open_kqueue,
        .sleep = sleep_kevent_timer,
        .close = st_sleep_close_fd,
    },
    {ST_SLEEP_POSIX_TIMER(": whole ticks"),
     ST_STRETCHED(NO, "rounded up to whole ticks, plus one tick; measured on FreeBSD 13.2 and 15.1")},
    {ST_SLEEP_COND, ST_STRETCHED(NO, MEASURED), .usual = true},
};

/* --- ways of waking --- */

#define EVENT_ID 1

static int open_kqueue(struct st_wake_place *place)
{
    struct kevent change;
    place->watch = kqueue();
    if (place->watch < 0)
        return -errno;
    EV_SET(&change, EVENT_ID, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    return kevent(place->watch, &change, 1, NULL, 0, NULL) == 0 ? 0 : -errno;
}

static int wait_kqueue(struct st_wake_place *place, int64_t due_ns)
{
    struct kevent event;
    const struct timespec left = st_wake_left(place, due_ns);
    const int ready = kevent(place->watch, NULL, 0, &event, 1, &left);
    return ready > 0 ? 0 : ready == 0 ? -ETIMEDOUT : -errno;
}

static int wake_kqueue(struct st_wake_place *place)
{
    struct kevent change;
    EV_SET(&change, EVENT_ID, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
    return kevent(place->watch, &change, 1, NULL, 0, NULL) == 0 ? 0 : -errno;
}

static int wait_umtx(struct st_wake_place *place, int64_t due_ns)
{
    struct _umtx_time timeout = {
        ._timeout = st_ns_to_timespec(due_ns), ._flags = UMTX_ABSTIME, ._clockid = CLOCK_MONOTONIC};
    while (atomic_exchange(&place->word, 0) == 0) {
        /* the fourth argument is the size of the fifth, as a pointer */
        if (_umtx_op(&place->word, UMTX_OP_WAIT_UINT_PRIVATE, 0, (void *)sizeof(timeout), &timeout) != 0)
            return -errno;
    }
    return 0;
}

static int wake_umtx(struct st_wake_place *place)
{
    atomic_store(&place->word, 1);
    return _umtx_op(&place->word, UMTX_OP_WAKE_PRIVATE, 1, NULL, NULL) == 0 ? 0 : -errno;
}

static const struct st_wake_ops kqueue_ops = {open_kqueue, wait_kqueue, wake_kqueue, NULL};
static const struct st_wake_ops umtx_ops = {NULL, wait_umtx, wake_umtx, NULL};

static const struct st_wake_method wakes[] = {
    {.name = "umtx",
     .summary = "waits in UMTX_OP_WAIT_UINT, woken by UMTX_OP_WAKE",
     .timed = true,
     .ops = &umtx_ops},
    {.name = "kqueue-user",
     .summary = "waits in kevent, woken by NOTE_TRIGGER of a user event",
     .timed = true,
     .ops = &kqueue_ops},
};

/* --- calls --- */

static int call_umtx(struct st_call *c)
{
    return _umtx_op(&c->word, UMTX_OP_WAKE_PRIVATE, 1, NULL, NULL) == 0 ? 0 : -errno;
}

static const struct st_call_method calls[] = {
    ST_CALL_EMPTY,
    ST_CALL_CLOCK("monotonic", CLOCK_MONOTONIC),
    ST_CALL_CLOCK("monotonic_fast", CLOCK_MONOTONIC_FAST),
    ST_CALL_CLOCK("monotonic_precise", CLOCK_MONOTONIC_PRECISE),
    ST_CALL_CLOCK("realtime", CLOCK_REALTIME),
    ST_CALL_CLOCK("realtime_fast", CLOCK_REALTIME_FAST),
    ST_CALL_CLOCK("realtime_precise", CLOCK_REALTIME_PRECISE),
    ST_CALL_CLOCK("uptime", CLOCK_UPTIME),
    ST_CALL_CLOCK("uptime_fast", CLOCK_UPTIME_FAST),
    ST_CALL_CLOCK("uptime_precise", CLOCK_UPTIME_PRECISE),
    ST_CALL_CLOCK("second", CLOCK_SECOND),
    ST_CALL_CLOCK("virtual", CLOCK_VIRTUAL),
    ST_CALL_CLOCK("prof", CLOCK_PROF),
    ST_CALL_CLOCK("process_cputime", CLOCK_PROCESS_CPUTIME_ID),
    ST_CALL_CLOCK("thread_cputime", CLOCK_THREAD_CPUTIME_ID),
    {.name = "umtx-wake",
     .summary = "_umtx_op call to wake a thread while none waits",
     .call = call_umtx,
     .raw = call_umtx}, /* the C library has no other way to it: it is a system call */
};

int st_wake_posix_semaphore_until(sem_t *sem, const struct timespec *until)
{
    return sem_clockwait_np(sem, CLOCK_MONOTONIC, TIMER_ABSTIME, until, NULL) == 0 ? 0 : -errno;
}

/* freq is in 2^-16 ppm. */
int st_lab_own_clock_correction_ppm(ST_UNUSED struct st_lab *lab, double *ret_ppm)
{
    struct timex t = {.modes = 0};
    if (ntp_adjtime(&t) < 0)
        return -errno;
    *ret_ppm = (double)t.freq / 65536;
    return 0;
}

int st_lab_own_leave_rseq(void)
{
    return 0; /* FreeBSD has none */
}

const struct st_lab_own st_lab_own = ST_LAB_OWN;
