/* WAV files as people's recorders write them, and as no recorder does. */
#include "ears/wav.h"
#include "tests/unit/unit.h"

/* "fmt " with these values, then the rest as it is. */
struct file {
    unsigned char bytes[4096];
    size_t n;
};

static void add(struct file *file, const void *bytes, size_t n)
{
    assert_true(file->n + n <= sizeof(file->bytes));
    memcpy(file->bytes + file->n, bytes, n);
    file->n += n;
}

static void add_number(struct file *file, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        add(file, &(unsigned char){(unsigned char)(value >> (8 * i))}, 1);
}

static void begin(struct file *file)
{
    file->n = 0;
    add(file, "RIFF\0\0\0\0WAVE", 12);
}

static void add_format(struct file *file, unsigned tag, unsigned channels, unsigned rate_hz,
                       unsigned bits)
{
    add(file, "fmt ", 4);
    add_number(file, 16, 4);
    add_number(file, tag, 2);
    add_number(file, channels, 2);
    add_number(file, rate_hz, 4);
    add_number(file, (uint64_t)rate_hz * channels * bits / 8, 4);
    add_number(file, (uint64_t)channels * bits / 8, 2);
    add_number(file, bits, 2);
}

static void add_data(struct file *file, const void *bytes, size_t n, uint32_t said)
{
    add(file, "data", 4);
    add_number(file, said, 4);
    add(file, bytes, n);
}

static int open_file(struct file *file, struct st_wav *wav, const char **ret_error)
{
    FILE *stream = fmemopen(file->bytes, file->n, "r");
    assert_non_null(stream);
    const int r = st_wav_open(wav, stream, ret_error);
    if (r != 0)
        fclose(stream);
    return r;
}

/* Opens it, and reads up to 64 samples. @return frames. */
static size_t read_all(struct file *file, float *ret_samples, struct st_wav *wav)
{
    const char *error;
    size_t n;
    assert_int_equal(open_file(file, wav, &error), 0);
    assert_null(error);
    assert_int_equal(st_wav_read(wav, ret_samples, 64 / wav->channels, &n), 0);
    fclose(wav->stream);
    return n;
}

static void refused(struct file *file, const char *why)
{
    struct st_wav wav;
    const char *error;
    assert_int_equal(open_file(file, &wav, &error), -EBADMSG);
    assert_has(error, why);
}

static void each_format_has_its_values(void **state)
{
    struct file file;
    struct st_wav wav;
    float samples[64];
    const float floats[] = {0.25F, -1, NAN, -INFINITY, 100};
    begin(&file);
    add_format(&file, 1, 2, 44100, 16);
    add_data(&file, "\x00\x40\x00\x80\xff\x7f\x01\x00", 8, 8);
    assert_int_equal(read_all(&file, samples, &wav), 2);
    assert_true(samples[0] == 0.5F && samples[1] == -1 && samples[2] == 32767.0F / 32768);
    assert_true(samples[3] == 1.0F / 32768 && wav.rate_hz == 44100 && wav.channels == 2 &&
                !wav.is_cut);
    begin(&file);
    add_format(&file, 1, 1, 96000, 24);
    add_data(&file, "\x00\x00\x40\x00\x00\x80\x01\x00\x00", 9, 9);
    assert_int_equal(read_all(&file, samples, &wav), 3);
    assert_true(samples[0] == 0.5F && samples[1] == -1 && samples[2] == 1.0F / 8388608);
    begin(&file);
    add_format(&file, 1, 1, 48000, 32);
    add_data(&file, "\x00\x00\x00\x40\x00\x00\x00\x80", 8, 8);
    assert_int_equal(read_all(&file, samples, &wav), 2);
    assert_true(samples[0] == 0.5F && samples[1] == -1);
    begin(&file);
    add_format(&file, 3, 1, 48000, 32);
    add_data(&file, "", 0, sizeof(floats));
    for (int i = 0; i < 5; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof(bits));
        add_number(&file, bits, sizeof(bits));
    }
    assert_int_equal(read_all(&file, samples, &wav), 5);
    assert_true(samples[0] == 0.25F && samples[1] == -1);
    for (int i = 2; i < 5; i++) /* those that are no level */
        assert_true(samples[i] == 8);
}

/* 0: QEMU or a recorder was killed; all ones: a stream. */
static void without_a_size_it_is_read_to_its_end(void **state)
{
    const uint32_t said[] = {0, UINT32_MAX};
    for (size_t i = 0; i < 2; i++) {
        struct file file;
        struct st_wav wav;
        float samples[64];
        begin(&file);
        add_format(&file, 1, 1, 48000, 16);
        add_data(&file, "\1\0\2\0\3", 5, said[i]);
        assert_int_equal(read_all(&file, samples, &wav), 2);
        assert_false(wav.is_cut);
    }
}

static void what_comes_before_and_behind_the_sound_is_none(void **state)
{
    struct file file;
    struct st_wav wav;
    float samples[64];
    begin(&file);
    add(&file, "LIST\3\0\0\0abc", 12); /* filled up to an even length */
    add_format(&file, 1, 1, 48000, 16);
    add_data(&file, "\1\0\2\0", 4, 4);
    add(&file, "id3 \4\0\0\0abcd", 12);
    assert_int_equal(read_all(&file, samples, &wav), 2);
    assert_false(wav.is_cut);
}

static void extensible_and_of_unknown_size(void **state)
{
    struct file file;
    struct st_wav wav;
    float samples[64];
    begin(&file);
    add_format(&file, 0xFFFE, 1, 48000, 16);
    file.bytes[file.n - 20] = 40;
    add_number(&file, 22, 2);
    add_number(&file, 16, 2);
    add_number(&file, 4, 4);
    add(&file, "\1\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 16);
    add_data(&file, "\1\0\2\0\3\0", 6, UINT32_MAX);
    assert_int_equal(read_all(&file, samples, &wav), 3);
}

static void one_that_is_cut_says_so(void **state)
{
    struct file file;
    struct st_wav wav;
    float samples[64];
    begin(&file);
    add_format(&file, 1, 1, 48000, 16);
    add_data(&file, "\1\0\2\0\3", 5, 1000);
    assert_int_equal(read_all(&file, samples, &wav), 2);
    assert_true(wav.is_cut);
    file.n = 30;
    refused(&file, "cut");
    file.n = 38;
    refused(&file, "no sound");
    memcpy(file.bytes, "RF64", 4);
    refused(&file, "RF64");
    file.n = 7;
    refused(&file, "not a WAV");
}

static void formats_that_it_cannot_read(void **state)
{
    static const struct {
        unsigned tag, channels, rate_hz, bits;
        const char *why;
    } rows[] = {{1, 2, 48000, 8, "16, 24 or 32"},  {2, 2, 48000, 16, "16, 24 or 32"},
                {3, 2, 48000, 64, "floats of 32"}, {0xFFFE, 2, 48000, 16, "16, 24"},
                {1, 0, 48000, 16, "channels"},     {1, 9, 48000, 16, "channels"},
                {1, 2, 7999, 16, "rate"},          {1, 2, 192001, 16, "rate"}};
    struct file file;
    ST_EACH (row, rows) {
        begin(&file);
        add_format(&file, row->tag, row->channels, row->rate_hz, row->bits);
        add_data(&file, "\1\0\2\0", 4, 4);
        refused(&file, row->why);
    }
    begin(&file);
    add_format(&file, 1, 2, 48000, 16);
    file.bytes[12 + 8 + 12] = 5;
    add_data(&file, "\1\0\2\0", 4, 4);
    refused(&file, "contradicts itself");
    begin(&file);
    add_data(&file, "\1\0\2\0", 4, 4);
    refused(&file, "before the description of its format");
    begin(&file);
    add(&file, "LIST\xff\xff\xff\xff", 8);
    refused(&file, "no sound");
}

static void what_is_written_is_what_is_read(void **state)
{
    struct file file = {.n = 44 + 12};
    const float values[] = {0, 0.5F, -1, 1, -2, 3.0F / 32768};
    struct st_wav wav;
    float samples[64];
    FILE *stream = fmemopen(file.bytes, file.n, "w");
    assert_non_null(stream);
    setvbuf(stream, NULL, _IONBF, 0); /* else closing writes a 0 behind it */
    assert_int_equal(st_wav_write_head(stream, 48000, 2, 3), 0);
    assert_int_equal(st_wav_write(stream, values, 6), 0);
    fclose(stream);
    assert_memory_equal(file.bytes + 28, "\x00\xee\x02\x00\x04\x00\x10\x00",
                        8); /* 192000 bytes/s, 4 a frame, 16 bits */
    assert_int_equal(read_all(&file, samples, &wav), 3);
    assert_true(wav.rate_hz == 48000 && wav.channels == 2 && !wav.is_cut);
    assert_true(samples[1] == 0.5F && samples[2] == -1 && samples[3] == 32767.0F / 32768 &&
                samples[4] == -1 && samples[5] == values[5]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_has_its_values),
        cmocka_unit_test(without_a_size_it_is_read_to_its_end),
        cmocka_unit_test(what_comes_before_and_behind_the_sound_is_none),
        cmocka_unit_test(extensible_and_of_unknown_size),
        cmocka_unit_test(one_that_is_cut_says_so),
        cmocka_unit_test(formats_that_it_cannot_read),
        cmocka_unit_test(what_is_written_is_what_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
