/* Damages a test signal in each way, at places that only the test knows. */
#pragma once

#include "ears/loss.h"

#define FAULTS_N 20

struct damage {
    struct st_loss faults[FAULTS_N];
    size_t n;
    uint64_t seed;
};

static inline uint64_t next_random(uint64_t *seed) /* xorshift64 (Marsaglia 2003) */
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static inline double next_share(uint64_t *seed)
{
    return (double)(next_random(seed) >> 11) / 9007199254740992.0;
}

static inline double next_normal(uint64_t *seed) /* Box and Muller (1958) */
{
    const double u = 1 - next_share(seed), v = next_share(seed);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* The same for 100 hours, by Marsaglia's polar method (1964). @param n  an even number */
static inline void add_normals(float *samples, size_t n, double sigma, uint64_t *seed)
{
    for (size_t i = 0; i < n;) {
        const double u = 2 * next_share(seed) - 1, v = 2 * next_share(seed) - 1,
                     far = u * u + v * v;
        const double by = sigma * sqrt(-2 * log(far) / far);
        if (far >= 1 || far == 0)
            continue;
        samples[i++] += (float)(by * u);
        samples[i++] += (float)(by * v);
    }
}

/* A second of sound before each fault, of `least` to `most` frames. SWAPPED is two blocks in the
 * wrong order.
 */
enum { SWAPPED = ST_LOSS_KINDS_N };

/* What a path gives back of `total` frames of 2 channels; to be freed. @param ret_frames how
 * many. */
static inline float *damaged(struct damage *damage, int kind, uint64_t least, uint64_t most,
                             uint32_t rate_hz, size_t *ret_frames)
{
    const size_t total = (size_t)rate_hz * (FAULTS_N + 2);
    float *out = calloc(total * 2, sizeof(float));
    struct st_signal signal;
    uint64_t place = 777; /* of the signal */
    size_t n = 0;         /* recorded */
    st_signal_init(&signal, rate_hz, 2);
    damage->n = 0;
    while (out != NULL && damage->n < FAULTS_N) {
        const size_t sound = rate_hz / 2 + (size_t)(next_random(&damage->seed) % (rate_hz / 4));
        const size_t frames = (size_t)(least + next_random(&damage->seed) % (most - least + 1));
        struct st_loss *fault = &damage->faults[damage->n++];
        st_signal_fill(&signal, place, &out[2 * n], sound);
        place += sound;
        n += sound;
        *fault = (struct st_loss){.kind = (enum st_loss_kind)kind, .at_frame = n, .frames = frames};
        if (kind == ST_LOSS_LOST) {
            place += frames;
        } else if (kind == ST_LOSS_REPEATED) {
            place -= frames;
        } else if (kind == ST_LOSS_ZEROED) {
            place += frames;
            n += frames;
        } else if (kind == ST_LOSS_CORRUPTED) {
            for (size_t i = 0; i < 2 * frames; i++)
                out[2 * n + i] = ST_SIGNAL_LEVEL * (float)(2 * next_share(&damage->seed) - 1);
            place += frames;
            n += frames;
        } else {
            st_signal_fill(&signal, place + frames, &out[2 * n], frames);
            st_signal_fill(&signal, place, &out[2 * (n + frames)], frames);
            *fault =
                (struct st_loss){.kind = ST_LOSS_CORRUPTED, .at_frame = n, .frames = 2 * frames};
            place += 2 * frames;
            n += 2 * frames;
        }
    }
    if (out != NULL)
        st_signal_fill(&signal, place, &out[2 * n], rate_hz / 2);
    *ret_frames = n + rate_hz / 2;
    return out;
}
