/* Losses of sound in what came back, and which of them are one. Pure. One thread. */
#pragma once

#include "ears/signal.h"

struct st_loss {
    enum st_loss_kind kind;
    uint64_t at_frame;      /* recorded: where it begins, or up to within_frames later */
    uint64_t within_frames; /* 0: exact */
    uint64_t frames;        /* LOST, REPEATED: of the signal; else how long it lasts */
    int64_t shift_frames;   /* the signal behind it is this much ahead of its time */
};

#define ST_LOSSES_MAX 512 /* that are kept; further ones are counted */

/** Losses with less than 20 ms of sound between them are one, and so are blocks in the wrong order, each of
 * which ends where the signal is back or in the next block. */
struct st_losses {
    uint64_t join_frames, slack_frames; /* slack: places are known so well */
    struct st_loss last;
    bool holds;
    uint64_t clean_from;
    size_t n; /* all that have ended; those beyond ST_LOSSES_MAX are only counted */
    struct st_loss list[ST_LOSSES_MAX];
};

void st_losses_init(struct st_losses *losses, uint32_t rate_hz);
/** @param clean  recorded: the signal is back from here on. */
void st_losses_add(struct st_losses *losses, const struct st_loss *loss, uint64_t clean);
/** There was sound up to this frame, and no loss. Ends what no other can belong to any more. */
void st_losses_pass(struct st_losses *losses, uint64_t frame);
void st_losses_end(struct st_losses *losses);
