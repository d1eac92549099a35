/* A message from one io_uring to another: IORING_OP_MSG_RING, Linux 5.18. */
#include <errno.h>
#include <stdlib.h>

#include "lib/ns.h"
#include "lab/linux/uring.h"
#include "lab/linux/wake_linux.h"

struct rings {
    struct st_uring *sleeper, *sender;
};

static void close_uring(struct st_wake_place *place)
{
    struct rings *rings = place->state;
    if (rings->sleeper != NULL)
        st_uring_free(rings->sleeper);
    if (rings->sender != NULL)
        st_uring_free(rings->sender);
    free(rings);
}

/* One message to itself tells whether this kernel has them. */
static int send_message(struct st_uring *from, const struct st_uring *to)
{
    const struct io_uring_sqe sqe = {.opcode = IORING_OP_MSG_RING, .fd = to->fd, .len = 0};
    int result = 0;
    st_uring_queue(from, &sqe);
    const long r = st_uring_enter(from, 1, 1, IORING_ENTER_GETEVENTS, NULL);
    if (r < 0)
        return (int)r;
    return st_uring_complete(from, &result) ? result : -EIO;
}

static int open_uring(struct st_wake_place *place)
{
    struct rings *rings = calloc(1, sizeof(*rings));
    int r = 0;
    if (rings == NULL)
        return -ENOMEM;
    place->state = rings;
    rings->sleeper = st_uring_new(&r);
    if (r == 0)
        rings->sender = st_uring_new(&r);
    if (r == 0 && (rings->sleeper->params.features & IORING_FEAT_EXT_ARG) == 0)
        r = -ENOTSUP; /* no timed wait */
    if (r == 0)
        r = send_message(rings->sender, rings->sleeper);
    int result;
    while (r == 0 && st_uring_complete(rings->sleeper, &result)) {
    }
    if (r != 0)
        close_uring(place);
    return r;
}

static int wait_uring(struct st_wake_place *place, int64_t due_ns)
{
    const struct rings *rings = place->state;
    const struct timespec left = st_wake_left(place, due_ns);
    const struct __kernel_timespec limit = {.tv_sec = left.tv_sec, .tv_nsec = left.tv_nsec};
    const struct io_uring_getevents_arg arg = {.ts = (uint64_t)(uintptr_t)&limit};
    int result = 0;
    while (!st_uring_complete(rings->sleeper, &result)) {
        const long r = st_uring_enter(rings->sleeper, 0, 1, IORING_ENTER_GETEVENTS, &arg);
        if (r < 0)
            return r == -ETIME ? -ETIMEDOUT : (int)r;
    }
    return result;
}

static int wake_uring(struct st_wake_place *place)
{
    const struct rings *rings = place->state;
    return send_message(rings->sender, rings->sleeper);
}

const struct st_wake_ops st_wake_uring = {open_uring, wait_uring, wake_uring, close_uring};
