/* On a path that returns samples one by one each fault is found, once, at its place and with its
 * length; and nothing where there is none. */
#include "ears/places.h"
#include "tests/unit/ears/damage.h"
#include "tests/unit/unit.h"

#define RATE 48000

static struct st_places places;
static const struct st_loss *const losses = places.losses.list;

static void listen(const float *frames, size_t n)
{
    st_places_init(&places, RATE);
    for (size_t i = 0; i < n; i += 100)
        st_places_take(&places, frames + 2 * i, 2, n - i < 100 ? n - i : 100);
    st_places_end(&places);
}

static bool is_right(const struct st_loss *loss, const struct st_loss *truth, uint64_t slack)
{
    return loss->kind == truth->kind && truth->at_frame + slack >= loss->at_frame &&
           truth->at_frame <= loss->at_frame + loss->within_frames + slack &&
           loss->frames + slack >= truth->frames && loss->frames <= truth->frames + slack;
}

/* Each kind at three lengths. @param slack  frames: an edge may agree with the signal by chance. */
static void expect_each(uint64_t seed, uint64_t slack, void (*path)(float *, size_t, uint64_t *))
{
    static const uint64_t least[] = {1, 40, 960}, most[] = {3, 50, 20000};
    for (int kind = 0; kind <= SWAPPED; kind++) {
        for (size_t i = 0; i < 3; i++) {
            struct damage damage = {.seed = seed + 3 * (uint64_t)kind + i};
            size_t n;
            uint64_t noise = 99;
            float *frames = damaged(&damage, kind, least[i],
                                    kind == SWAPPED && i == 2 ? 2000 : most[i], RATE, &n);
            assert_non_null(frames);
            if (path != NULL)
                path(frames, n, &noise);
            listen(frames, n);
            assert_int_equal(places.losses.n, FAULTS_N);
            for (size_t j = 0; j < FAULTS_N; j++) {
                if (!is_right(&losses[j], &damage.faults[j], slack))
                    fail_msg("kind %d of %zu: %s at %llu, %llu frames; truth: at %llu, %llu frames",
                             kind, i, st_signal_loss_name(losses[j].kind),
                             (unsigned long long)losses[j].at_frame,
                             (unsigned long long)losses[j].frames,
                             (unsigned long long)damage.faults[j].at_frame,
                             (unsigned long long)damage.faults[j].frames);
            }
            assert_true(places.locked && places.contact_lost_n == 0 && places.volumes_n == 0);
            free(frames);
        }
    }
}

static void every_fault_is_found_exactly_where_samples_come_back(void **state)
{
    expect_each(7919, 0, NULL);
    assert_true(places.exact && places.gain == 1);
}

/* Turned over, softer, noise 60 dB below. */
static void turn_and_add_noise(float *frames, size_t n, uint64_t *noise)
{
    for (size_t i = 0; i < 2 * n; i++)
        frames[i] =
            (float)(-0.3 * ((double)frames[i] + next_normal(noise) * 0.01 / sqrt(3) / 1000));
}

static void and_with_another_volume_and_noise(void **state)
{
    expect_each(104729, 1, turn_and_add_noise);
    assert_true(!places.exact && fabs(places.gain + 0.3) < 0.001 && places.noise < 0.002);
}

static float *sound(size_t n)
{
    struct st_signal signal;
    float *frames = calloc(2 * n, sizeof(float));
    assert_non_null(frames);
    st_signal_init(&signal, RATE, 2);
    st_signal_fill(&signal, 4242, frames, n);
    return frames;
}

/* The signal is gone for n frames, and comes back with half the volume, at once or after 20 ms. */
static void a_loss_before_another_volume_counts(void **state)
{
    enum { SILENCE, NOISE, NOTHING };
    const uint64_t lengths[] = {1, 480, RATE / 4, 3 * RATE / 2}, at = 2 * RATE;
    uint64_t seed = 23;
    for (int how = SILENCE; how <= NOTHING; how++) {
        for (size_t i = how == NOISE; i < ST_ARRAY_LEN(lengths); i++) {
            const bool ramp = i % 2 != 0;
            const uint64_t n = how == NOTHING ? 0 : lengths[i];
            float *frames = sound(6 * RATE);
            for (uint64_t j = at; j < 6 * RATE; j++)
                frames[2 * j] *=
                    j < at + n && how == SILENCE ? 0
                    : ramp ? 1 - 0.5F * fminf((float)(j - at - ST_MIN(n, j - at)) / 960, 1)
                           : 0.5F;
            for (uint64_t j = at; j < at + n && how == NOISE; j++)
                frames[2 * j] = (float)(0.005 * next_normal(&seed));
            st_places_init(&places, RATE);
            st_places_expect(&places, 0, 4242);
            st_places_take(&places, frames, 2, 6 * RATE);
            st_places_end(&places);
            const bool away =
                how == NOISE &&
                n > RATE; /* then contact was lost, and the loss is as long as is known */
            const uint64_t longer = ramp && !away ? 64 : 0;
            assert_true(places.locked && fabs(places.gain - 0.5) < 1e-6);
            assert_int_equal(places.volumes_n, !away);
            assert_int_equal(places.losses.n, n > 0);
            if (n > 0 && !is_right(&losses[0],
                                   &(struct st_loss){.kind = how == SILENCE ? ST_LOSS_ZEROED
                                                                            : ST_LOSS_CORRUPTED,
                                                     .at_frame = at,
                                                     .frames = away ? losses[0].frames : n},
                                   longer))
                fail_msg("%d of %llu: %s at %llu, %llu frames", how, (unsigned long long)n,
                         st_signal_loss_name(losses[0].kind),
                         (unsigned long long)losses[0].at_frame,
                         (unsigned long long)losses[0].frames);
            free(frames);
        }
    }
}

/* @param level  of other sound in 3 of 9 s. */
static void mix(float level, bool noisy)
{
    const size_t n = 9 * RATE;
    uint64_t seed = 17;
    float *frames = sound(n);
    for (uint64_t i = 2 * RATE; i < 5 * RATE; i++)
        frames[2 * i] += level * (noisy ? (float)next_normal(&seed) : (float)sin((double)i * 0.06));
    listen(frames, n);
    assert_int_equal(places.losses.n, 0);
    assert_true(places.mixed_frames > 2 * RATE && places.locked && places.contact_lost_n == 0);
    free(frames);
}

static void another_program_is_no_loss(void **state)
{
    mix(0.004F, false);
    mix(0.2F, false); /* 28 dB above it */
    mix(0.1F, true);
}

/* Further away than a second there is no length. */
static void what_is_far_away_is_lost_contact(void **state)
{
    struct st_signal signal;
    const size_t n = 8 * RATE;
    float *frames = sound(n);
    st_signal_init(&signal, RATE, 2);
    st_signal_fill(&signal, 90 * RATE, frames + n, n / 2);
    listen(frames, n);
    assert_int_equal(places.losses.n, 0);
    assert_int_equal(places.contact_lost_n, 1);
    assert_true(places.locked);
    free(frames);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_found_exactly_where_samples_come_back),
        cmocka_unit_test(a_loss_before_another_volume_counts),
        cmocka_unit_test(another_program_is_no_loss),
        cmocka_unit_test(what_is_far_away_is_lost_contact),
    };
    /* Seconds of simulations: a test of their own (simulated_cases in meson.build). */
    const struct CMUnitTest simulated[] = {
        cmocka_unit_test(and_with_another_volume_and_noise),
    };
    if (argc > 1 && strcmp(argv[1], "simulated") == 0)
        return cmocka_run_group_tests(simulated, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
