/* io_uring by its system calls alone: one ring, one submission at a time. */
#ifndef ST_LAB_LINUX_URING_H
#define ST_LAB_LINUX_URING_H

#include <linux/io_uring.h>
#include <stdbool.h>

#include "lib/base.h"

struct st_uring {
    int fd;
    struct io_uring_params params;
    void *rings; /* submission and completion in one mapping: IORING_FEAT_SINGLE_MMAP, Linux 5.4 */
    size_t rings_bytes;
    struct io_uring_sqe *sqes;
    size_t sqes_bytes;
};

/** @return NULL with *ret_error < 0: -ENOSYS, -EPERM (forbidden), -ENOTSUP (too old), -ENOMEM. */
struct st_uring *st_uring_new(int *ret_error);
void st_uring_free(struct st_uring *ring);

/** Queues a copy of sqe; st_uring_enter hands it to the kernel. */
void st_uring_queue(struct st_uring *ring, const struct io_uring_sqe *sqe);

/** io_uring_enter. @param arg NULL, or a time limit (IORING_FEAT_EXT_ARG). @return as the call, or -errno. */
long st_uring_enter(const struct st_uring *ring, unsigned to_submit, unsigned min_complete, unsigned flags,
                    const struct io_uring_getevents_arg *arg);

/** Takes one completion. @return true: there was one. */
bool st_uring_complete(struct st_uring *ring, int *ret_result);

#endif
