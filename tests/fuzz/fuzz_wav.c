/* A WAV file: whatever it says, frames are whole and samples are numbers. */
#include "ears/capture_stream.h"
#include "ears/wav.h"
#include "tests/fuzz/fuzz.h"

static void read_sound(struct st_wav *wav, size_t size)
{
    float frames[64 * ST_CAPTURE_CHANNELS_MAX];
    size_t n, all = 0;
    if (wav->channels < 1 || wav->channels > ST_CAPTURE_CHANNELS_MAX || wav->bytes < 2 ||
        wav->bytes > 4)
        abort();
    do {
        if (st_wav_read(wav, frames, 64, &n) != 0 || n > 64)
            abort();
        for (size_t i = 0; i < n * wav->channels; i++) {
            if (!(fabsf(frames[i]) <= ST_CAPTURE_LEVEL_MAX))
                abort();
        }
        all += n;
    } while (n > 0);
    if (all * wav->channels * wav->bytes > size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_wav wav;
    const char *error;
    unsigned char *copy = malloc(size + 1);
    FILE *stream = copy != NULL && size > 0 ? fmemopen(copy, size, "r") : NULL;
    for (size_t i = 0; copy != NULL && i < size; i++)
        copy[i] = data[i];
    if (stream != NULL) {
        if (st_wav_open(&wav, stream, &error) == 0)
            read_sound(&wav, size);
        else if (error == NULL)
            abort();
        fclose(stream);
    }
    free(copy);
    return 0;
}
