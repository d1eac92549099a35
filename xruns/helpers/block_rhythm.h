/* The rhythm of a client's long cycles. A plug-in that computes in blocks (FFT, convolution) has one long
 * cycle for each block, which is a power of two of samples, whatever the buffer of the server. What comes
 * after a number of cycles is the graph's own rhythm, and what comes after a time is neither. Pure.
 *
 * A cycle that is not seen was lost, and the client's samples go on behind it, or only its report was, and
 * they go on without it. So between two long cycles the client computed at least what was seen, and at most
 * all that its driver counted: a block may lie anywhere between. */
#pragma once

#include "core/base.h"

#define ST_BLOCK_RHYTHM_LONG_MAX 128 /* cycles, the latest ones */

/** All 0 at first. */
struct st_block_rhythm {
    int64_t frames;          /* of a cycle */
    int64_t clock;           /* of the driver, in its latest cycle */
    int64_t position, begin; /* frames up to the latest cycle's end, and to the first one that counts */
    int64_t unseen;          /* of those: in cycles that were not seen */
    struct st_block_rhythm_long {
        int64_t position, unseen;
    } longs[ST_BLOCK_RHYTHM_LONG_MAX]; /* where long cycles are, a ring ... */
    size_t longs_n;                    /* ... of this number since the beginning */
    bool was_long;
    int64_t block,
        block_frames; /* the block that was found last, and in cycles of how many frames; 0: none */
    bool any, graph;  /* the same block in cycles of another length; the same number of cycles */
};

/** A cycle that the client has finished. Not all of them are seen. @param clock frames that its driver had
 * counted when it began. @param usual_ns of such cycles. */
void st_block_rhythm_add(struct st_block_rhythm *rhythm, int64_t clock, int64_t frames, int64_t busy_ns,
                         int64_t usual_ns);

/** Looks for a rhythm. @param ret_any it is the same in cycles of different lengths.
 * @return frames of a block; 0: there is none, or it is not known. */
int64_t st_block_rhythm_find(struct st_block_rhythm *rhythm, bool *ret_any);
