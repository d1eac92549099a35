/* Ways of waking of FreeBSD, one row each; what only Linux has at the end. kqueue(2), _umtx_op(2). */
#include <sys/types.h>

#include <errno.h>

#include <sys/event.h>
#include <sys/umtx.h>

#include "core/ns.h"
#include "lab/freebsd/lab_freebsd.h"
#include "lab/posix/wake_posix.h"

#define EVENT_ID 1

/* A queue of events does not reach into a child of fork. */
static int open_kqueue(struct st_wake_place *place)
{
    struct kevent change;
    place->watch = kqueue();
    if (place->watch < 0)
        return -errno;
    EV_SET(&change, EVENT_ID, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    if (kevent(place->watch, &change, 1, NULL, 0, NULL) == 0)
        return 0;
    const int r = -errno;
    st_wake_close_fds(place);
    return r;
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
    const int op = place->processes ? UMTX_OP_WAIT_UINT : UMTX_OP_WAIT_UINT_PRIVATE;
    while (atomic_exchange(&place->word, 0) == 0) {
        /* the fourth argument is the size of the fifth, as a pointer */
        if (_umtx_op(&place->word, op, 0, (void *)sizeof(timeout), &timeout) != 0)
            return -errno;
    }
    return 0;
}

static int wake_umtx(struct st_wake_place *place)
{
    atomic_store(&place->word, 1);
    return _umtx_op(&place->word, place->processes ? UMTX_OP_WAKE : UMTX_OP_WAKE_PRIVATE, 1, NULL, NULL) == 0
               ? 0
               : -errno;
}

static const struct st_wake_ops kqueue_ops = {open_kqueue, wait_kqueue, wake_kqueue, st_wake_close_fds};
static const struct st_wake_ops umtx_ops = {NULL, wait_umtx, wake_umtx, NULL};

static const struct st_wake_method methods[] = {
    ST_WAKE_SHARED_ROWS,
    {.name = "umtx",
     .summary = "UMTX_OP_WAIT_UINT; UMTX_OP_WAKE",
     .usual = true,
     .timed = true,
     .ops = &umtx_ops},
    {.name = "kqueue-user",
     .summary = "kevent; NOTE_TRIGGER of a user event",
     .usual = true,
     .timed = true,
     .threads_only = true,
     .ops = &kqueue_ops},
    ST_WAKE_ABSENT("futex", "only Linux has it; see umtx"),
    ST_WAKE_ABSENT("eventfd", "not built for FreeBSD; see kqueue-user"),
    ST_WAKE_ABSENT("epoll", "only Linux has it; see kqueue-user"),
};

const struct st_wake_method *st_freebsd_wake_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}
