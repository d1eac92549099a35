/* Cycles of a stream: a byte for the length, one for a gap, then 16-bit samples. What is found lies
 * in what was played. */
/* Runs: 1500 */
#include "tests/fuzz/fuzz.h"
#include "xruns/helpers/silence.h"

static int64_t last_end;

static void on_found(void *ctx, const struct st_silence_find *find)
{
    const int64_t *at = ctx;
    if (find->begin < last_end || find->end <= find->begin || find->end > *at)
        abort();
    last_end = find->end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static float values[2][256];
    struct st_silence silence = {0};
    struct st_silence_cycle cycle = {
        .rate_hz = 8000, .channels_n = 2, .channels = {values[0], values[1]}};
    last_end = INT64_MIN;
    while (size >= 2) {
        const size_t frames = data[0];
        const int jump = data[1] > 250;
        cycle.position += jump ? (data[1] - 253) * 3000 : 0;
        last_end = jump ? INT64_MIN : last_end; /* it may begin anew */
        data += 2;
        size -= 2;
        cycle.frames = frames * 2 <= size ? frames : size / 2;
        for (size_t i = 0; i < cycle.frames; i++) {
            const float value = (float)(int8_t)data[2 * i] / 128;
            values[0][i] = data[2 * i + 1] == 255 ? value / 0.0F : value;
            values[1][i] = data[2 * i + 1] > 127 ? value / 1024 : 0;
        }
        data += 2 * cycle.frames;
        size -= 2 * cycle.frames;
        int64_t end = cycle.position + (int64_t)cycle.frames;
        if (cycle.position >= 0)
            st_silence_take(&silence, &cycle, on_found, &end);
        cycle.position = end;
    }
    return 0;
}
