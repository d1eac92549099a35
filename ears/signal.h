/* The test signal, of which each sample is a function of the frame's number. Even channels have a
 * pseudo-random sequence: a sample is one of 2 * ST_SIGNAL_STEPS steps and never 0. 64 consecutive
 * samples occur nowhere else, so their place is exact if the path does not change samples. Odd
 * channels have three tones, whose phases give the time within one second, and which survive a
 * conversion. Pure; any thread, including an audio callback: nothing is allocated. */
#pragma once

#include "core/base.h"

/* Kinds of losses, forced and found. The name is used in the JSON. */
#define ST_LOSS_KINDS(X)                                                                           \
    X(LOST, "lost", "left out")                                                                    \
    X(REPEATED, "repeated", "played again")                                                        \
    X(ZEROED, "zeroed", "silence")                                                                 \
    X(CORRUPTED, "corrupted", "other sound in its place")

enum st_loss_kind {
#define ST_LOSS_KIND(kind, name, text) ST_LOSS_##kind,
    ST_LOSS_KINDS(ST_LOSS_KIND)
#undef ST_LOSS_KIND
        ST_LOSS_KINDS_N
};

const char *st_signal_loss_name(enum st_loss_kind kind);
const char *st_signal_loss_text(enum st_loss_kind kind);

/* A part of the played signal that is damaged on purpose. */
struct st_glitch {
    enum st_loss_kind kind; /* LOST, REPEATED, ZEROED */
    uint64_t at_frame;      /* frame of the played signal */
    uint64_t frames;
};

/* Number of glitches in a test: three kinds at three lengths each. These lengths (one frame, 1 ms,
 * 20 ms) are the shortest that the classes of path promise to find (ears/hearing.h). */
#define ST_SIGNAL_GLITCHES_MAX 9

#define ST_SIGNAL_LEVEL 0.01F /* of full scale: -40 dBFS */
#define ST_SIGNAL_STEPS 327   /* ST_SIGNAL_LEVEL in steps of 16-bit samples, rounded down */

struct st_signal {
    uint32_t rate_hz, channels;
    size_t glitches_n;
    struct st_glitch glitches[ST_SIGNAL_GLITCHES_MAX]; /* sorted by at_frame, without overlap */
};

#define ST_SIGNAL_TONES 3
extern const uint32_t st_signal_tones_hz[ST_SIGNAL_TONES];

/** Sets up a signal without glitches. @param rate_hz 8000 or more. @param channels 1 or more. */
void st_signal_init(struct st_signal *signal, uint32_t rate_hz, uint32_t channels);

/** How many frames the signal is ahead after the glitch; negative if the glitch repeats a part. */
int64_t st_signal_shift(const struct st_glitch *glitch) ST_NONBLOCKING;

#define ST_SIGNAL_FORCED_S 6.5 /* time of the played signal until all glitches were forced */

/** Forces all glitches, from 2 s of the played signal on, one in each half second. @param chance
 * seed of their places. */
void st_signal_force(struct st_signal *signal, uint64_t chance);

/** Fills frames from at_frame on, interleaved: ret_frames[frames_n * channels]. */
void st_signal_fill(const struct st_signal *signal, uint64_t at_frame, float *ret_frames,
                    size_t frames_n) ST_NONBLOCKING;

/** One sample of the sequence without glitches: a step of 1 / 32768, -ST_SIGNAL_STEPS ..
 * ST_SIGNAL_STEPS without 0. */
int32_t st_signal_step(uint64_t frame, uint32_t channel) ST_NONBLOCKING;
/** Is that sample of channel 0 above 0? Faster than st_signal_step. */
bool st_signal_is_up(uint64_t frame) ST_NONBLOCKING;

/** The sum of the tones at a frame, without glitches, between -ST_SIGNAL_LEVEL and
 * ST_SIGNAL_LEVEL. */
float st_signal_tone(uint32_t rate_hz, uint64_t frame) ST_NONBLOCKING;
