/* Music and what came back of it: a byte for channels and rate, one for the lag, then what the path does at
 * each 128 frames: passes them, leaves some out, repeats, silences, other sound, no number; or neither side
 * is known. Losses come in order, within what was recorded, and no time is heard twice. */
/* Runs: 16 */
#include <stdlib.h>
#include <string.h>

#include "ears/hearing.h"

#define PACKET  128U
#define SECONDS 8U /* it is followed after 2 to 5; a search takes the square of the rate */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct st_hearing hearing;
static struct st_hearing_result result;

/* Some noise, some tone, and pauses: a function of the frame. */
static float music(int64_t at)
{
    const uint32_t any = (uint32_t)((uint64_t)at * 2654435761U >> 7) & 0xffff;
    const bool pause = at < 0 || at % 30000 > 27000;
    return pause ? 0 : (float)any / 400000 + (float)(at % (100 + at / 4000 % 77)) / 400;
}

static float spoil(float sample, uint8_t how, const uint8_t *data, size_t size, size_t i)
{
    uint32_t bits = 0;
    float any;
    if (how % 8 == 3)
        return 0;
    if (how % 8 == 4)
        return sample * (float)how / 64;
    if (how % 8 == 5)
        return sample + (float)(int8_t)data[i % size] / (float)(how * 64);
    if (how % 8 != 6)
        return sample;
    for (size_t b = 0; b < 4; b++)
        bits = bits << 8 | data[(4 * i + b) % size];
    memcpy(&any, &bits, sizeof(any)); /* any number, or none */
    return any;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    float frames[PACKET * 4];
    if (size < 3)
        return 0;
    const uint32_t channels = 1 + data[0] % 2, rate_hz = 8000 + 500 * (data[0] / 2U % 8U);
    int64_t lag = data[1] * 100;
    uint64_t n = 0;
    st_hearing_init_music(&hearing, rate_hz, channels, data[2]);
    for (size_t i = 2; i < size && n < SECONDS * rate_hz; i++) {
        for (unsigned times = 0; times < 1U + (data[i] >> 5) * 4U; times++) {
            for (size_t j = 0; j < PACKET; j++) {
                for (uint32_t c = 0; c < channels; c++) {
                    float *frame = frames + j * 2 * channels + c;
                    frame[0] = music((int64_t)(n + j));
                    frame[channels] = spoil(music((int64_t)(n + j) - lag), data[i], data, size, j);
                }
            }
            st_hearing_take(&hearing, frames, PACKET);
            n += PACKET;
        }
        lag += data[i] % 8 == 1 ? data[i] : data[i] % 8 == 2 ? -(int)data[i] : 0;
        if (data[i] == 7) {
            st_hearing_gap(&hearing, PACKET);
            n += PACKET;
        }
    }
    st_hearing_end(&hearing, NULL, 0, &result);
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
