/* Music for tests: bass, chords that decay, and drums, with a pause of half a second now and then. */
#ifndef ST_TESTS_UNIT_EARS_TUNES_H
#define ST_TESTS_UNIT_EARS_TUNES_H

#include "tests/unit/ears/damage.h"

#define TUNE_VOICES 6

struct tune {
    uint32_t rate_hz;
    uint64_t seed, n;
    double phase[TUNE_VOICES], step[TUNE_VOICES], loud[TUNE_VOICES], drum, bright, dull;
    uint64_t beat;
    bool pause;
};

static inline void tune_begin(struct tune *tune, uint32_t rate_hz, uint64_t seed)
{
    *tune = (struct tune){.rate_hz = rate_hz, .seed = seed * 2654435761U + 1};
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
        tune->step[i] = 6.283185307179586 * hz / tune->rate_hz;
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
        const double tone = sin(tune->phase[i]) + 0.3 * sin(3.01 * tune->phase[i]);
        tune->phase[i] += tune->step[i];
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

#endif
