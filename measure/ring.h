/* The ring of 4-byte words from the cycle loop (the producer) to the drain thread (the
 * consumer). */
#pragma once

#include <stdatomic.h>

#include "core/base.h"

/* --- what the words mean; docs/adr/0003-ring-format.md has the reasons --- */

/* A plain word is the lateness of one cycle in ns. With a callback, a second word follows: the
 * callback time in ns. The lowest values of a word are marks, which begin a record; the next two
 * words are a 64-bit number (low half first). */
/* the number is the lateness (ns) of a cycle, which does not fit into 32 bits; with a callback, the
 * callback time follows */
#define ST_RECORD_WIDE (INT32_MIN + 0)
/* the number is a callback time (ns) that does not fit into 32 bits; the record stands in place of
 * the word for this time */
#define ST_RECORD_WIDE_CB (INT32_MIN + 1)
/* the number counts the periods that were skipped after the previous cycle */
#define ST_RECORD_SKIPPED (INT32_MIN + 2)
#define ST_RECORD_LOST    (INT32_MIN + 3) /* the number counts cycles that a full ring lost */
/* the number counts skipped periods that a full ring lost */
#define ST_RECORD_LOST_SKIPPED (INT32_MIN + 4)
/* the number is the due time (ns) of period 0, with which counting starts; earlier words were
 * warm-up */
#define ST_RECORD_START (INT32_MIN + 5)
/* a struct st_cause_record follows; the number is its length in words */
#define ST_RECORD_CAUSE (INT32_MIN + 6)
#define ST_RECORD_LAST  ST_RECORD_CAUSE

/** Length of a record in words: one for the mark, two for the 64-bit number. */
#define ST_RECORD_WORDS 3

/* --- the ring --- */

struct st_ring {
    int32_t *words;
    uint64_t mask; /* size - 1; the size is a power of two */
    /* words written so far, as the consumer sees them; set by the producer */
    _Alignas(ST_CACHE_LINE_BYTES) _Atomic uint64_t head;
    /* words written so far, including those that are not published; used by the producer only */
    uint64_t head_local;
    uint64_t tail_cached; /* tail when the producer last read it */
    /* words taken so far; set by the consumer */
    _Alignas(ST_CACHE_LINE_BYTES) _Atomic uint64_t tail;
};

/** Makes the ring. @param words at least 64; rounded up to a power of two. All its memory is
 * touched, so that the producer causes no page fault. @return 0, -ERANGE, -ENOMEM. */
ST_NODISCARD int st_ring_init(struct st_ring *ring, uint64_t words);
void st_ring_finish(struct st_ring *ring);

/** Is there room for n more words? Reads the consumer's cache line only if there seems to be none.
 * Threads: producer. */
static inline bool st_ring_has_room(struct st_ring *ring, uint64_t n) ST_NONBLOCKING
{
    if (ring->head_local + n - ring->tail_cached <= ring->mask + 1)
        return true;
    ring->tail_cached = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return ring->head_local + n - ring->tail_cached <= ring->mask + 1;
}

/** Appends a word without publishing it; the caller must have checked for room. Threads:
 * producer. */
static inline void st_ring_put(struct st_ring *ring, int32_t word) ST_NONBLOCKING
{
    ring->words[ring->head_local++ & ring->mask] = word;
}

/** Makes all appended words visible to the consumer. Threads: producer. */
static inline void st_ring_publish(struct st_ring *ring) ST_NONBLOCKING
{
    atomic_store_explicit(&ring->head, ring->head_local, memory_order_release);
}

/** Takes at most max words out of the ring. Threads: consumer. @return number of words. */
uint64_t st_ring_take(struct st_ring *ring, int32_t *out, uint64_t max);
