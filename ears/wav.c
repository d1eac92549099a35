#include "ears/wav.h"

#include "ears/capture_stream.h"

#define PCM        1
#define FLOAT      3
#define EXTENSIBLE 0xFFFE
#define HEAD_BYTES 44    /* head of a file that this program writes */
#define FORMAT_MAX 64    /* bytes of a format chunk that are read; 40 have a known meaning */
#define CHUNKS_MAX 10000 /* most chunks before the sound */
#define SAMPLES    1024  /* samples that are read at once */
#define FULL_SCALE 32768

static uint32_t number(const unsigned char *at, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

static bool take(FILE *stream, void *to, size_t bytes)
{
    return fread(to, 1, bytes, stream) == bytes;
}

static bool skip(FILE *stream, uint64_t bytes)
{
    unsigned char waste[4096];
    while (bytes > 0) {
        const size_t n = (size_t)ST_MIN(bytes, sizeof(waste));
        if (!take(stream, waste, n))
            return false;
        bytes -= n;
    }
    return true;
}

/* Reads the format chunk. @return NULL, or what is wrong with it. */
static const char *take_format(struct st_wav *wav, uint32_t bytes)
{
    unsigned char chunk[FORMAT_MAX] = {0};
    const uint32_t n = ST_MIN(bytes, FORMAT_MAX);
    if (bytes < 16 || !take(wav->stream, chunk, n) ||
        !skip(wav->stream, (uint64_t)bytes - n + (bytes & 1)))
        return "the file is damaged: the description of its format is cut off";
    const uint32_t bits = number(chunk + 14, 2);
    uint32_t format = number(chunk, 2);
    if (format == EXTENSIBLE && bytes >= 40)
        format = number(chunk + 24, 2);
    wav->channels = number(chunk + 2, 2);
    wav->rate_hz = number(chunk + 4, 4);
    wav->bytes = bits / 8;
    wav->is_float = format == FLOAT;
    if (!(format == PCM && (bits == 16 || bits == 24 || bits == 32)) &&
        !(format == FLOAT && bits == 32))
        return "the file's samples are neither integers of 16, 24 or 32 bits nor floats of 32 bits";
    if (wav->channels < 1 || wav->channels > ST_CAPTURE_CHANNELS_MAX)
        return "the file does not have 1 to 8 channels";
    if (wav->rate_hz < ST_CAPTURE_RATE_MIN || wav->rate_hz > ST_WAV_RATE_MAX)
        return "the file's sample rate is not between 8000 and 192000 Hz: convert it to 48000 Hz "
               "with ffmpeg or sox";
    if (number(chunk + 12, 2) != wav->channels * wav->bytes)
        return "the file is damaged: the description of its format contradicts itself";
    return NULL;
}

static const char *open_stream(struct st_wav *wav)
{
    unsigned char head[12];
    const bool whole = take(wav->stream, head, sizeof(head));
    if (whole && memcmp(head, "RF64", 4) == 0)
        return "the file is in the format RF64: cut it into WAV files of at most 4 GB";
    if (!whole || memcmp(head + 8, "WAVE", 4) != 0 || memcmp(head, "RIFF", 4) != 0)
        return "this is not a WAV file";
    for (int i = 0; i < CHUNKS_MAX; i++) {
        if (!take(wav->stream, head, 8))
            return "the file has no sound";
        const uint32_t bytes = number(head + 4, 4);
        if (memcmp(head, "data", 4) == 0) {
            if (wav->channels == 0)
                return "the file is damaged: its sound comes before the description of its format";
            /* a length of 0 or UINT32_MAX: the program that wrote the file did not fill it in */
            wav->is_sized = bytes != 0 && bytes != UINT32_MAX;
            wav->left = bytes / (wav->channels * wav->bytes);
            return NULL;
        }
        if (memcmp(head, "fmt ", 4) == 0) {
            const char *error = take_format(wav, bytes);
            if (error != NULL)
                return error;
        } else if (!skip(wav->stream, (uint64_t)bytes + (bytes & 1))) {
            return "the file has no sound";
        }
    }
    return "the file has no sound";
}

int st_wav_open(struct st_wav *wav, FILE *stream, const char **ret_error)
{
    *wav = (struct st_wav){.stream = stream};
    *ret_error = open_stream(wav);
    if (*ret_error == NULL)
        return 0;
    return ferror(stream) != 0 ? -EIO : -EBADMSG;
}

static float sample(const struct st_wav *wav, const unsigned char *at)
{
    const uint32_t bits = number(at, wav->bytes) << (8 * (4 - wav->bytes));
    float value;
    if (wav->is_float)
        memcpy(&value, &bits, sizeof(value));
    else
        value = (float)((double)(int32_t)bits / 2147483648.0);
    return fabsf(value) <= ST_CAPTURE_LEVEL_MAX ? value : ST_CAPTURE_LEVEL_MAX;
}

int st_wav_read(struct st_wav *wav, float *ret_frames, size_t frames_n, size_t *ret_n)
{
    unsigned char bytes[4 * SAMPLES];
    const size_t frame_bytes = (size_t)wav->bytes * wav->channels;
    size_t done = 0;
    while (done < frames_n && !(wav->is_sized && wav->left == 0)) {
        size_t want = ST_MIN(SAMPLES / wav->channels, frames_n - done);
        if (wav->is_sized && want > wav->left)
            want = (size_t)wav->left;
        const size_t n = fread(bytes, 1, want * frame_bytes, wav->stream) / frame_bytes;
        for (size_t i = 0; i < n * wav->channels; i++)
            ret_frames[done * wav->channels + i] = sample(wav, bytes + i * wav->bytes);
        done += n;
        wav->left -= n;
        if (n < want) {
            if (ferror(wav->stream) != 0)
                return -EIO;
            wav->is_cut = wav->is_sized;
            break;
        }
    }
    *ret_n = done;
    return 0;
}

static void put(unsigned char *to, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

/* Source of the format: Microsoft and IBM, "Multimedia Programming Interface and Data
 * Specifications", 1991. */
int st_wav_write_head(FILE *stream, uint32_t rate_hz, uint32_t channels, uint64_t frames_n)
{
    unsigned char head[HEAD_BYTES];
    const uint32_t bytes = (uint32_t)(frames_n * channels * 2);
    memcpy(head, "RIFF....WAVEfmt ", 16);
    put(head + 4, bytes + HEAD_BYTES - 8, 4);
    put(head + 16, 16, 4);
    put(head + 20, PCM, 2);
    put(head + 22, channels, 2);
    put(head + 24, rate_hz, 4);
    put(head + 28, rate_hz * channels * 2, 4);
    put(head + 32, channels * 2, 2);
    put(head + 34, 16, 2);
    memcpy(head + 36, "data", 4);
    put(head + 40, bytes, 4);
    return fwrite(head, 1, sizeof(head), stream) == sizeof(head) ? 0 : -EIO;
}

int st_wav_write(FILE *stream, const float *samples, size_t samples_n)
{
    for (size_t i = 0; i < samples_n; i++) {
        const float steps =
            fminf(fmaxf(roundf(samples[i] * FULL_SCALE), -FULL_SCALE), FULL_SCALE - 1);
        unsigned char bytes[2];
        put(bytes, (uint32_t)(int32_t)steps, 2);
        if (fwrite(bytes, 1, sizeof(bytes), stream) != sizeof(bytes))
            return -EIO;
    }
    return 0;
}
