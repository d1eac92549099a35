/* The test signal: each sample is what the frame's number and the glitches say. */
#include "ears/signal.h"
#include "tests/unit/unit.h"

#define RATE 48000

static void every_sample_of_the_sequence_is_a_step_of_16_bits_and_never_silence(void **state)
{
    struct st_signal signal;
    static float frames[2 * RATE];
    st_signal_init(&signal, RATE, 2);
    st_signal_fill(&signal, 12345, frames, RATE);
    for (size_t i = 0; i < RATE; i++) {
        const float steps = frames[2 * i] * 32768;
        assert_true(steps == floorf(steps) && steps != 0 && fabsf(steps) <= 327);
        assert_true(fabsf(frames[2 * i + 1]) <= 0.01F);
    }
}

/* No place of two seconds is like another: 64 steps are not found twice, also in the other
 * channel. */
static void sixty_four_samples_are_found_once(void **state)
{
    for (uint64_t shift = 1; shift < 2 * RATE; shift++) {
        size_t same = 0;
        while (same < 64 &&
               st_signal_step(1000 + same, 0) == st_signal_step(1000 + shift + same, 0))
            same++;
        assert_true(same < 4);
    }
}

static void glitches_are_of_each_kind_and_length_and_apart(void **state)
{
    for (uint64_t chance = 0; chance < 200; chance++) {
        struct st_signal signal;
        unsigned kinds[ST_LOSS_KINDS_N] = {0}, short_n = 0;
        st_signal_init(&signal, RATE, 2);
        st_signal_force(&signal, chance);
        assert_int_equal(signal.glitches_n, ST_SIGNAL_GLITCHES_MAX);
        for (size_t i = 0; i < signal.glitches_n; i++) {
            const struct st_glitch *glitch = &signal.glitches[i];
            kinds[glitch->kind]++;
            short_n += glitch->frames == 1;
            assert_true(glitch->at_frame >= 2 * RATE &&
                        (double)(glitch->at_frame + glitch->frames) < ST_SIGNAL_FORCED_S * RATE);
            assert_true(i == 0 ||
                        glitch->at_frame > signal.glitches[i - 1].at_frame + 50 * RATE / 1000);
        }
        assert_int_equal(short_n, 3);
        assert_true(kinds[ST_LOSS_LOST] == 3 && kinds[ST_LOSS_REPEATED] == 3 &&
                    kinds[ST_LOSS_ZEROED] == 3);
    }
}

static void a_glitch_does_what_its_kind_says(void **state)
{
    struct st_signal signal = {
        .rate_hz = RATE,
        .channels = 1,
        .glitches_n = 3,
        .glitches = {{ST_LOSS_LOST, 100, 7}, {ST_LOSS_ZEROED, 200, 5}, {ST_LOSS_REPEATED, 300, 3}}};
    float frames[400];
    st_signal_fill(&signal, 0, frames, 400);
    for (uint64_t i = 0; i < 400; i++) {
        const uint64_t place = i < 100 ? i : i < 300 ? i + 7 : i + 4;
        const float wanted = i >= 200 && i < 205 ? 0 : (float)st_signal_step(place, 0) / 32768;
        assert_true(frames[i] == wanted);
    }
}

/* At frames that are far apart, too, the phase is that of the time. */
static void tones_are_of_their_frequencies(void **state)
{
    for (uint64_t frame = 0; frame < 20; frame++) {
        double sum = 0;
        for (size_t i = 0; i < ST_SIGNAL_TONES; i++)
            sum += sin(6.283185307179586 * st_signal_tones_hz[i] * (double)frame / RATE);
        assert_true(fabs(sum / 300 - (double)st_signal_tone(RATE, frame)) < 1e-8);
        assert_true(st_signal_tone(RATE, frame) ==
                    st_signal_tone(RATE, frame + UINT64_C(86400) * RATE));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_of_the_sequence_is_a_step_of_16_bits_and_never_silence),
        cmocka_unit_test(sixty_four_samples_are_found_once),
        cmocka_unit_test(glitches_are_of_each_kind_and_length_and_apart),
        cmocka_unit_test(a_glitch_does_what_its_kind_says),
        cmocka_unit_test(tones_are_of_their_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
