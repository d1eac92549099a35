/* Allocates the ring's memory, and takes words out of the ring (the consumer's side). */
#include "measure/ring.h"

/* words of 4 bytes, 1 GiB: more than a minute at any rate */
#define WORDS_MAX (UINT64_C(1) << 28)

int st_ring_init(struct st_ring *ring, uint64_t words)
{
    if (words > WORDS_MAX)
        return -ERANGE;
    uint64_t size = 64;
    while (size < words)
        size *= 2;
    const size_t bytes = (size_t)size * sizeof(*ring->words);
    int32_t *memory = malloc(bytes);
    if (memory == NULL)
        return -ENOMEM;
    *ring = (struct st_ring){.words = memory, .mask = size - 1};
    memset(memory, 0xff, bytes); /* touches all pages, so that the producer causes no page fault */
    return 0;
}

void st_ring_finish(struct st_ring *ring)
{
    free(ring->words);
    ring->words = NULL;
}

uint64_t st_ring_take(struct st_ring *ring, int32_t *out, uint64_t max)
{
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    const uint64_t waiting = head - tail;
    const uint64_t n = ST_MIN(waiting, max);
    for (uint64_t i = 0; i < n; i++)
        out[i] = ring->words[(tail + i) & ring->mask];
    atomic_store_explicit(&ring->tail, tail + n, memory_order_release);
    return n;
}
