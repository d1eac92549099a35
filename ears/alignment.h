/* Finds where the music that was played is in what came back. What was played is kept as differences of
 * neighbours, and what came back is compared as such: in them bass does not hide the rest. A place is a lag
 * in frames, which may lie between two of them and may grow where clocks differ. Pure; bounded memory;
 * nothing is allocated. One thread. */
#pragma once

#include "core/base.h"

#define ST_ALIGNMENT_RING      (1U << 18) /* frames: 5.4 s at 48 kHz, 1.3 s at 192 kHz */
#define ST_ALIGNMENT_WINDOW    1024       /* frames by which a place is found */
#define ST_ALIGNMENT_TAPS      32
#define ST_ALIGNMENT_BLOCKS_HZ 200 /* a place is right in the middle of the last block */

struct st_alignment_place {
    int64_t lag;     /* frames from playing to recording, with `part` */
    double part;     /* of a frame: -0.5 .. 0.5; as refined -1 .. 1 */
    double rate;     /* frames by which the lag grows in a frame */
    double likeness; /* of the last window there, -1 .. 1; negative: turned over */
};

struct st_alignment {
    uint32_t rate_hz;
    uint64_t n; /* frames taken */
    float last_played;
    double kernel_part; /* of a frame, for which the kernel is made; NAN: none */
    float kernel[ST_ALIGNMENT_TAPS], scratch[ST_ALIGNMENT_RING];
    float played[ST_ALIGNMENT_RING];   /* differences */
    float recorded[ST_ALIGNMENT_RING]; /* samples; NAN: overdriven */
};

/** Large: not for the stack. */
void st_alignment_init(struct st_alignment *alignment, uint32_t rate_hz);
void st_alignment_put(struct st_alignment *alignment, float played, float recorded);

/** Differences. Only the last ST_ALIGNMENT_RING frames are known. */
static inline float st_alignment_played(const struct st_alignment *alignment, int64_t at)
{
    return alignment->played[(uint64_t)at % ST_ALIGNMENT_RING];
}

/** @return NAN: it was overdriven. */
static inline float st_alignment_heard(const struct st_alignment *alignment, uint64_t at)
{
    return alignment->recorded[at % ST_ALIGNMENT_RING] - alignment->recorded[(at - 1) % ST_ALIGNMENT_RING];
}

/** What was played at `at`, but for that part of a frame. */
double st_alignment_played_between(struct st_alignment *alignment, int64_t at, double part);
/** What should come back at that place, times `gain`.
 * @param from  the first of n frames, a block that has just come.
 * @param ret   n + 2 values, of the frames from - 1 .. from + n. */
void st_alignment_expect(struct st_alignment *alignment, const struct st_alignment_place *place, double gain,
                         uint64_t from, uint64_t n, float *ret);

/** That place `frames` after the middle of the last block. */
struct st_alignment_place st_alignment_later(const struct st_alignment_place *place, double frames);

/** The last window, at lags from .. until in whole frames: the nearest to `near` of those that are as good.
 */
struct st_alignment_place st_alignment_find(struct st_alignment *alignment, int64_t from, int64_t until,
                                            int64_t near);
/** Treble half a frame away has little in common with whole frames: looks between them. */
void st_alignment_refine(struct st_alignment *alignment, struct st_alignment_place *place);
/** How much the window is like the best other place, at least `apart` frames away, up to that lag: 0 .. 1. */
double st_alignment_rival(struct st_alignment *alignment, const struct st_alignment_place *place,
                          int64_t apart, int64_t until);
/** Was the same played in the n frames from `at` on as somewhere up to `most` frames before? Then a loss of
 * one repeat, or several, changes nothing. */
bool st_alignment_repeats(const struct st_alignment *alignment, int64_t at, int64_t n, int64_t most,
                          double tolerance);
