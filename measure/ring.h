/* Single-producer, single-consumer ring of 4-byte words: from the cycle loop to the drain thread. */
#pragma once

#include <stdatomic.h>

#include "core/base.h"

/* --- what the words mean: docs/adr/0003-ring-format.md has the reasons --- */

/* A plain word is the lateness of one cycle in ns. With a callback a second word follows: the callback time
 * in ns. The lowest values announce a record with a 64-bit payload in the next two words (low, high): */
#define ST_RECORD_WIDE                                                                                       \
    (INT32_MIN + 0) /* a cycle: lateness beyond 32 bits (with a callback: then its callback time) */
#define ST_RECORD_WIDE_CB      (INT32_MIN + 1) /* stands for a callback word that is beyond 32 bits */
#define ST_RECORD_SKIPPED      (INT32_MIN + 2) /* payload: periods skipped after the cycle before */
#define ST_RECORD_LOST         (INT32_MIN + 3) /* payload: cycles that found the ring full */
#define ST_RECORD_LOST_SKIPPED (INT32_MIN + 4) /* payload: skipped periods that found it full */
#define ST_RECORD_START                                                                                      \
    (INT32_MIN + 5) /* counting starts at k = 0 with this t0; what came before was warm-up */
#define ST_RECORD_CAUSE (INT32_MIN + 6) /* a struct st_cause_record follows, payload = its words */
#define ST_RECORD_LAST  ST_RECORD_CAUSE

/** Words of a record with its payload. */
#define ST_RECORD_WORDS 3

/* --- the ring --- */

struct st_ring {
    int32_t *words;
    uint64_t mask;                                       /* size - 1, size a power of two */
    _Alignas(ST_CACHE_LINE_BYTES) _Atomic uint64_t head; /* written by the producer */
    uint64_t head_local;                                 /* producer's own */
    uint64_t tail_cached;                                /* producer's last look at tail */
    _Alignas(ST_CACHE_LINE_BYTES) _Atomic uint64_t tail; /* written by the consumer */
};

/** @param words at least 64; rounded up to a power of two and touched. @return 0, -ERANGE, -ENOMEM. */
ST_NODISCARD int st_ring_init(struct st_ring *ring, uint64_t words);
void st_ring_finish(struct st_ring *ring);

/** Room for n more words? Producer only; reads the consumer's line only when its last look says no. */
static inline bool st_ring_has_room(struct st_ring *ring, uint64_t n) ST_NONBLOCKING
{
    if (ring->head_local + n - ring->tail_cached <= ring->mask + 1)
        return true;
    ring->tail_cached = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return ring->head_local + n - ring->tail_cached <= ring->mask + 1;
}

/** Appends without publishing; the caller asked for room. Producer only. */
static inline void st_ring_put(struct st_ring *ring, int32_t word) ST_NONBLOCKING
{
    ring->words[ring->head_local++ & ring->mask] = word;
}

/** Shows the consumer all that was put. Producer only. */
static inline void st_ring_publish(struct st_ring *ring) ST_NONBLOCKING
{
    atomic_store_explicit(&ring->head, ring->head_local, memory_order_release);
}

/** Copies at most max words out. Consumer only. @return how many. */
uint64_t st_ring_take(struct st_ring *ring, int32_t *out, uint64_t max);
