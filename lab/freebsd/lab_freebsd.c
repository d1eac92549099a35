/* What the laboratory needs from FreeBSD: its ways of sleeping, and the ways of waking and calls
 * that only FreeBSD has. Manual pages: _umtx_op(2), clock_gettime(2), ntp_adjtime(2). */
#include <sys/types.h>

#include <sys/umtx.h>

#include <sys/timex.h> /* needs struct timespec */

#include "core/ns.h"
#include "lab/posix/call_posix.h"
#include "lab/posix/lab_posix.h"
#include "lab/posix/sleep_posix.h"
#include "lab/posix/wake_posix.h"

/* Sleeps in _umtx_op(2), on which the waits of the thread library are built. The cycle loop uses
 * this sleep with wait = "precise". */
static int sleep_umtx(struct st_sleep *s, ST_UNUSED int64_t requested_ns)
{
    return s->platform->sleep_until_precise_ns(s->platform, s->due_ns);
}

/* The ways of sleeping that `sleeptune-lab series` offers. */
static const struct st_sleep_method sleeps[] = {
    {ST_SLEEP_CLOCK("monotonic", CLOCK_MONOTONIC)},
    {ST_SLEEP_CLOCK("monotonic_precise", CLOCK_MONOTONIC_PRECISE)},
    {ST_SLEEP_CLOCK("monotonic_fast", CLOCK_MONOTONIC_FAST)},
    {ST_SLEEP_CLOCK("realtime", CLOCK_REALTIME)},
    {ST_SLEEP_CLOCK("realtime_precise", CLOCK_REALTIME_PRECISE)},
    {ST_SLEEP_CLOCK("realtime_fast", CLOCK_REALTIME_FAST)},
    {ST_SLEEP_CLOCK("uptime", CLOCK_UPTIME)},
    {ST_SLEEP_CLOCK("uptime_precise", CLOCK_UPTIME_PRECISE)},
    {ST_SLEEP_CLOCK("uptime_fast", CLOCK_UPTIME_FAST)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC)},
    {ST_SLEEP_CLOCK_RELATIVE("second", CLOCK_SECOND)},
#ifdef ST_HAVE_TIMERFD
    {ST_SLEEP_TIMERFD},
#endif
    {ST_SLEEP_NANOSLEEP, ST_ON_REALTIME},
    {ST_SLEEP_USLEEP, ST_ON_REALTIME},
    {ST_SLEEP_PUNCTUAL},
    {
        .name = "umtx",
        .summary = "_umtx_op with a timeout, on a word in memory that no one signals",
        ST_ON_MONOTONIC,
        .unit_ns = 1,
        .open = st_sleep_open_nothing,
        .sleep = sleep_umtx,
    },
};

/* --- ways of waking --- */

static int wait_umtx(struct st_wake_place *place, int64_t due_ns)
{
    struct _umtx_time timeout = {
        ._timeout = st_ns_to_timespec(due_ns), ._flags = UMTX_ABSTIME, ._clockid = CLOCK_MONOTONIC};
    while (atomic_exchange(&place->word, 0) == 0) {
        /* the fourth argument of _umtx_op is the size of the fifth, cast to a pointer */
        if (_umtx_op(&place->word, UMTX_OP_WAIT_UINT_PRIVATE, 0, (void *)sizeof(timeout),
                     &timeout) != 0)
            return -errno;
    }
    return 0;
}

static int wake_umtx(struct st_wake_place *place)
{
    atomic_store(&place->word, 1);
    return _umtx_op(&place->word, UMTX_OP_WAKE_PRIVATE, 1, NULL, NULL) == 0 ? 0 : -errno;
}

static const struct st_wake_ops umtx_ops = {NULL, wait_umtx, wake_umtx, NULL};

static const struct st_wake_method wakes[] = {
    {.name = "umtx",
     .summary = "waits in UMTX_OP_WAIT_UINT, woken by UMTX_OP_WAKE",
     .ops = &umtx_ops},
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
     .raw = call_umtx}, /* _umtx_op is the system call itself, so `call` and `raw` are the same */
};

/* ntp_adjtime(2) returns freq in units of 2^-16 ppm. */
int st_lab_own_clock_correction_ppm(ST_UNUSED struct st_lab *lab, double *ret_ppm)
{
    struct timex t = {.modes = 0};
    if (ntp_adjtime(&t) < 0)
        return -errno;
    *ret_ppm = (double)t.freq / 65536;
    return 0;
}

const struct st_lab_own st_lab_own = ST_LAB_OWN;
