/* Follows the sequence of the test signal sample by sample. On a path that returns samples
 * unchanged, or with another volume and some noise, finds each missing, repeated, silent or false
 * frame with place and length. Pure; bounded memory; no allocation. One thread. */
#pragma once

#include "ears/loss.h"

#define ST_PLACES_RING (1U << 18) /* frames that are kept: 1.3 s at 192 kHz */

struct st_places {
    uint32_t rate_hz;
    uint64_t ring_frames; /* used part of the ring: a power of two */
    uint64_t n;           /* frames taken */
    bool locked;          /* place and volume are known */
    bool exact;           /* every sample was equal to the played one */
    int64_t offset;       /* frame of the signal minus recorded frame */
    double gain;          /* negative: inverted phase */
    double tolerance;     /* largest difference of an undamaged sample from the signal */
    double noise; /* root mean square of everything but the signal, as a share of the signal */
    /* findings besides losses */
    uint64_t heard_frames;   /* frames heard while locked, without losses */
    uint64_t mixed_frames;   /* frames with other sound added: not a loss */
    unsigned volumes_n;      /* changes of volume */
    unsigned contact_lost_n; /* times that the signal was lost for more than 1 s and found again */
    int64_t first_offset;    /* offset at the first lock */
    struct st_losses losses;
    int64_t expected; /* expected offset, if `expects` */
    bool expects, was_locked;
    uint64_t calibrate_from; /* the signal was found; gain and tolerance will be computed from the
                                frames since this one; 0: nothing is to compute */
    uint64_t next_try, tries_n, tries_max; /* next search for the place; number of searches, and
                                              their limit before the first lock */
    bool damaged;
    uint64_t bad_at, good_n, next_search, searches_n;
    float ring[ST_PLACES_RING];
};

/** Begins to follow the signal in a recording. Large: do not put *places on the stack. */
void st_places_init(struct st_places *places, uint32_t rate_hz);

/** Announces that frame `recorded` of the recording is about frame `played` of the signal. Only
 * places within two seconds of it are then searched. The signal is then known to play to the
 * end, so damage of more than 1 s is a loss even if no signal follows. */
void st_places_expect(struct st_places *places, uint64_t recorded, uint64_t played);

/** Takes samples of channel 0; `stride` floats apart. Losses come in order, up to 1.1 s late. */
void st_places_take(struct st_places *places, const float *samples, size_t stride, size_t frames_n);

/** Ends the recording: reports the last loss. Without st_places_expect, damage up to the end is no
 * loss: the signal has ended. */
void st_places_end(struct st_places *places);
