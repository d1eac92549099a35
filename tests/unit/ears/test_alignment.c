/* The place of music in what came back: noise and a tune of known lag, whole and between frames, and music
 * that is at several places. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ears/alignment.h"

#define RATE 48000
#define N    96000

static struct st_alignment alignment;

/* Noise without its treble, at any time. */
static double noise_at(double frame)
{
    double sum = 0;
    for (int k = 1; k <= 60; k++)
        sum += sin(frame * 0.03 * pow(k, 1.07) + k * k);
    return 0.01 * sum;
}

/* @param period  frames after which it repeats itself; 0: never */
static void play(double lag, double gain, double drift, int period)
{
    st_alignment_init(&alignment, RATE);
    for (int i = 0; i < N; i++) {
        const double ahead = (i - (N - RATE / 400.0)) * drift; /* 0 in the middle of the last block */
        const double then = i - lag - ahead;
        st_alignment_put(&alignment, (float)noise_at(period > 0 ? i % period : i),
                         (float)(gain * noise_at(period > 0 ? (int)(i - lag + 4 * period) % period : then)));
    }
}

static void a_lag_in_whole_frames_is_found_exactly(void **state)
{
    (void)state;
    play(12345, -0.3, 0, 0);
    struct st_alignment_place place = st_alignment_find(&alignment, 0, 60000, 0);
    assert_int_equal(place.lag, 12345);
    assert_true(place.likeness < -0.999); /* turned over */
    st_alignment_refine(&alignment, &place);
    assert_true(fabs(place.part) < 0.01);
    assert_true(st_alignment_rival(&alignment, &place, 48, 60000) < 0.9);
    assert_true(fabs(st_alignment_find(&alignment, 0, 12000, 0).likeness) < 0.9); /* it is not there */
    assert_int_equal(st_alignment_find(&alignment, 500, 400, 77).lag, 77);        /* nothing to look at */
}

static void one_between_frames_with_clocks_apart_too(void **state)
{
    (void)state;
    play(5000.4, 1, 300e-6, 0);
    struct st_alignment_place place = st_alignment_find(&alignment, 0, 60000, 0);
    place.rate = 300e-6;
    st_alignment_refine(&alignment, &place);
    assert_true(fabs((double)place.lag + place.part - 5000.4) < 0.03);
    assert_true(place.likeness > 0.999);
    float expected[242];
    double worst = 0, loudest = 0;
    st_alignment_expect(&alignment, &place, 1, N - 240, 240, expected);
    for (uint64_t i = 0; i < 241; i++) { /* the one behind is still to come */
        const double heard = (double)st_alignment_heard(&alignment, N - 241 + i);
        worst = fmax(worst, fabs((double)expected[i] - heard));
        loudest = fmax(loudest, fabs(heard));
    }
    assert_true(worst < 0.02 * loudest);
    const struct st_alignment_place later = st_alignment_later(&place, 2000);
    assert_true(fabs((double)later.lag + later.part - 5001.0) < 0.03);
    assert_true(fabs(later.part) <= 0.5);
}

static void of_music_that_repeats_there_is_a_rival(void **state)
{
    (void)state;
    play(3000, 1, 0, 12000);
    struct st_alignment_place place = st_alignment_find(&alignment, 0, 60000, 3000);
    assert_int_equal(place.lag, 3000); /* the nearest of those that are as good */
    assert_int_equal(st_alignment_find(&alignment, 0, 60000, 16000).lag, 15000);
    assert_true(st_alignment_rival(&alignment, &place, 48, 60000) > 0.999);
    assert_true(st_alignment_repeats(&alignment, N - 1000, 480, RATE, 1e-6));
    assert_false(st_alignment_repeats(&alignment, N - 1000, 480, 11999, 1e-6)); /* its period is longer */
    play(3000, 1, 0, 0);
    assert_false(st_alignment_repeats(&alignment, N - 1000, 480, RATE, 1e-6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lag_in_whole_frames_is_found_exactly),
        cmocka_unit_test(one_between_frames_with_clocks_apart_too),
        cmocka_unit_test(of_music_that_repeats_there_is_a_rival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
