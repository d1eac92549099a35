/* Follows the sequence of the test signal sample by sample: where a path returns samples as they are, or
 * with another volume and some noise, each frame that is missing, repeated, silent or false is found with its
 * place and length. Pure; bounded memory; nothing is allocated. One thread. */
#pragma once

#include "ears/loss.h"

#define ST_PLACES_RING (1U << 18) /* frames that can be looked at again: 1.3 s at 192 kHz */

struct st_places {
    uint32_t rate_hz, steps;
    uint64_t ring_frames; /* of it that are used: a power of two */
    uint64_t n;           /* frames taken */
    bool locked;          /* it knows where it is, and how loud */
    bool exact;           /* every sample was as played */
    int64_t offset;       /* frame of the signal minus frame recorded */
    double gain;          /* negative: turned over */
    double tolerance;     /* of a sample */
    double noise;         /* root mean square of what is not the signal, as a share of the signal */
    /* what it finds besides losses */
    uint64_t heard_frames;   /* while locked, without those of losses */
    uint64_t mixed_frames;   /* other sound was added: not a loss */
    unsigned volumes_n;      /* changes of volume */
    unsigned contact_lost_n; /* more than a second away, and found again */
    int64_t first_offset;    /* where it was locked first */
    struct st_losses losses;
    int64_t expected; /* offset, if `expects` */
    bool expects, was_locked;
    uint64_t
        calibrate_from; /* locked, but gain and tolerance will be found from here on; 0: they are known */
    uint64_t next_try, tries_n,
        tries_max; /* when it looks again where it is; how often, before the first time */
    bool damaged;
    uint64_t bad_at, good_n, next_search, searches_n;
    float ring[ST_PLACES_RING];
};

/** @param level  of the signal. Large: not for the stack. */
void st_places_init(struct st_places *places, uint32_t rate_hz, float level);

/** A recorded frame is about that one of the signal: looks within two seconds of it first. The signal is
 * played to the end, so damage of more than a second is a loss also if nothing comes back after it. */
void st_places_expect(struct st_places *places, uint64_t recorded, uint64_t played);

/** Takes samples of channel 0; `stride` floats apart. Losses come in order, up to 1.1 s late. */
void st_places_take(struct st_places *places, const float *samples, size_t stride, size_t frames_n);

/** No more comes: the last loss. Without st_places_expect damage up to the end is none: the signal has ended.
 */
void st_places_end(struct st_places *places);
