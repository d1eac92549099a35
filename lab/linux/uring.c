#include "lab/linux/uring.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A word of the shared rings. */
static _Atomic uint32_t *word_at(const struct st_uring *ring, uint32_t offset)
{
    return (_Atomic uint32_t *)(void *)((char *)ring->rings + offset);
}

static void *map(int fd, size_t bytes, off_t offset)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);
    return at == MAP_FAILED ? NULL : at;
}

void st_uring_free(struct st_uring *ring)
{
    if (ring->sqes != NULL)
        munmap(ring->sqes, ring->sqes_bytes);
    if (ring->rings != NULL)
        munmap(ring->rings, ring->rings_bytes);
    if (ring->fd >= 0)
        close(ring->fd);
    free(ring);
}

struct st_uring *st_uring_new(int *ret_error)
{
    struct st_uring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL) {
        *ret_error = -ENOMEM;
        return NULL;
    }
    struct io_uring_params *params = &ring->params;
    ring->fd = (int)syscall(SYS_io_uring_setup, 1, params); /* close-on-exec by itself */
    int r = ring->fd < 0 ? -errno : (params->features & IORING_FEAT_SINGLE_MMAP) == 0 ? -ENOTSUP : 0;
    if (r == 0) {
        const size_t sq_bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
        const size_t cq_bytes = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
        ring->rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
        ring->sqes_bytes = params->sq_entries * sizeof(struct io_uring_sqe);
        ring->rings = map(ring->fd, ring->rings_bytes, IORING_OFF_SQ_RING);
        ring->sqes = map(ring->fd, ring->sqes_bytes, IORING_OFF_SQES);
        r = ring->rings != NULL && ring->sqes != NULL ? 0 : -ENOMEM;
    }
    if (r != 0) {
        st_uring_free(ring);
        *ret_error = r;
        return NULL;
    }
    return ring;
}

void st_uring_queue(struct st_uring *ring, const struct io_uring_sqe *sqe)
{
    const struct io_sqring_offsets *sq = &ring->params.sq_off;
    const uint32_t tail = atomic_load_explicit(word_at(ring, sq->tail), memory_order_relaxed);
    const uint32_t i = tail & (ring->params.sq_entries - 1);
    memcpy(&ring->sqes[i], sqe, sizeof(*sqe));
    atomic_store_explicit(word_at(ring, sq->array + i * (uint32_t)sizeof(uint32_t)), i, memory_order_relaxed);
    atomic_store_explicit(word_at(ring, sq->tail), tail + 1, memory_order_release);
}

long st_uring_enter(const struct st_uring *ring, unsigned to_submit, unsigned min_complete, unsigned flags,
                    const struct io_uring_getevents_arg *arg)
{
    const long r =
        syscall(SYS_io_uring_enter, ring->fd, to_submit, min_complete,
                arg != NULL ? flags | IORING_ENTER_EXT_ARG : flags, arg, arg != NULL ? sizeof(*arg) : 0);
    return r >= 0 ? r : -errno;
}

bool st_uring_complete(struct st_uring *ring, int *ret_result)
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
