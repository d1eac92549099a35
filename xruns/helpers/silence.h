/* Finds losses of sound in what a stream plays: exact zeros in the midst of sound. Pure.
 *
 * Music has silence, too. Silence that a sound server or plug-in inserts where a program wrote
 * nothing differs in three ways: the sound before it is cut off and does not die away, the sound
 * behind it is there at once, and the silence ends where a cycle of the server begins. If it also
 * begins with a cycle, the loss is "whole"; other losses may be of a resampled stream, or of ALSA's
 * plug-in. A program that cuts off its own sound does so within cycles, too: after it did, further
 * silence may be the program's own and is not "rare". A fade to nothing of up to 5 ms counts as cut
 * off. Silence of more than 1.5 s is not "rare", and of more than 5 s it is a pause. Corks, pauses
 * and volume changes cause silence, too: the caller must recognise them. */
#pragma once

#include "core/base.h"

#define ST_SILENCE_CHANNELS_MAX 8
#define ST_SILENCE_BINS         10 /* half seconds that are kept */
#define ST_SILENCE_EDGE_MS      6

/* One cycle of a stream. */
struct st_silence_cycle {
    int64_t position; /* position of the first frame, on the driver's clock */
    int64_t rate_hz;
    size_t frames, channels_n; /* at least one, at most ST_SILENCE_CHANNELS_MAX */
    const float *channels[ST_SILENCE_CHANNELS_MAX];
};

/* One unbroken loss, or several with less than 20 ms of sound between them. */
struct st_silence_find {
    int64_t begin, end; /* on the driver's clock, in frames */
    bool whole;         /* each silence of the loss began with a cycle */
    bool rare; /* the loss is short, and in the last five minutes the program did not cut off its
                  own sound: no silence began abruptly and ended within a cycle */
    bool own;  /* the program cut off its own sound in the last two seconds, so this silence may be
                  its own */
};

/** State of the search for losses in one stream. All 0 at first, and each time when the stream
 * begins to play. */
struct st_silence {
    int64_t rate_hz;
    int64_t at;    /* position of the next frame; 0 with rate_hz 0: nothing was taken */
    int64_t quiet; /* frames of silence up to `at`; 0: sound */
    bool quiet_whole;
    float quiet_level;              /* level of the sound before the silence; 0: too quiet */
    int64_t doubt;                  /* frames after `at` in which a further loss is not `rare` */
    int64_t sound[ST_SILENCE_BINS]; /* frames of sound in the last half seconds */
    float peak[ST_SILENCE_BINS];    /* peaks of these half seconds */
    int64_t bin, bin_frames;        /* the half second that is being filled */
    float edge[ST_SILENCE_EDGE_MS]; /* peaks of the last ms of sound; [edge_at] is being filled */
    int64_t edge_at, edge_frames;
    struct st_silence_find find; /* a loss followed by `behind` frames of sound, with the peak
                                    `behind_peak` in the first 6 ms */
    bool found;
    int64_t behind;
    float behind_peak, level; /* level: of the sound before the loss */
};

typedef void (*st_silence_found_fn)(void *ctx, const struct st_silence_find *find);

/** Takes the next cycle. Missing cycles of up to 0.5 s continue a silence, and do not count as
 * sound; a larger gap, or another rate, starts over. Threads: any one thread. */
void st_silence_take(struct st_silence *silence, const struct st_silence_cycle *cycle,
                     st_silence_found_fn found, void *ctx);
