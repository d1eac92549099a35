/* Follows music in what came back of it: what programs played is the reference. Both are given side by side,
 * frame by frame, on one clock. Once its place is found (ears/alignment.h), each sample is compared with the
 * one that was played: as it is, with a gain and noise, or, if the path converts, between samples and with a
 * lag that drifts.
 *
 * Glitches are forced in what came back before it is compared, where there is sound; what follows the music
 * does not know of them. Pure; bounded memory; nothing is allocated. One thread. */
#pragma once

#include "ears/alignment.h"
#include "ears/loss.h"

#define ST_REFERENCE_BLOCK 3840       /* frames: 5 ms at 768 kHz */
#define ST_REFERENCE_DELAY (1U << 17) /* frames */

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

/* How samples come back. */
struct st_reference_path {
    bool by_sample, exact; /* one by one; as they were */
    double gain;           /* negative: turned over */
    double tolerance;      /* of a difference, if by_sample */
    double noise;          /* root mean square of what is not the music, as a share of it */
};

/* What it finds besides losses. */
struct st_reference_found {
    uint64_t heard_frames, similar_frames, mixed_frames;
    uint64_t unlike_n, similar_n; /* looks for its place; of them, those at which there were several */
    unsigned volumes_n, contact_lost_n;
    bool was_followed, was_by_sample, was_exact, was_lossy;
};

/* Damage that has not ended. */
struct st_reference_damage {
    bool lasts;
    uint64_t bad_at, good_at, good_n; /* since `good_at` this many samples agree */
    uint64_t next_search, searches_n; /* for the place where the music goes on */
};

struct st_reference {
    uint32_t rate_hz, channels; /* channels: of each of both */
    enum st_reference_state state;
    struct st_alignment alignment;
    struct st_alignment_place place;
    struct st_reference_path path;
    struct st_reference_found found;
    struct st_reference_damage damage;
    struct st_losses losses;
    struct {
        bool quiet, similar;
        uint64_t loud_at;
    } music; /* what was played where it is now */
    struct {
        bool was;
        uint64_t blind_until;
    } gap;
    uint64_t next_try, settles_until;
    float expected[ST_REFERENCE_BLOCK + 2]; /* differences of the last block, one before and one behind */
    struct st_reference_force force;
    size_t forced_n;
    struct st_glitch forced[ST_SIGNAL_GLITCHES_MAX]; /* at_frame: recorded */
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
