/* A timeout request of io_uring, by its three system calls alone: one submission, wait for its completion. */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/ns.h"
#include "platform/linux/sleep_linux.h"
#include "platform/posix/sleep_posix.h"

struct uring {
    struct io_uring_params params;
    void *rings; /* submission and completion in one mapping: IORING_FEAT_SINGLE_MMAP, Linux 5.4 */
    size_t rings_bytes;
    struct io_uring_sqe *sqes;
    size_t sqes_bytes;
};

/* A word of the shared rings. */
static _Atomic uint32_t *word_at(const struct uring *ring, uint32_t offset)
{
    return (_Atomic uint32_t *)(void *)((char *)ring->rings + offset);
}

static void unmap(struct uring *ring)
{
    if (ring->sqes != NULL)
        munmap(ring->sqes, ring->sqes_bytes);
    if (ring->rings != NULL)
        munmap(ring->rings, ring->rings_bytes);
    free(ring);
}

static void *map(int fd, size_t bytes, off_t offset)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);
    return at == MAP_FAILED ? NULL : at;
}

int st_sleep_open_uring(struct st_sleep *s)
{
    struct uring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL)
        return -ENOMEM;
    struct io_uring_params *params = &ring->params;
    s->fd = (int)syscall(SYS_io_uring_setup, 1, params); /* close-on-exec by itself */
    int r = s->fd < 0 ? -errno : (params->features & IORING_FEAT_SINGLE_MMAP) == 0 ? -ENOTSUP : 0;
    if (r == 0) {
        const size_t sq_bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
        const size_t cq_bytes = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
        ring->rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
        ring->sqes_bytes = params->sq_entries * sizeof(struct io_uring_sqe);
        ring->rings = map(s->fd, ring->rings_bytes, IORING_OFF_SQ_RING);
        ring->sqes = map(s->fd, ring->sqes_bytes, IORING_OFF_SQES);
        r = ring->rings != NULL && ring->sqes != NULL ? 0 : -ENOMEM;
    }
    if (r != 0) {
        unmap(ring);
        if (s->fd >= 0)
            st_sleep_close_fd(s);
        return r;
    }
    s->state = ring;
    return 0;
}

static void submit(struct uring *ring, const struct __kernel_timespec *until)
{
    const struct io_sqring_offsets *sq = &ring->params.sq_off;
    const uint32_t tail = atomic_load_explicit(word_at(ring, sq->tail), memory_order_relaxed);
    const uint32_t i = tail & (ring->params.sq_entries - 1);
    memset(&ring->sqes[i], 0, sizeof(ring->sqes[i]));
    ring->sqes[i].opcode = IORING_OP_TIMEOUT;
    ring->sqes[i].fd = -1;
    ring->sqes[i].addr = (uint64_t)(uintptr_t)until;
    ring->sqes[i].len = 1;
    ring->sqes[i].timeout_flags = IORING_TIMEOUT_ABS; /* on CLOCK_MONOTONIC */
    atomic_store_explicit(word_at(ring, sq->array + i * (uint32_t)sizeof(uint32_t)), i, memory_order_relaxed);
    atomic_store_explicit(word_at(ring, sq->tail), tail + 1, memory_order_release);
}

/* Takes one completion. @return true: there was one. */
static bool complete(struct uring *ring, int *ret_result)
{
    const struct io_cqring_offsets *cq = &ring->params.cq_off;
    const uint32_t head = atomic_load_explicit(word_at(ring, cq->head), memory_order_relaxed);
    if (head == atomic_load_explicit(word_at(ring, cq->tail), memory_order_acquire))
        return false;
    const struct io_uring_cqe *cqes = (void *)((char *)ring->rings + cq->cqes);
    *ret_result = cqes[head & (ring->params.cq_entries - 1)].res;
    atomic_store_explicit(word_at(ring, cq->head), head + 1, memory_order_release);
    return true;
}

int st_sleep_uring(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    struct uring *ring = s->state;
    const struct __kernel_timespec until = {.tv_sec = s->due_ns / ST_NS_PER_S,
                                            .tv_nsec = s->due_ns % ST_NS_PER_S};
    int result = 0;
    unsigned to_submit = 1;
    submit(ring, &until);
    while (!complete(ring, &result)) { /* a signal ends the wait, not the timeout: it is waited for again */
        const long r = syscall(SYS_io_uring_enter, s->fd, to_submit, 1, IORING_ENTER_GETEVENTS, NULL, 0);
        if (r < 0 && errno != EINTR)
            return -errno;
        to_submit = r > 0 ? 0 : to_submit;
    }
    return result == -ETIME ? 0 : result == 0 ? -EIO : result;
}

void st_sleep_close_uring(struct st_sleep *s)
{
    unmap(s->state);
    s->state = NULL;
    st_sleep_close_fd(s);
}
