/* A timeout request of io_uring: one submission, wait for its completion. */
#include <errno.h>

#include "lib/ns.h"
#include "lab/linux/sleep_linux.h"
#include "lab/linux/uring.h"
#include "lab/posix/sleep_lab.h"

int st_sleep_open_uring(struct st_sleep *s)
{
    int error = 0;
    s->state = st_uring_new(&error);
    return error;
}

int st_sleep_uring(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    struct st_uring *ring = s->state;
    const struct __kernel_timespec until = {.tv_sec = s->due_ns / ST_NS_PER_S,
                                            .tv_nsec = s->due_ns % ST_NS_PER_S};
    const struct io_uring_sqe sqe = {.opcode = IORING_OP_TIMEOUT,
                                     .fd = -1,
                                     .addr = (uint64_t)(uintptr_t)&until,
                                     .len = 1,
                                     .timeout_flags = IORING_TIMEOUT_ABS}; /* on CLOCK_MONOTONIC */
    int result = 0;
    unsigned to_submit = 1;
    st_uring_queue(ring, &sqe);
    while (!st_uring_complete(ring, &result)) { /* a signal ends the wait, not the timeout: once more */
        const long r = st_uring_enter(ring, to_submit, 1, IORING_ENTER_GETEVENTS, NULL);
        if (r < 0 && r != -EINTR)
            return (int)r;
        to_submit = r > 0 ? 0 : to_submit;
    }
    return result == -ETIME ? 0 : result == 0 ? -EIO : result;
}

void st_sleep_close_uring(struct st_sleep *s)
{
    st_uring_free(s->state);
    s->state = NULL;
}
