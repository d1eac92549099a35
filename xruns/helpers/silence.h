/* Finds losses of sound in what a stream plays: exact zeros in the midst of sound. Pure.
 *
 * Music has such silence, too. What a sound server or plug-in puts where a program wrote nothing differs in
 * three ways: the sound before it is cut off and does not die away, the sound behind it is there at once, and
 * it ends where a cycle of the server begins. Where it also begins with a cycle, it is "whole"; one that does
 * not may be of a resampled stream, or of ALSA's plug-in. A program that cuts its own sound off does so
 * within cycles, too: if it has lately, another one that fits may be its own. A fade to nothing of up to 5 ms
 * counts as cut off. Silence of more than 1.5 s is not "rare", and of more than 5 s a pause. Cork, pause,
 * another volume: the caller knows them.
 */
#pragma once

#include "core/base.h"

#define ST_SILENCE_CHANNELS_MAX 8
#define ST_SILENCE_BINS         10 /* half seconds that are remembered */
#define ST_SILENCE_EDGE_MS      6

/* One cycle of a stream. */
struct st_silence_cycle {
    int64_t position; /* of its first frame, on the driver's clock */
    int64_t rate_hz;
    size_t frames, channels_n; /* at least one, at most ST_SILENCE_CHANNELS_MAX */
    const float *channels[ST_SILENCE_CHANNELS_MAX];
};

/* A loss: an unbroken one, or several with less than 20 ms of sound between them. */
struct st_silence_find {
    int64_t begin, end; /* on the driver's clock, in frames */
    bool whole;         /* each silence of it began with a cycle */
    bool rare; /* short, and in the last five minutes no other one was cut off and ended within a cycle ... */
    bool own;  /* ... and in the last two seconds one was */
};

/** All 0 at first, and each time when the stream begins to play. */
struct st_silence {
    int64_t rate_hz;
    int64_t at;    /* the next frame; 0 with rate_hz: nothing was taken */
    int64_t quiet; /* frames of silence up to here; 0: sound */
    bool quiet_whole;
    float quiet_level;              /* of the sound before it; 0: too little */
    int64_t doubt;                  /* frames from here in which a find is not rare */
    int64_t sound[ST_SILENCE_BINS]; /* frames of sound in the half seconds up to here ... */
    float peak[ST_SILENCE_BINS];    /* ... and their peaks */
    int64_t bin, bin_frames;        /* the one that is filled */
    float edge[ST_SILENCE_EDGE_MS]; /* peaks of the last ms of sound; [edge_at] is filled */
    int64_t edge_at, edge_frames;
    struct st_silence_find
        find; /* with sound behind it for `behind` frames, and `behind_peak` in the first 6 ms */
    bool found;
    int64_t behind;
    float behind_peak, level; /* level: of the sound before it */
};

typedef void (*st_silence_found_fn)(void *ctx, const struct st_silence_find *find);

/** Takes the next cycle. Cycles that are missing, up to half a second, are as what was before them; a larger
 * gap, or another rate, begins anew. Threads: any one. */
void st_silence_take(struct st_silence *silence, const struct st_silence_cycle *cycle,
                     st_silence_found_fn found, void *ctx);
