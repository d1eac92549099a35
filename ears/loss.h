/* Losses of sound in the recorded signal, and which of them count as one. Pure. One thread. */
#pragma once

#include "ears/signal.h"

struct st_loss {
    enum st_loss_kind kind;
    uint64_t at_frame; /* recorded frame where the loss begins, at most within_frames too early */
    uint64_t within_frames; /* 0: at_frame is exact */
    uint64_t frames;        /* LOST, REPEATED: frames of the signal; other kinds: duration */
    int64_t shift_frames; /* frames by which the signal is ahead after the loss; negative: behind */
};

#define ST_LOSSES_MAX 512 /* losses that are kept; further ones are only counted */

/** Collects losses. Losses with less than 20 ms of sound between them count as one. So do blocks of
 * sound that are played in the wrong order, each of which looks like a loss of its own. */
struct st_losses {
    uint64_t join_frames, slack_frames; /* join_frames: with less sound between them, losses count
                                           as one; slack_frames: accuracy of their places */
    struct st_loss last;
    bool holds;
    uint64_t clean_from;
    size_t n; /* all ended losses; those beyond ST_LOSSES_MAX are only counted */
    struct st_loss list[ST_LOSSES_MAX];
};

void st_losses_init(struct st_losses *losses, uint32_t rate_hz);
/** Adds a loss, or joins it to the last one. @param clean recorded frame from which the signal is
 * back. */
void st_losses_add(struct st_losses *losses, const struct st_loss *loss, uint64_t clean);
/** There was sound and no loss up to this frame: ends losses that no later loss can join. */
void st_losses_pass(struct st_losses *losses, uint64_t frame);
void st_losses_end(struct st_losses *losses);
