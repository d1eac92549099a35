/* Follows music in what came back of it: what programs played is the reference. Both are given side by side,
 * frame by frame, on one clock. The lag is found by correlation, then each sample is compared with the one
 * that was played: as it is, with a gain and noise, or, if the path converts, between samples and with a lag
 * that drifts. Compared are differences of neighbours, in which bass does not hide the rest.
 *
 * Glitches are forced in what came back before it is compared, where there is sound; what follows the music
 * does not know of them. Pure; bounded memory; nothing is allocated. One thread. */
#pragma once

#include "ears/loss.h"

#define ST_REFERENCE_RING  (1U << 18) /* frames: 5.4 s at 48 kHz, 1.3 s at 192 kHz */
#define ST_REFERENCE_BLOCK 3840       /* frames: 5 ms at 768 kHz */
#define ST_REFERENCE_DELAY (1U << 17) /* frames */
#define ST_REFERENCE_TAPS  32

enum st_reference_state {
    ST_REFERENCE_SEEKS,
    ST_REFERENCE_SETTLES, /* converted: lag and clock are adjusted */
    ST_REFERENCE_FOLLOWS
};

/* Damages what came back, 60 ms later. */
struct st_reference_force {
    struct st_signal plan; /* its glitches by at_frame: frames with sound */
    size_t forced_n;       /* or left out */
    uint64_t n, sounding, silent_until, sounds_until;
    int64_t shift;
    float ring[ST_REFERENCE_DELAY];
};

struct st_reference {
    uint32_t rate_hz, channels; /* channels: of each of both */
    uint64_t n;                 /* frames taken */
    enum st_reference_state state;
    bool by_sample, exact; /* samples come back one by one; as they were */
    double gain;           /* negative: turned over */
    double tolerance;      /* of a difference, if by_sample */
    double noise;          /* root mean square of what is not the music, as a share of it */
    int64_t lag;           /* frames from playing to recording, with `part` */
    double part, rate;     /* -0.5 .. 0.5; frames by which the lag grows in a frame */
    /* what it finds besides losses */
    uint64_t heard_frames, quiet_frames, similar_frames, mixed_frames;
    unsigned volumes_n, contact_lost_n;
    bool was_followed, was_by_sample, was_exact, was_lossy, quiet, similar;
    uint64_t unlike_n, similar_n; /* looks for its place; of them, those at which there were several */
    struct st_losses losses;
    size_t forced_n;
    struct st_glitch forced[ST_SIGNAL_GLITCHES_MAX]; /* at_frame: recorded */
    /* of its own */
    uint64_t next_try, settled, blind_until, next_search, searches_n;
    bool damaged, after_gap;
    uint64_t bad_at, good_at, good_n, loud_at;
    double kernel_part;
    float kernel[ST_REFERENCE_TAPS], expected[ST_REFERENCE_BLOCK + 2], scratch[ST_REFERENCE_RING];
    float last_x;
    float x[ST_REFERENCE_RING]; /* differences of what was played */
    float y[ST_REFERENCE_RING]; /* what came back */
    struct st_reference_force force;
};

/** @param channels of what was played, and of what came back. Large: not for the stack.
 * @param chance  where glitches are forced. */
void st_reference_init(struct st_reference *reference, uint32_t rate_hz, uint32_t channels, uint64_t chance,
                       st_loss_fn found);

/** Frames, each of `channels` played, then as many recorded. Losses come in order. */
void st_reference_take(struct st_reference *reference, const float *frames, size_t frames_n, void *ctx);

/** Of these frames neither side is known: nothing is judged that was played or recorded then. */
void st_reference_gap(struct st_reference *reference, uint64_t frames_n, void *ctx);

/** No more comes: the last loss. Damage up to the end is one if more than a second of music was played then.
 */
void st_reference_end(struct st_reference *reference, void *ctx);

/** From playing to recording, without what forcing takes. */
int64_t st_reference_latency(const struct st_reference *reference);
