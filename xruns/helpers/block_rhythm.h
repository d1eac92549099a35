/* The rhythm of a client's long cycles. A plug-in that computes in blocks (FFT, convolution) has
 * one long cycle for each block, which is a power of two of samples, whatever the buffer of the
 * server. Long cycles that come after a fixed number of cycles show a rhythm of the graph, and
 * those after a fixed time show a timer: neither is a block. Pure.
 *
 * If a cycle is not seen, either the client lost it and computed nothing, or only its report was
 * lost. So between two long cycles the client computed at least the frames that were seen, and at
 * most all frames that its driver counted: the length of a block may lie anywhere between. */
#pragma once

#include "core/base.h"

#define ST_BLOCK_RHYTHM_LONG_MAX 128 /* latest long cycles that are kept */

/** The long cycles of one client, and the block found in them. All 0 at first. */
struct st_block_rhythm {
    int64_t frames; /* frames of one cycle */
    int64_t clock;  /* the driver's frame counter in its latest cycle */
    int64_t position,
        begin; /* frames up to the end of the latest cycle, and up to the first cycle that counts */
    int64_t unseen; /* frames in `position` whose cycles were not seen */
    struct st_block_rhythm_long {
        int64_t position, unseen;
    } longs[ST_BLOCK_RHYTHM_LONG_MAX]; /* positions of long cycles, a ring */
    size_t longs_n;                    /* long cycles since the beginning */
    bool was_long;
    int64_t block, block_frames; /* the block found last, and the frames of the cycles in which it
                                    was found; 0: none */
    bool any, graph; /* any: the same block was found in cycles of another length; graph: the same
                        number of cycles was, so the rhythm is the graph's */
};

/** Adds a cycle that the client has finished; cycles may be missing. @param clock the driver's
 * frame counter when the cycle began. @param usual_ns usual busy time of such cycles. */
void st_block_rhythm_add(struct st_block_rhythm *rhythm, int64_t clock, int64_t frames,
                         int64_t busy_ns, int64_t usual_ns);

/** Looks for a rhythm. @param ret_any the block is the same in cycles of different lengths. @return
 * frames of a block; 0: no rhythm, or not known. */
int64_t st_block_rhythm_find(struct st_block_rhythm *rhythm, bool *ret_any);
