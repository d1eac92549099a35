/* Single-producer, single-consumer ring of 4-byte words: from the cycle loop to the drain thread. */
#pragma once

#include <stdatomic.h>

#include "core/base.h"

/* --- meaning of the words; reasons: docs/adr/0003-ring-format.md --- */

/* A plain word is the lateness of one cycle in ns. With a callback, a second word follows: the callback
 * time in ns. The lowest values announce a record with a 64-bit payload in the next two words (low,
 * high). */
#define ST_RECORD_WIDE                                                                                       \
    (INT32_MIN + 0) /* a cycle whose lateness exceeds 32 bits; with a callback, the callback time follows */
#define ST_RECORD_WIDE_CB                                                                                    \
    (INT32_MIN + 1) /* in place of a callback word: a callback time that exceeds 32 bits */
#define ST_RECORD_SKIPPED      (INT32_MIN + 2) /* payload: periods skipped after the previous cycle */
#define ST_RECORD_LOST         (INT32_MIN + 3) /* payload: cycles that found the ring full */
#define ST_RECORD_LOST_SKIPPED (INT32_MIN + 4) /* payload: skipped periods that found the ring full */
#define ST_RECORD_START                                                                                      \
    (INT32_MIN + 5) /* counting starts at k = 0 with this t0; earlier words were warm-up */
#define ST_RECORD_CAUSE (INT32_MIN + 6) /* a struct st_cause_record follows, payload = its words */
#define ST_RECORD_LAST  ST_RECORD_CAUSE

/** Number of words of a record with its payload. */
#define ST_RECORD_WORDS 3

/* --- the ring --- */

struct st_ring {
    int32_t *words;
    uint64_t mask;                                       /* size - 1, size a power of two */
    _Alignas(ST_CACHE_LINE_BYTES) _Atomic uint64_t head; /* written by the producer */
    uint64_t head_local;                                 /* only used by the producer */
    uint64_t tail_cached;                                /* tail at the producer's last look */
    _Alignas(ST_CACHE_LINE_BYTES) _Atomic uint64_t tail; /* written by the consumer */
};

/** @param words at least 64; rounded up to a power of two. The memory is touched. @return 0, -ERANGE,
 * -ENOMEM. */
ST_NODISCARD int st_ring_init(struct st_ring *ring, uint64_t words);
void st_ring_finish(struct st_ring *ring);

/** Is there room for n more words? Producer only; reads the consumer's cache line only if the cached tail
 * shows no room. */
static inline bool st_ring_has_room(struct st_ring *ring, uint64_t n) ST_NONBLOCKING
{
    if (ring->head_local + n - ring->tail_cached <= ring->mask + 1)
        return true;
    ring->tail_cached = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return ring->head_local + n - ring->tail_cached <= ring->mask + 1;
}

/** Appends a word without publishing; the caller has checked for room. Producer only. */
static inline void st_ring_put(struct st_ring *ring, int32_t word) ST_NONBLOCKING
{
    ring->words[ring->head_local++ & ring->mask] = word;
}

/** Makes all appended words visible to the consumer. Producer only. */
static inline void st_ring_publish(struct st_ring *ring) ST_NONBLOCKING
{
    atomic_store_explicit(&ring->head, ring->head_local, memory_order_release);
}

/** Copies out at most max words. Consumer only. @return number of words. */
uint64_t st_ring_take(struct st_ring *ring, int32_t *out, uint64_t max);
