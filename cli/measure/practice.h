/* Practice for 'sleeptune heard': a steady sound with eight short holes, and how long after them the listener
 * presses a key. Pure; threads: any. */
#pragma once

#include "core/ns.h"
#include "core/stats/random.h"

#define ST_PRACTICE_HOLES     8
#define ST_PRACTICE_RATE_HZ   48000
#define ST_PRACTICE_WINDOW_NS (2500 * ST_NS_PER_MS) /* of a key, as in story/heard_list.c */
#define ST_PRACTICE_LEAST_NS  (100 * ST_NS_PER_MS)  /* no one reacts faster */
#define ST_PRACTICE_PRESS_MAX 100

/** The sound: frames of ST_PRACTICE_RATE_HZ, two channels of 16 bits. */
struct st_practice_sound {
    int64_t holes[ST_PRACTICE_HOLES]; /* their first frames, ascending */
    int64_t frames_n;                 /* of all; at most 76 s */
};

/** Holes 4 to 9 s apart, and no sooner. */
struct st_practice_sound st_practice_sound_make(struct st_random *random);

/** Little-endian samples of a frame: a tone of 440 Hz that fades in and out, 5 ms of it missing in a hole.
 * @param bytes 4 each. */
void st_practice_sound_fill(const struct st_practice_sound *sound, int64_t from_frame, size_t frames_n,
                            unsigned char *bytes);

struct st_practice_result {
    size_t heard_n;                       /* holes with a press within ST_PRACTICE_WINDOW_NS */
    size_t false_n;                       /* presses without a hole, or a second one for the same */
    int64_t least_ns, median_ns, most_ns; /* from hole to press, of those heard; 0: none */
    int64_t window_ns; /* most + median, ST_PRACTICE_WINDOW_NS at most; 0: fewer than half were heard */
};

/** @param hole_ns when they were played, holes_n <= ST_PRACTICE_HOLES. @param press_ns ascending. */
struct st_practice_result st_practice_judge(const int64_t *hole_ns, size_t holes_n, const int64_t *press_ns,
                                            size_t presses_n);
