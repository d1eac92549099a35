#include "ears/signal.h"

#define FULL_SCALE 32768 /* steps of 16 bits: exact in every format of samples */
#define TURN       6.283185307179586

/* Primes: no two have a common period within a second. */
const uint32_t st_signal_tones_hz[ST_SIGNAL_TONES] = {1297, 1657, 2087};

static const struct {
    const char *name, *text;
} kinds_of_loss[] = {
#define ROW(kind, name, text) {name, text},
    ST_LOSS_KINDS(ROW)
#undef ROW
};

const char *st_signal_loss_name(enum st_loss_kind kind)
{
    return kinds_of_loss[kind].name;
}

const char *st_signal_loss_text(enum st_loss_kind kind)
{
    return kinds_of_loss[kind].text;
}

/* splitmix64 (Steele, Lea, Flood 2014): mixes the bits of a number, as a pseudo-random function. */
static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

static uint64_t any_of(uint64_t frame, uint32_t channel)
{
    return mix(frame ^ ((uint64_t)channel << 48));
}

bool st_signal_is_up(uint64_t frame)
{
    return (any_of(frame, 0) & 1) != 0;
}

int32_t st_signal_step(uint64_t frame, uint32_t channel)
{
    const uint64_t any = any_of(frame, channel);
    const int32_t size = 1 + (int32_t)((any >> 1) % ST_SIGNAL_STEPS);
    return (any & 1) != 0 ? size : -size;
}

float st_signal_tone(uint32_t rate_hz, uint64_t frame)
{
    double sum = 0;
    /* whole periods of the tone are removed first, since a large argument of sin() costs
     * precision */
    for (size_t i = 0; i < ST_SIGNAL_TONES; i++) {
        const uint64_t part = frame % rate_hz * st_signal_tones_hz[i] % rate_hz;
        sum += sin(TURN * (double)part / (double)rate_hz);
    }
    return (float)(sum * (double)ST_SIGNAL_LEVEL / ST_SIGNAL_TONES);
}

void st_signal_init(struct st_signal *signal, uint32_t rate_hz, uint32_t channels)
{
    *signal = (struct st_signal){.rate_hz = rate_hz, .channels = channels};
}

int64_t st_signal_shift(const struct st_glitch *glitch)
{
    static const int64_t signs[ST_ARRAY_LEN(kinds_of_loss)] = {
        [ST_LOSS_LOST] = 1, [ST_LOSS_REPEATED] = -1};
    return signs[glitch->kind] * (int64_t)glitch->frames;
}

void st_signal_force(struct st_signal *signal, uint64_t chance)
{
    const uint64_t ms = signal->rate_hz / 1000, lengths[] = {1, ms, 20 * ms},
                   each = signal->rate_hz / 2;
    static const enum st_loss_kind kinds[] = {ST_LOSS_LOST, ST_LOSS_REPEATED, ST_LOSS_ZEROED};
    uint64_t any = mix(chance);
    int64_t shift = 0;
    signal->glitches_n = 0;
    /* the order of the glitches is random, too */
    const uint64_t first = any % ST_SIGNAL_GLITCHES_MAX;
    for (uint64_t i = 0; i < ST_SIGNAL_GLITCHES_MAX; i++) {
        /* 4 and 9 share no factor, so each glitch occurs once */
        const uint64_t which = (first + 4 * i) % ST_SIGNAL_GLITCHES_MAX;
        any = mix(any);
        struct st_glitch *glitch = &signal->glitches[signal->glitches_n++];
        *glitch = (struct st_glitch){kinds[which % 3], (4 + i) * each + any % (each - 100 * ms),
                                     lengths[which / 3]};
        /* silence a single frame only where the signal has at least half its level, so that the
         * silence is louder than noise */
        while (glitch->kind == ST_LOSS_ZEROED && glitch->frames == 1 &&
               2 * abs(st_signal_step(glitch->at_frame + (uint64_t)shift, 0)) < ST_SIGNAL_STEPS)
            glitch->at_frame++;
        shift += st_signal_shift(glitch);
    }
}

/* Finds the frame of the signal for a frame that is played, after all forced shifts. @return false:
 * silence is forced. */
static bool place_of(const struct st_signal *signal, uint64_t played, uint64_t *ret_frame)
{
    int64_t shift = 0;
    for (size_t i = 0; i < signal->glitches_n && signal->glitches[i].at_frame <= played; i++) {
        const struct st_glitch *glitch = &signal->glitches[i];
        if (glitch->kind == ST_LOSS_ZEROED && played < glitch->at_frame + glitch->frames)
            return false;
        shift += st_signal_shift(glitch);
    }
    *ret_frame = played + (uint64_t)shift;
    return true;
}

void st_signal_fill(const struct st_signal *signal, uint64_t at_frame, float *ret_frames,
                    size_t frames_n)
{
    for (size_t i = 0; i < frames_n; i++) {
        uint64_t frame;
        const bool sounds = place_of(signal, at_frame + i, &frame);
        for (uint32_t c = 0; c < signal->channels; c++) {
            float *to = &ret_frames[i * signal->channels + c];
            if (!sounds)
                *to = 0;
            else if (c % 2 == 0)
                *to = (float)st_signal_step(frame, c) / FULL_SCALE;
            else
                *to = st_signal_tone(signal->rate_hz, frame);
        }
    }
}
