/* On a path that converts, faults of 1 ms and more are found, once, within 1 ms; and nothing where
 * there is none. */
#include "ears/tones.h"
#include "tests/unit/ears/damage.h"
#include "tests/unit/unit.h"

#define PLAYED_HZ 48000
#define TURN      6.283185307179586

static struct st_tones tones;
static const struct st_loss *const losses = tones.losses.list;

/* A sound between its samples: 32 of them, a windowed sinc. sin and cos of what lies k frames away
 * follow from those of the nearest. */
static double between(const float *frames, size_t n, double at)
{
    static double turned[32][2]; /* by pi / 17 a frame */
    const double pi = TURN / 2;
    const int64_t first = (int64_t)floor(at);
    const double part = at - (double)first, away = sin(pi * part), x = cos(pi * part / 17),
                 y = sin(pi * part / 17);
    double sum = 0;
    for (int k = 0; k < 32 && turned[31][0] == 0; k++) {
        turned[k][0] = cos(pi * (k - 15) / 17);
        turned[k][1] = sin(pi * (k - 15) / 17);
    }
    if (part == 0)
        return (double)frames[2 * first + 1];
    for (int64_t k = -15; k <= 16; k++) {
        const int64_t i = first + k;
        const double sinc = (k % 2 == 0 ? -away : away) / (pi * ((double)k - part));
        if (i >= 0 && i < (int64_t)n)
            sum += sinc * (0.5 + 0.5 * (turned[k + 15][0] * x + turned[k + 15][1] * y)) *
                   (double)frames[2 * i + 1];
    }
    return sum;
}

/* What a recorder with another clock or rate hears, with noise 60 dB below. */
static void listen(const float *frames, size_t n, double ratio, uint32_t rate_hz, double noise)
{
    uint64_t seed = 4711;
    st_tones_init(&tones, rate_hz);
    for (size_t i = 0; i < (uint64_t)((double)n * ratio); i++) {
        const float sample =
            (float)(between(frames, n, (double)i / ratio) + noise * 0.004 * next_normal(&seed));
        st_tones_take(&tones, &sample, 1, 1);
    }
    st_tones_end(&tones);
}

static void expect_each(double ratio, uint32_t rate_hz, double noise, uint64_t shortest)
{
    for (int kind = 0; kind <= SWAPPED; kind++) {
        struct damage damage = {.seed = 7919 + (uint64_t)kind};
        size_t n;
        size_t right = 0;
        const double ms = rate_hz / 1000.0;
        float *frames = damaged(&damage, kind, shortest, 20 * shortest, PLAYED_HZ, &n);
        assert_non_null(frames);
        listen(frames, n, ratio, rate_hz, noise);
        assert_int_equal(tones.losses.n, FAULTS_N); /* no false one */
        for (size_t i = 0; i < FAULTS_N; i++) {
            const struct st_loss *loss = &losses[i], *truth = &damage.faults[i];
            right += loss->kind == truth->kind &&
                     fabs((double)loss->at_frame - (double)truth->at_frame * ratio) <= ms &&
                     fabs((double)loss->frames - (double)truth->frames * ratio) <= ms;
        }
        assert_true(right >= FAULTS_N - 1);
        assert_true(tones.locked && tones.contact_lost_n == 0);
        free(frames);
    }
}

static void each_fault_of_a_millisecond_is_found_with_noise(void **state)
{
    expect_each(1, PLAYED_HZ, 0.001, 50);
}

static void and_with_a_clock_that_is_fast_or_slow(void **state)
{
    expect_each(1.0003, PLAYED_HZ, 0.001, 50);
    assert_true(fabs(st_tones_drift_ppm(&tones) + 300) < 1);
    expect_each(0.9997, PLAYED_HZ, 0.001, 50);
    assert_true(fabs(st_tones_drift_ppm(&tones) - 300) < 1);
    expect_each(0.999, PLAYED_HZ, 0.001, 50);
    assert_true(fabs(st_tones_drift_ppm(&tones) - 1000) < 2);
}

static void and_at_another_rate(void **state)
{
    expect_each(44100 / 48000.0, 44100, 0.001, 60);
    assert_true(fabs(st_tones_drift_ppm(&tones)) < 1);
}

static void long_silence_is_one_loss_at_a_high_rate(void **state)
{
    enum { RATE_HZ = 192000, SILENT = 6 * RATE_HZ / 10 };
    st_tones_init(&tones, RATE_HZ);
    for (size_t i = 0; i < 3 * RATE_HZ; i++) {
        float sample = 0;
        for (size_t k = 0; k < ST_SIGNAL_TONES && (i < RATE_HZ || i >= RATE_HZ + SILENT); k++)
            sample += (float)(sin(TURN * st_signal_tones_hz[k] * (double)i / (double)RATE_HZ) *
                              0.01 / ST_SIGNAL_TONES);
        st_tones_take(&tones, &sample, 1, 1);
    }
    st_tones_end(&tones);
    assert_int_equal(tones.losses.n, 1);
    assert_int_equal(losses[0].kind, ST_LOSS_ZEROED);
    assert_in_range(losses[0].at_frame, RATE_HZ - RATE_HZ / 1000, RATE_HZ + RATE_HZ / 1000);
    assert_in_range(losses[0].frames, SILENT - RATE_HZ / 1000, SILENT + RATE_HZ / 1000);
}

/* A second of the tones as a recorder of that rate hears them, whose clock is off: what a perfect
 * converter gives. */
static void convert(float *frames, uint32_t rate_hz, double ratio, uint64_t second)
{
    double by_cosine[ST_SIGNAL_TONES], by_sine[ST_SIGNAL_TONES], cosine[ST_SIGNAL_TONES],
        sine[ST_SIGNAL_TONES];
    for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
        const double turns = st_signal_tones_hz[k] * ratio,
                     first = TURN * fmod(turns * (double)second, 1);
        by_cosine[k] = cos(TURN * turns / rate_hz);
        by_sine[k] = sin(TURN * turns / rate_hz);
        cosine[k] = cos(first) * 0.01 / ST_SIGNAL_TONES;
        sine[k] = sin(first) * 0.01 / ST_SIGNAL_TONES;
    }
    for (uint32_t i = 0; i < rate_hz; i++) {
        frames[i] = (float)(sine[0] + sine[1] + sine[2]);
        for (size_t k = 0; k < ST_SIGNAL_TONES; k++) {
            const double before = cosine[k];
            cosine[k] = cosine[k] * by_cosine[k] - sine[k] * by_sine[k];
            sine[k] = sine[k] * by_cosine[k] + before * by_sine[k];
        }
    }
}

static void noise_is_no_more_where_the_signal_begins_later(void **state)
{
    static float frames[PLAYED_HZ];
    convert(frames, PLAYED_HZ, 1.0009, 0);
    for (size_t silent = 0; silent < 1920; silent += 60) {
        const float none = 0;
        st_tones_init(&tones, PLAYED_HZ);
        for (size_t i = 0; i < silent; i++)
            st_tones_take(&tones, &none, 1, 1);
        st_tones_take(&tones, frames, 1, PLAYED_HZ);
        assert_true(tones.locked && tones.noise < 0.02);
        assert_true(fabs(fabs(st_tones_drift_ppm(&tones)) - 900) < 5);
    }
}

/* As ALSA's own converter does it each period. */
static void parts_of_a_frame_that_are_skipped_are_no_loss(void **state)
{
    st_tones_init(&tones, PLAYED_HZ);
    for (uint64_t i = 0; i < 4 * PLAYED_HZ; i++) {
        const double at = (double)i + 0.4 * (double)(i / 4800);
        float sample = 0;
        for (size_t k = 0; k < ST_SIGNAL_TONES; k++)
            sample += (float)(sin(TURN * st_signal_tones_hz[k] * at / PLAYED_HZ) * 0.01 /
                              ST_SIGNAL_TONES);
        st_tones_take(&tones, &sample, 1, 1);
    }
    st_tones_end(&tones);
    assert_int_equal(tones.losses.n, 0);
    assert_true(tones.locked && tones.contact_lost_n == 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_of_a_millisecond_is_found_with_noise),
        cmocka_unit_test(long_silence_is_one_loss_at_a_high_rate),
        cmocka_unit_test(noise_is_no_more_where_the_signal_begins_later),
        cmocka_unit_test(parts_of_a_frame_that_are_skipped_are_no_loss),
    };
    /* Seconds of simulations: a test of their own (simulated_cases in meson.build). */
    const struct CMUnitTest simulated[] = {
        cmocka_unit_test(and_with_a_clock_that_is_fast_or_slow),
        cmocka_unit_test(and_at_another_rate),
    };
    if (argc > 1 && strcmp(argv[1], "simulated") == 0)
        return cmocka_run_group_tests(simulated, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
