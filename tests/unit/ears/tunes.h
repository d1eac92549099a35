/* Music for tests: bass, chords that decay, and drums, with a pause of half a second now and then. */
#pragma once

#include "tests/unit/ears/damage.h"

#define TUNE_VOICES 6

struct tune {
    uint32_t rate_hz;
    uint64_t seed, n;
    /* of each voice a tone and an overtone, as points on a circle that turn by a step each frame */
    double x[2 * TUNE_VOICES], y[2 * TUNE_VOICES], by_x[2 * TUNE_VOICES], by_y[2 * TUNE_VOICES];
    double loud[TUNE_VOICES], drum, bright, dull;
    uint64_t beat;
    bool pause;
};

static inline void tune_begin(struct tune *tune, uint32_t rate_hz, uint64_t seed)
{
    *tune = (struct tune){.rate_hz = rate_hz, .seed = seed * 2654435761U + 1};
    for (int i = 0; i < 2 * TUNE_VOICES; i++)
        tune->x[i] = tune->by_x[i] = 1;
    for (int i = 0; i < 8; i++)
        (void)next_random(&tune->seed);
}

/* Each beat some voices play another note, with a length of its own; a drum has noise. */
static inline void tune_beat(struct tune *tune)
{
    const uint64_t any = next_random(&tune->seed);
    tune->pause = tune->n > 15 * (uint64_t)tune->rate_hz && any % 32 == 0;
    tune->beat = tune->n + tune->rate_hz / 4 + next_random(&tune->seed) % (tune->rate_hz / 16);
    for (int i = 0; i < TUNE_VOICES && !tune->pause; i++) {
        if (next_share(&tune->seed) < 0.5)
            continue;
        const double hz = (i == 0 ? 41.2 : 130.8 * i) * pow(2, floor(12 * next_share(&tune->seed)) / 12);
        const double step = 6.283185307179586 * hz / tune->rate_hz;
        for (int k = 2 * i; k < 2 * i + 2; k++) {
            const double size = hypot(tune->x[k], tune->y[k]);
            tune->x[k] /= size;
            tune->y[k] /= size;
            tune->by_x[k] = cos(step * (k % 2 != 0 ? 3.01 : 1));
            tune->by_y[k] = sin(step * (k % 2 != 0 ? 3.01 : 1));
        }
        tune->loud[i] = (i == 0 ? 0.25 : 0.08) * (0.3 + next_share(&tune->seed));
    }
    tune->drum = any % 3 == 0 ? 0.2 : any % 3 == 1 ? 0.04 : 0;
    tune->bright = next_share(&tune->seed);
}

static inline void tune_frame(struct tune *tune, float *ret)
{
    if (tune->n++ >= tune->beat)
        tune_beat(tune);
    double left = 0, right = 0;
    for (int i = 0; i < TUNE_VOICES; i++) {
        const double tone = tune->y[2 * i] + 0.3 * tune->y[2 * i + 1];
        for (int k = 2 * i; k < 2 * i + 2; k++) {
            const double x = tune->x[k];
            tune->x[k] = x * tune->by_x[k] - tune->y[k] * tune->by_y[k];
            tune->y[k] = tune->y[k] * tune->by_x[k] + x * tune->by_y[k];
        }
        tune->loud[i] *= 1 - 3.0 / tune->rate_hz;
        left += tune->loud[i] * tone * (1 + 0.1 * i);
        right += tune->loud[i] * tone * (1 - 0.1 * i);
    }
    const double noise = 2 * next_share(&tune->seed) - 1;
    tune->dull += (noise - tune->dull) * (0.1 + 0.6 * tune->bright);
    tune->drum *= 1 - 30.0 / tune->rate_hz;
    left += tune->drum * tune->dull;
    right += tune->drum * tune->dull;
    ret[0] = tune->pause ? 0 : (float)left; /* as files of 32 bits have it */
    ret[1] = tune->pause ? 0 : (float)right;
}

static inline void make_tune(float *ret, size_t frames_n, uint32_t rate_hz, uint64_t seed)
{
    struct tune tune;
    tune_begin(&tune, rate_hz, seed);
    for (size_t i = 0; i < frames_n; i++)
        tune_frame(&tune, ret + 2 * i);
}
