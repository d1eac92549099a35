/* lab/analyse/periodic: rhythms in noise, which rates look the same, and which cannot be told. */
#include "lab/analyse/periodic.h"
#include "tests/unit/noise.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static struct st_period audio(void)
{
    const struct st_period period = period_of(64, 48000);
    return period;
}

static bool named(const struct st_periodic *beat, int hz)
{
    for (size_t i = 0; i < beat->names_n; i++) {
        if (beat->names_hz[i] == hz)
            return true;
    }
    return false;
}

static struct st_periodic find(enum noise noise, uint64_t seed, size_t n, double amplitude_ns,
                               double hz, int known_hz)
{
    const struct st_period period = audio();
    struct st_series series;
    struct st_periodic beat;
    assert_int_equal(noise_series(noise, seed, &period, n, amplitude_ns, hz, &series), 0);
    assert_int_equal(st_periodic_find(&series, known_hz, &beat), 0);
    st_series_finish(&series);
    return beat;
}

static void the_transform_is_the_sum_it_stands_for(void **state)
{
    struct st_complex z[16], in[16];
    for (int i = 0; i < 16; i++)
        in[i] = z[i] = (struct st_complex){i * i % 7, 3 - i};
    st_periodic_fft(z, 16);
    for (int j = 0; j < 16; j++) {
        double re = 0, im = 0;
        for (int k = 0; k < 16; k++) {
            const double angle = -2 * M_PI * j * k / 16;
            re += in[k].re * cos(angle) - in[k].im * sin(angle);
            im += in[k].re * sin(angle) + in[k].im * cos(angle);
        }
        assert_true(fabs(z[j].re - re) < 1e-9 && fabs(z[j].im - im) < 1e-9);
    }
    assert_int_equal(st_periodic_fft_size(1), 1);
    assert_int_equal(st_periodic_fft_size(1025), 2048);
}

static void rates_are_folded_by_the_period(void **state)
{
    const struct st_period period = audio(); /* 4/3 ms */
    assert_true(fabs(st_periodic_alias(&period, 250) - 1.0 / 3) < 1e-12);
    assert_true(fabs(st_periodic_alias(&period, 1000) - 1.0 / 3) < 1e-12);
    assert_true(fabs(st_periodic_alias(&period, 300) - 0.4) < 1e-12);
    assert_true(st_periodic_alias(&period, 750) < 1e-12);
    assert_true(st_periodic_can_tell(&period, 250, 7500));
    assert_true(st_periodic_can_tell(&period, 250, 60));
    assert_false(st_periodic_can_tell(&period, 250, 59));
    assert_false(st_periodic_can_tell(&period, 750, UINT64_MAX));
}

/* 10 s at 1333 us, standard deviation 5 us: 0.5 us is 6 standard errors. Found in 95 of 100
 * (docs/results.md); of 40 series 33 or more are found with a probability of 0.999. */
static void half_a_microsecond_in_ten_seconds_is_found(void **state)
{
    static const int rates[] = {100, 250, 300, 1000};
    ST_EACH (rate, rates) {
        int found = 0;
        double amplitude_ns = 0, sd_ns = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            const struct st_periodic beat = find(NOISE_NORMAL, seed, 7500, 500, *rate, 0);
            found += beat.found && named(&beat, *rate);
            if (beat.found) {
                amplitude_ns += beat.amplitude_ns;
                sd_ns = beat.amplitude_sd_ns;
            }
        }
        assert_in_range(found, 33, 40);
        assert_true(fabs(amplitude_ns / found - 500) < 60);
        assert_true(fabs(sd_ns - 82) < 15); /* 5 us * sqrt(2 / 7500) */
    }
}

static void a_stronger_one_is_found_in_any_noise(void **state)
{
    for (int noise = 0; noise < NOISE_COUNT; noise++) {
        const struct st_periodic beat = find((enum noise)noise, 7, 7500, 5000, 250, 0);
        assert_true(beat.found);
        assert_true(named(&beat, 250) && named(&beat, 500) && named(&beat, 1000) &&
                    !named(&beat, 300));
        assert_int_equal(beat.names_n + (size_t)beat.others_n,
                         27); /* two of three multiples of 250 */
    }
}

static void a_rate_that_nobody_has_is_measured(void **state)
{
    const struct st_periodic beat = find(NOISE_NORMAL, 3, 7500, 200000, 77.76, 0);
    assert_true(beat.found);
    assert_int_equal(beat.names_n, 0);
    assert_true(fabs(1 / beat.repeats_s - 77.76) < 1e-4); /* a thousandth of 1 / 10 s */
}

static void what_is_known_of_the_kernel_helps(void **state)
{
    const struct st_periodic blind = find(NOISE_NORMAL, 5, 7500, 0, 0, 0);
    assert_false(blind.found);
    const struct st_periodic beat = find(NOISE_NORMAL, 5, 7500, 700, 333, 333);
    assert_true(beat.found);
    assert_int_equal(beat.names_n, 0); /* told by the caller, not a usual one */
    assert_true(fabs(beat.cycles_per_period - 0.444) < 1e-3);
}

static void half_a_cycle_a_period_is_a_place_like_others(void **state)
{
    struct st_period period;
    struct st_series series;
    struct st_periodic beat;
    period = period_of_ns(2000000, 1); /* 250 Hz: half a cycle */
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, 5000, 0, 0, &series), 0);
    for (size_t i = 0; i < series.n; i++)
        series.lateness_ns[i] += i % 2 == 0 ? 1000 : -1000;
    assert_int_equal(st_periodic_find(&series, 0, &beat), 0);
    assert_true(beat.found && named(&beat, 250));
    assert_true(fabs(beat.amplitude_ns - 1000) < 300);
    st_series_finish(&series);
}

static void a_rectangles_amplitude_is_half_its_height(void **state)
{
    const struct st_period period = audio();
    struct st_series series;
    struct st_periodic beat;
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, 5000, 0, 0, &series), 0);
    for (size_t i = 0; i < series.n; i += 10)
        series.lateness_ns[i] += 50000;
    assert_int_equal(st_periodic_find(&series, 0, &beat), 0);
    assert_true(fabs(beat.high_ns - 50000) < 1000 && fabs(beat.amplitude_ns - 25000) < 500);
    st_series_finish(&series);
}

static void little_or_nothing_gives_nothing(void **state)
{
    const struct st_period period = audio();
    struct st_series series;
    struct st_periodic beat;
    assert_int_equal(noise_series(NOISE_NORMAL, 1, &period, 255, 0, 0, &series), 0);
    assert_int_equal(st_periodic_find(&series, 0, &beat), -ENODATA);
    st_series_finish(&series);
    st_series_init(&series, &period);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(st_series_add(&series, i, 77), 0);
    assert_int_equal(st_periodic_find(&series, 0, &beat), -ENODATA); /* no spread */
    st_series_finish(&series);
}

static void gaps_do_not_hide_it(void **state)
{
    const struct st_period period = audio();
    struct st_series all, some;
    struct st_periodic beat;
    assert_int_equal(noise_series(NOISE_NORMAL, 9, &period, 9000, 1500, 100, &all), 0);
    st_series_init(&some, &period);
    for (size_t i = 0; i < all.n; i++) {
        if (i % 10 != 3 && (i < 4000 || i > 5000))
            assert_int_equal(st_series_add(&some, all.index[i], all.lateness_ns[i]), 0);
    }
    assert_int_equal(st_periodic_find(&some, 0, &beat), 0);
    assert_true(beat.found && named(&beat, 100));
    st_series_finish(&all);
    st_series_finish(&some);
}

static void rounding_is_no_rhythm(void **state)
{
    const struct st_period period = period_of_ns(100000000, 1);
    for (int k = 0; k < 10; k++) {
        for (int grain_ns = 1; grain_ns <= 1000; grain_ns *= 1000) {
            struct st_series series;
            struct st_periodic beat;
            st_series_init(&series, &period);
            for (uint64_t i = 0; i < 3000; i++)
                assert_int_equal(
                    st_series_add(&series, i, llrint((0.13 + 0.37 * k) * (double)i) * grain_ns), 0);
            assert_int_equal(st_periodic_find(&series, 0, &beat), 0);
            assert_false(beat.found);
            st_series_finish(&series);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_transform_is_the_sum_it_stands_for),
        cmocka_unit_test(rates_are_folded_by_the_period),
        cmocka_unit_test(half_a_microsecond_in_ten_seconds_is_found),
        cmocka_unit_test(a_stronger_one_is_found_in_any_noise),
        cmocka_unit_test(a_rate_that_nobody_has_is_measured),
        cmocka_unit_test(what_is_known_of_the_kernel_helps),
        cmocka_unit_test(half_a_cycle_a_period_is_a_place_like_others),
        cmocka_unit_test(a_rectangles_amplitude_is_half_its_height),
        cmocka_unit_test(little_or_nothing_gives_nothing),
        cmocka_unit_test(gaps_do_not_hide_it),
        cmocka_unit_test(rounding_is_no_rhythm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
