/* A converter between two clocks or rates, as it runs: 32 taps of a windowed sinc, at 256 places
 * between two frames. */
#pragma once

#include "core/base.h"

#define CONVERTER_TAPS   32
#define CONVERTER_PHASES 256
#define CONVERTER_PAST   65536 /* frames that are kept */

struct converter {
    double at, step; /* where it reads; frames by which that moves */
    uint64_t n;      /* frames that were put */
    float kernels[CONVERTER_PHASES][CONVERTER_TAPS];
    float past[2][2 * CONVERTER_PAST]; /* twice, so that all taps are in a row */
};

/* @param lag  frames, more than half of the taps */
static inline void converter_begin(struct converter *converter, double step, double lag)
{
    memset(converter, 0, sizeof(*converter));
    converter->at = -lag;
    converter->step = step;
    for (int phase = 0; phase < CONVERTER_PHASES; phase++) {
        for (int k = 0; k < CONVERTER_TAPS; k++) {
            const double pi = 3.141592653589793;
            const double far = k - CONVERTER_TAPS / 2 + 1 - phase / (double)CONVERTER_PHASES;
            const double window = 0.5 + 0.5 * cos(pi * far / (CONVERTER_TAPS / 2 + 0.5));
            converter->kernels[phase][k] =
                (float)(fabs(far) < 1e-9 ? 1 : window * sin(pi * far) / (pi * far));
        }
    }
}

static inline void converter_put(struct converter *converter, const float *frame)
{
    const size_t at = (size_t)(converter->n++ % CONVERTER_PAST);
    for (size_t c = 0; c < 2; c++)
        converter->past[c][at] = converter->past[c][at + CONVERTER_PAST] = frame[c];
}

/* @return whether all that the next frame needs was put. */
static inline bool converter_has(const struct converter *converter)
{
    return converter->at + CONVERTER_TAPS / 2 + 1 < (double)converter->n;
}

static inline void converter_take(struct converter *converter, float *ret)
{
    const double whole = floor(converter->at);
    const float *kernel = converter->kernels[(size_t)((converter->at - whole) * CONVERTER_PHASES)];
    const int64_t first = (int64_t)whole - CONVERTER_TAPS / 2 + 1;
    converter->at += converter->step;
    for (size_t c = 0; c < 2; c++) {
        const float *from = converter->past[c] + (uint64_t)first % CONVERTER_PAST;
        float sums[8] = {0};
        for (size_t k = 0; k < CONVERTER_TAPS; k += 8) {
            for (size_t j = 0; j < 8; j++)
                sums[j] += kernel[k + j] * from[k + j];
        }
        ret[c] = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                 ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
}
