/* Follows the three tones of the test signal by their phases, for paths that convert samples. Sound
 * that the tones do not explain is a loss; the phases after it show by how much the signal moved.
 * Pure; bounded memory; no allocation. One thread. */
#pragma once

#include "ears/loss.h"

#define ST_TONES_RING   (1U << 20) /* frames: more than a second at 768 kHz */
#define ST_TONES_WAVES  (2 * ST_SIGNAL_TONES)
#define ST_TONES_WINDOW 15360 /* frames: 20 ms at 768 kHz */

/** The tones in a window of the recording. */
struct st_tones_fit {
    /* complex amplitude of each tone, as of frame 0 of the recording */
    double re[ST_SIGNAL_TONES], im[ST_SIGNAL_TONES];
    /* middle of the window, a recorded frame: drift of the clocks is counted from here */
    uint64_t at;
    double rest, loud; /* root mean squares of what remains without the tones, and of the tones */
};

struct st_tones {
    uint32_t rate_hz;
    uint64_t n; /* frames taken */
    bool locked, was_locked;
    bool expects; /* the signal is played to the end: silence of more than 1 s is always a loss */
    double noise; /* root mean square of what the tones do not explain, as a share of the tones */
    double loud;  /* root mean square of the tones, relative to full scale */
    double limit; /* a block with more unexplained sound is damaged; relative to full scale */
    struct st_tones_fit fit; /* the latest fit */
    double drift_frames; /* how much the signal ran ahead of the recording during followed_frames */
    uint64_t followed_frames, heard_frames;
    unsigned contact_lost_n;
    bool damaged, heals; /* heals: the last fit found the signal again; if the next fit does so,
                            too, the damage has ended */
    uint64_t bad_at;
    struct st_losses losses;
    float waves[ST_TONES_WINDOW][ST_TONES_WAVES]; /* a cosine and a sine of each tone */
    double solves[ST_TONES_WAVES][ST_TONES_WAVES];
    float ring[ST_TONES_RING];
};

void st_tones_init(struct st_tones *tones, uint32_t rate_hz);

/** Takes samples of channel 1, `stride` floats apart. Losses come in order; places are accurate to
 * 1 ms. */
void st_tones_take(struct st_tones *tones, const float *samples, size_t stride, size_t frames_n);

/** Ends the recording: reports the last loss. Damage of less than 1 s up to the end is no loss: the
 * signal has ended. */
void st_tones_end(struct st_tones *tones);

/** Drift in parts per million, positive if the recording's clock is slow. */
double st_tones_drift_ppm(const struct st_tones *tones);
