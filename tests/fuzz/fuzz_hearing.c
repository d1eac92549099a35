/* A recording: a byte for channels and rate, one of what the path does, then what it does at each
 * 128 frames of the test signal: passes them, leaves some out, repeats, silences, or gives other
 * sound. Losses come in order, within what was recorded. */
/* Runs: 150 */
#include "ears/hearing.h"
#include "tests/fuzz/fuzz.h"

#define PACKET     128U
#define FRAMES_MAX (16 * 8000U)

static struct st_hearing hearing;
static struct st_hearing_result result;

static void spoil(float *frames, size_t n, uint8_t how, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = 0;
        if (how % 8 == 3)
            frames[i] = 0;
        else if (how % 8 == 4)
            frames[i] *= (float)how / 64;
        else if (how % 8 == 5)
            frames[i] += (float)(int8_t)data[i % size] / (float)(how * 256);
        else if (how % 8 == 6) {
            for (size_t b = 0; b < 4; b++)
                bits = bits << 8 | data[(4 * i + b) % size];
            memcpy(&frames[i], &bits, sizeof(bits)); /* any number, or none */
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    float frames[PACKET * 3];
    struct st_signal signal;
    if (size < 3)
        return 0;
    const uint32_t channels = 1 + data[0] % 3,
                   rate_hz = data[0] > 127 ? 8000 : 1000 * (8 + data[0] % 185U);
    uint64_t at = data[1] * 1000U, n = 0;
    st_signal_init(&signal, rate_hz, channels);
    st_signal_force(&signal, data[2]);
    st_hearing_init(&hearing, rate_hz, channels);
    st_hearing_expect(&hearing, 0, data[1] % 2 != 0 ? at : 0); /* without: seconds for one input */
    for (size_t i = 2; i < size && n < FRAMES_MAX; i++) {
        for (unsigned times = 0; times < 1U + (data[i] >> 5); times++) {
            st_signal_fill(&signal, at, frames, PACKET);
            spoil(frames, (size_t)PACKET * channels, data[i], data, size);
            st_hearing_take(&hearing, frames, PACKET);
            n += PACKET;
            at += data[i] % 8 == 1                   ? PACKET + data[i]
                  : data[i] % 8 == 2 && at > data[i] ? PACKET - 1U
                                                     : (unsigned)PACKET;
        }
    }
    st_hearing_end(&hearing, signal.glitches, signal.glitches_n, &result);
    if (result.forced_found_n > result.forced_n || result.kept_n > result.losses_n ||
        !(result.heard_s <= (double)n / rate_hz + 1e-9))
        abort();
    for (size_t i = 0; i < result.kept_n; i++) {
        if (result.losses[i].at_frame >= n ||
            (i > 0 && result.losses[i].at_frame < result.losses[i - 1].at_frame))
            abort();
    }
    return 0;
}
