/* Practice of 'sleeptune heard': the sound, and what is learned from the presses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cli/measure/practice.h"
#include "ears/wav.h"

#define MS ST_NS_PER_MS

static int16_t sample(const unsigned char *bytes, size_t frame, size_t channel)
{
    return (int16_t)(uint16_t)(bytes[4 * frame + 2 * channel] | bytes[4 * frame + 2 * channel + 1] << 8);
}

static void the_sound_has_eight_holes_of_5_ms_and_no_other(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct st_random random = {.state = seed};
        const struct st_practice_sound sound = st_practice_sound_make(&random);
        unsigned char head[ST_WAV_HEAD_BYTES], *bytes = malloc(4 * (size_t)sound.frames_n);
        assert_non_null(bytes);
        assert_in_range(sound.frames_n, 36 * ST_PRACTICE_RATE_HZ, 76 * ST_PRACTICE_RATE_HZ);
        for (int64_t at = 0; at < sound.frames_n; at += 480) /* in steps, as it is played */
            st_practice_sound_fill(
                &sound, at, sound.frames_n - at < 480 ? (size_t)(sound.frames_n - at) : 480, bytes + 4 * at);
        st_wav_head(head, ST_PRACTICE_RATE_HZ, 2, (uint64_t)sound.frames_n);
        assert_memory_equal(head + 8, "WAVEfmt ", 8);
        assert_int_equal(head[40] | head[41] << 8 | head[42] << 16 | (int64_t)head[43] << 24,
                         4 * sound.frames_n);
        size_t holes_n = 0, zeros_n = 0;
        for (size_t i = ST_PRACTICE_RATE_HZ; i < (size_t)sound.frames_n - ST_PRACTICE_RATE_HZ; i++) {
            assert_int_equal(sample(bytes, i, 0), sample(bytes, i, 1));
            zeros_n = sample(bytes, i, 0) == 0 ? zeros_n + 1 : 0;
            if (zeros_n != ST_PRACTICE_RATE_HZ / 200)
                continue;
            assert_true(holes_n < ST_PRACTICE_HOLES);
            assert_in_range(i + 1 - zeros_n, sound.holes[holes_n] - 1, sound.holes[holes_n]);
            holes_n++;
        }
        assert_int_equal(holes_n, ST_PRACTICE_HOLES);
        for (size_t i = 1; i < ST_PRACTICE_HOLES; i++)
            assert_true(sound.holes[i] - sound.holes[i - 1] >= 4 * ST_PRACTICE_RATE_HZ);
        free(bytes);
    }
}

static const int64_t holes[ST_PRACTICE_HOLES] = {10000 * MS, 20000 * MS, 30000 * MS, 40000 * MS,
                                                 50000 * MS, 60000 * MS, 70000 * MS, 80000 * MS};

static void the_window_is_the_longest_and_the_median(void **state)
{
    (void)state;
    int64_t presses[ST_PRACTICE_HOLES];
    for (int64_t i = 0; i < ST_PRACTICE_HOLES; i++)
        presses[i] = holes[i] + (300 + 50 * i) * MS; /* 300 .. 650 ms */
    struct st_practice_result result =
        st_practice_judge(holes, ST_PRACTICE_HOLES, presses, ST_PRACTICE_HOLES);
    assert_int_equal(result.heard_n, 8);
    assert_int_equal(result.false_n, 0);
    assert_int_equal(result.least_ns, 300 * MS);
    assert_int_equal(result.median_ns, 475 * MS);
    assert_int_equal(result.most_ns, 650 * MS);
    assert_int_equal(result.window_ns, 1125 * MS);
    presses[7] = holes[7] + 2200 * MS; /* and never above the default */
    result = st_practice_judge(holes, ST_PRACTICE_HOLES, presses, ST_PRACTICE_HOLES);
    assert_int_equal(result.window_ns, ST_PRACTICE_WINDOW_NS);
}

static void false_presses_are_counted_and_few_hits_set_nothing(void **state)
{
    (void)state;
    const int64_t presses[] = {5000 * MS,              /* before the first */
                               10050 * MS,             /* too fast: a guess */
                               10400 * MS,             /* heard */
                               10600 * MS,             /* the same once more */
                               25000 * MS,             /* in between */
                               30400 * MS,             /* heard */
                               80000 * MS + 2600 * MS, /* too late */
                               90000 * MS};
    struct st_practice_result result =
        st_practice_judge(holes, ST_PRACTICE_HOLES, presses, ST_ARRAY_LEN(presses));
    assert_int_equal(result.heard_n, 2);
    assert_int_equal(result.false_n, 6);
    assert_int_equal(result.window_ns, 0);
    result = st_practice_judge(holes, ST_PRACTICE_HOLES, NULL, 0);
    assert_int_equal(result.heard_n + result.false_n, 0);
    assert_int_equal(result.window_ns, 0);
    const int64_t half[] = {10400 * MS, 20400 * MS, 30400 * MS, 40400 * MS};
    result = st_practice_judge(holes, ST_PRACTICE_HOLES, half, 4);
    assert_int_equal(result.window_ns, 800 * MS); /* half of them is enough */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sound_has_eight_holes_of_5_ms_and_no_other),
        cmocka_unit_test(the_window_is_the_longest_and_the_median),
        cmocka_unit_test(false_presses_are_counted_and_few_hits_set_nothing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
