/* Music is its own reference: damage of each kind at random places is found in what came back, forced
 * glitches too, and nothing where there is none. With arguments: that number of minutes without a
 * fault, and how many of them another run had already. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ears/hearing.h"
#include "tests/unit/ears/converter.h"
#include "tests/unit/ears/damage.h"
#include "tests/unit/ears/tunes.h"

#define RATE   48000
#define FAULTS 6

static struct st_hearing hearing;
static struct st_hearing_result result;

/* Played and recorded side by side, in packets. @param lag  of what came back */
static void listen(const float *played, const float *back, size_t n, size_t lag, uint64_t chance)
{
    float frames[4 * 256];
    st_hearing_init_music(&hearing, RATE, 2, chance);
    for (size_t i = 0; i < n; i += 256) {
        const size_t part = n - i < 256 ? n - i : 256;
        for (size_t j = 0; j < part; j++) {
            memcpy(frames + 4 * j, played + 2 * (i + j), 2 * sizeof(float));
            for (size_t c = 0; c < 2; c++)
                frames[4 * j + 2 + c] = i + j >= lag ? back[2 * (i + j - lag) + c] : 0;
        }
        st_hearing_take(&hearing, frames, part);
    }
    st_hearing_end(&hearing, NULL, 0, &result);
}

static void explain(const char *what, const struct st_loss *faults, size_t n)
{
    print_message("%s: class %s, heard %.2f s, unheard %.2f s, gain %.2f dB, noise %.1f dB, drift %.1f ppm, "
                  "forced %u of %u, remarks",
                  what, st_hearing_classes[result.path_class].name, result.heard_s, result.unheard_s,
                  result.gain_db, result.noise_db, result.drift_ppm, result.forced_found_n, result.forced_n);
    for (size_t i = 0; i < ST_REMARKS_N; i++) {
        if (result.remarks[i])
            print_message(" %s", st_hearing_remarks[i].name);
    }
    print_message("\n");
    for (size_t i = 0; i < hearing.reference.forced_n; i++)
        print_message("  forced %s at %llu, %llu\n", st_signal_loss_name(hearing.reference.forced[i].kind),
                      (unsigned long long)hearing.reference.forced[i].at_frame,
                      (unsigned long long)hearing.reference.forced[i].frames);
    for (size_t i = 0; i < ST_MIN(hearing.by_places.n, ST_HEARING_LOSSES_MAX); i++)
        print_message("  found %s at %llu + %llu, %llu, shift %lld\n",
                      st_signal_loss_name(hearing.by_places.losses[i].kind),
                      (unsigned long long)hearing.by_places.losses[i].at_frame,
                      (unsigned long long)hearing.by_places.losses[i].within_frames,
                      (unsigned long long)hearing.by_places.losses[i].frames,
                      (long long)hearing.by_places.losses[i].shift_frames);
    for (size_t i = 0; i < n; i++)
        print_message("  truth %s at %llu, %llu\n", st_signal_loss_name(faults[i].kind),
                      (unsigned long long)faults[i].at_frame, (unsigned long long)faults[i].frames);
}

#define SECONDS 22
#define FRAMES  ((size_t)SECONDS * RATE)
#define LAG     40000
#define DELAY   2880 /* of forcing, 60 ms */

static float played[2 * FRAMES], back[2 * FRAMES];

/* Damage from 12 s on, each at a random place in its 1.5 s; at_frame: as compared. */
static size_t spoil(int kind, size_t least, size_t most, uint64_t *seed, struct st_loss *ret)
{
    size_t from = 0, to = 0, n = 0;
    for (; n < FAULTS; n++) {
        const size_t frames = least + (size_t)(next_random(seed) % (most - least + 1));
        const size_t at = RATE * 12 + n * RATE * 3 / 2 + (size_t)(next_random(seed) % RATE);
        memcpy(back + 2 * to, played + 2 * from, (at - to) * 2 * sizeof(float));
        from += at - to;
        to = at;
        ret[n] =
            (struct st_loss){.kind = (enum st_loss_kind)kind, .at_frame = at + LAG + DELAY, .frames = frames};
        if (kind == ST_LOSS_LOST) {
            from += frames;
        } else if (kind == ST_LOSS_REPEATED) {
            from -= frames;
        } else if (kind == SWAPPED) {
            memcpy(back + 2 * to, played + 2 * (from + frames), frames * 2 * sizeof(float));
            memcpy(back + 2 * (to + frames), played + 2 * from, frames * 2 * sizeof(float));
            from += 2 * frames;
            to += 2 * frames;
            ret[n].kind = ST_LOSS_CORRUPTED;
            ret[n].frames = 2 * frames;
        } else {
            for (size_t i = 0; i < 2 * frames; i++)
                back[2 * to + i] = kind == ST_LOSS_ZEROED ? 0 : (float)(0.3 * (2 * next_share(seed) - 1));
            from += frames;
            to += frames;
        }
    }
    memcpy(back + 2 * to, played + 2 * from, (FRAMES - (from > to ? from : to)) * 2 * sizeof(float));
    return n;
}

static bool is_right(const struct st_loss *loss, const struct st_loss *truth, uint64_t slack, uint64_t place)
{
    return loss->kind == truth->kind && truth->at_frame + place >= loss->at_frame &&
           truth->at_frame <= loss->at_frame + loss->within_frames + place &&
           loss->frames + slack >= truth->frames && loss->frames <= truth->frames + slack;
}

static bool is_near(uint64_t at, uint64_t truth)
{
    return at + 100 > truth && at < truth + 100;
}

static void expect(const char *name, enum st_path_class path_class, const struct st_loss *faults, size_t n,
                   uint64_t slack, uint64_t place)
{
    bool right = result.path_class == path_class && st_hearing_valid(&result) && result.losses_n == n;
    for (size_t i = 0; right && i < n; i++)
        right = is_right(&result.losses[i], &faults[i], slack, place);
    if (!right) {
        explain(name, faults, n);
        fail();
    }
}

static void every_fault_is_found_exactly_where_samples_come_back(void **state)
{
    (void)state;
    static const size_t least[] = {1, 40, 960}, most[] = {3, 50, 5000};
    uint64_t seed = 4711;
    for (int kind = 0; kind <= SWAPPED; kind++) {
        for (size_t i = 0; i < 3; i++) {
            struct st_loss faults[FAULTS];
            make_tune(played, FRAMES, RATE, seed + 1);
            const size_t n = spoil(kind, least[i], kind == SWAPPED && i == 2 ? 4000 : most[i], &seed, faults);
            listen(played, back, FRAMES, LAG, seed);
            expect("exact", ST_PATH_EXACT, faults, n, 2, 24);
        }
    }
}

/* Turned over, softer, noise 100 dB below full scale. */
static void turn_and_add_noise(uint64_t *noise)
{
    for (size_t i = 0; i < 2 * FRAMES; i++)
        back[i] = (float)(-0.3 * ((double)back[i] + 1e-5 * next_normal(noise)));
}

/* To 16 bits. */
static void dither(uint64_t *noise)
{
    for (size_t i = 0; i < 2 * FRAMES; i++)
        back[i] =
            (float)(floor((double)back[i] * 32768 + next_share(noise) - next_share(noise) + 0.5) / 32768);
}

static void and_with_another_volume_and_noise_or_dither(void **state)
{
    (void)state;
    static void (*const paths[])(uint64_t *) = {turn_and_add_noise, dither};
    uint64_t seed = 8111;
    make_tune(played, FRAMES, RATE, seed + 1);
    for (int kind = 0; kind <= SWAPPED; kind++) {
        for (size_t i = 0; i < 2; i++) {
            struct st_loss faults[FAULTS];
            const size_t n = spoil(kind, 100, 4000, &seed, faults);
            paths[i](&seed);
            listen(played, back, FRAMES, LAG, seed);
            expect(i == 0 ? "noise" : "dither", ST_PATH_MUSIC_LINEAR, faults, n, 96, 96);
        }
    }
}

/* Between samples, by 64 of them, at another clock. */
static void convert(double ratio)
{
    static const double pi = 3.141592653589793;
    static float from[2 * FRAMES];
    double cosines[64], sines[64]; /* of the window, by k: sin and cos of a difference take no more calls */
    for (int k = -31; k <= 32; k++) {
        cosines[k + 31] = cos(pi * k / 32.5);
        sines[k + 31] = sin(pi * k / 32.5);
    }
    memcpy(from, back, sizeof(from));
    for (size_t i = 0; i < FRAMES; i++) {
        const double at = (double)i * ratio + 40.37;
        const long whole = (long)floor(at);
        const double part = at - (double)whole;
        const double sine = sin(pi * part) / pi;
        const double cosine_part = cos(pi * part / 32.5), sine_part = sin(pi * part / 32.5);
        double left = 0, right = 0;
        for (long k = -31; k <= 32; k++) {
            if (whole + k < 0 || whole + k >= (long)FRAMES)
                continue;
            const double far = part - (double)k;
            const double window = 0.5 + 0.5 * (cosine_part * cosines[k + 31] + sine_part * sines[k + 31]);
            const double by = fabs(far) < 1e-12 ? 1 : (k % 2 == 0 ? sine : -sine) / far * window;
            left += by * (double)from[2 * (whole + k)];
            right += by * (double)from[2 * (whole + k) + 1];
        }
        back[2 * i] = (float)left;
        back[2 * i + 1] = (float)right;
    }
}

static void another_clock_is_followed(void **state)
{
    (void)state;
    static const double ratios[] = {1, 1.0003, 0.9997};
    uint64_t seed = 31337;
    make_tune(played, FRAMES, RATE, seed + 1);
    for (int kind = 0; kind <= SWAPPED; kind++) {
        const double ratio = ratios[kind % 3];
        struct st_loss faults[FAULTS];
        const size_t n = spoil(kind, 1000, kind == SWAPPED ? 1400 : 4000, &seed, faults);
        for (size_t j = 0; j < n; j++)
            faults[j].at_frame =
                (uint64_t)(((double)(faults[j].at_frame - LAG - DELAY) - 40) / ratio) + LAG + DELAY;
        convert(ratio);
        listen(played, back, FRAMES, LAG, seed);
        expect("clock", ST_PATH_MUSIC_CONVERTED, faults, n, 480, 960);
        if (ratio == 1 ? !isnan(result.drift_ppm) : !(fabs(result.drift_ppm - (ratio - 1) * 1e6) <= 20))
            fail_msg("drift %.1f ppm", result.drift_ppm);
    }
}

/* Cymbals: half a frame away, treble has little in common with whole frames. */
static void a_loss_amid_treble_is_found_at_once(void **state)
{
    (void)state;
    uint64_t seed = 53;
    for (int run = 0; run < 4; run++) {
        const double ratio = run % 2 == 0 ? 1 : 1.0001;
        struct st_loss faults[FAULTS];
        make_tune(played, FRAMES, RATE, 35);
        for (size_t i = run < 2 ? 0 : (size_t)2 * 11 * RATE; i < 2 * FRAMES; i++)
            played[i] += (float)(0.1 * (2 * next_share(&seed) - 1));
        const size_t n = spoil(run % 2 == 0 ? ST_LOSS_LOST : ST_LOSS_REPEATED, 960, 2000, &seed, faults);
        for (size_t j = 0; j < n; j++)
            faults[j].at_frame =
                (uint64_t)(((double)(faults[j].at_frame - LAG - DELAY) - 40) / ratio) + LAG + DELAY;
        convert(ratio);
        listen(played, back, FRAMES, LAG, seed);
        expect("treble", ST_PATH_MUSIC_CONVERTED, faults, n, 2, 480);
    }
}

/* Where the clocks are after it is only guessed. */
static void treble_after_a_pause_is_no_loss(void **state)
{
    (void)state;
    static const double ratios[] = {1.0001, 0.9997, 1.0009, 0.9991};
    uint64_t seed = 59;
    for (size_t run = 0; run < ST_ARRAY_LEN(ratios); run++) {
        make_tune(played, FRAMES, RATE, 36);
        for (size_t i = 0; i < FRAMES; i++) {
            const bool pause = i > (size_t)12 * RATE && i / RATE % 2 == 0;
            const float noise = i % RATE < RATE / 4 ? (float)(0.2 * (2 * next_share(&seed) - 1)) : 0;
            for (size_t c = 0; c < 2; c++)
                played[2 * i + c] = pause ? 0 : 0.3F * played[2 * i + c] + noise;
        }
        memcpy(back, played, sizeof(back));
        convert(ratios[run]);
        listen(played, back, FRAMES, LAG, seed);
        expect("pause", ST_PATH_MUSIC_CONVERTED, NULL, 0, 0, 0);
    }
}

static void says(enum st_remark remark)
{
    if (!result.remarks[remark] || result.losses_n > 0) {
        explain(st_hearing_remarks[remark].name, NULL, 0);
        fail();
    }
}

static void what_is_no_loss_is_said_and_not_counted(void **state)
{
    (void)state;
    uint64_t seed = 77;
    const size_t at = (size_t)13 * RATE;
    make_tune(played, FRAMES, RATE, 5);
    memcpy(back, played, sizeof(back));
    for (size_t i = 2 * at; i < 2 * FRAMES; i++) /* another volume */
        back[i] *= 0.7F;
    listen(played, back, FRAMES, LAG, 1);
    says(ST_REMARK_VOLUME);
    assert_true(st_hearing_valid(&result) && result.path_class == ST_PATH_MUSIC_LINEAR);
    memcpy(back, played, sizeof(back));
    for (size_t i = 2 * at; i < 2 * at + 2 * RATE; i++) /* another program, as loud as the music */
        back[i] += (float)(0.1 * sin((double)(i / 2) * 0.1) + 0.02 * next_normal(&seed));
    listen(played, back, FRAMES, LAG, 2);
    says(ST_REMARK_MIXED);
    assert_true(st_hearing_valid(&result));
    make_tune(back, FRAMES, RATE, 6); /* other music */
    listen(played, back, FRAMES, LAG, 3);
    says(ST_REMARK_EFFECTS);
    assert_false(st_hearing_valid(&result) || result.remarks[ST_REMARK_QUIET]);
    memset(back, 0, sizeof(back));
    listen(played, back, FRAMES, LAG, 4);
    says(ST_REMARK_SILENT);
    listen(back, back, FRAMES, LAG, 4);
    says(ST_REMARK_QUIET);
    assert_false(result.remarks[ST_REMARK_SILENT]); /* nothing was played */
    assert_true(result.heard_s == 0 && result.unheard_s == SECONDS);
    for (size_t i = 0; i < 2 * FRAMES; i++) /* without a pause, but hardly to be heard */
        back[i] = played[i] * 1e-5F;
    listen(back, back, FRAMES, LAG, 4);
    says(ST_REMARK_QUIET);
    assert_non_null(strstr(st_hearing_remarks[ST_REMARK_QUIET].text, " too little, too quiet, or one tone:"));
    for (size_t i = 0; i < 2 * FRAMES; i++) /* a tone, of 480 frames: where it is no one can tell */
        played[i] = (float)(0.3 * sin(6.283185307179586 * (double)(i / 2 % 480) / 480));
    listen(played, played, FRAMES, LAG, 5);
    assert_true(!st_hearing_valid(&result) && result.losses_n == 0 && result.heard_s == 0);
    make_tune(played, FRAMES, RATE, 7);
    memcpy(back, played, sizeof(back));
    for (size_t i = 0; i < 2 * FRAMES; i++)
        back[i] = fmaxf(-1, fminf(1, 4 * back[i]));
    listen(played, back, FRAMES, LAG, 6);
    says(ST_REMARK_OVERDRIVEN);
    assert_true(st_hearing_valid(&result));
}

/* A second at full scale: what is left out of it moves the music behind, the rest of it no one could hear. */
static void an_overdriven_second_is_not_heard(void **state)
{
    (void)state;
    const size_t at = (size_t)13 * RATE, lost = 1000;
    for (size_t gone = 0; gone <= lost; gone += lost) {
        make_tune(played, FRAMES, RATE, 7);
        memcpy(back, played, sizeof(back));
        memmove(back + 2 * at, back + 2 * (at + gone), 2 * (FRAMES - at - gone) * sizeof(float));
        listen(played, back, FRAMES, LAG, 6);
        const double unheard_s = result.unheard_s;
        for (size_t i = 2 * (at - RATE / 2); i < 2 * (at + RATE / 2); i++)
            back[i] = i / 100 % 2 == 0 ? 1 : -1;
        listen(played, back, FRAMES, LAG, 6);
        assert_true(result.remarks[ST_REMARK_OVERDRIVEN] && st_hearing_valid(&result));
        assert_int_equal(result.losses_n, gone > 0);
        assert_true(gone == 0 || (result.losses[0].kind == ST_LOSS_LOST && result.losses[0].frames == lost));
        assert_true(result.unheard_s > unheard_s + 0.99 && result.unheard_s < unheard_s + 1.01);
    }
}

/* Another program plays for a second, or for three: longer than the clocks stay within a frame. In the place
 * of the music it is a loss. */
static void so_is_other_sound_with_clocks_apart(void **state)
{
    (void)state;
    static const double ratios[] = {1, 1.0001, 0.9997, 1.0009, 0.9991};
    uint64_t seed = 61;
    make_tune(played, FRAMES, RATE, 37);
    for (size_t run = 0; run < 3 * ST_ARRAY_LEN(ratios); run++) {
        const bool instead = run % 3 == 2;
        const size_t at = (size_t)13 * RATE, n = (run % 3 == 0 ? 1 : 3) * (size_t)RATE;
        const struct st_loss *loss = &result.losses[0];
        memcpy(back, played, sizeof(back));
        for (size_t i = 2 * at; i < 2 * (at + n); i++)
            back[i] = (instead ? 0 : back[i]) +
                      (float)(0.1 * sin((double)(i / 2) * 0.1) + 0.02 * next_normal(&seed));
        convert(ratios[run / 3]);
        listen(played, back, FRAMES, LAG, 2);
        if (!instead)
            says(ST_REMARK_MIXED);
        else if (result.losses_n != 1 || loss->kind != ST_LOSS_CORRUPTED || loss->frames < RATE ||
                 !is_near(loss->at_frame, (uint64_t)((double)(at - 40) / ratios[run / 3]) + LAG + DELAY))
            fail_msg("run %zu: not found", run);
        assert_true(st_hearing_valid(&result) && result.path_class == ST_PATH_MUSIC_CONVERTED);
    }
}

/* Treble is missing: drums differ from what was played for longer than 2 ms. */
static void what_a_path_filters_is_no_loss(void **state)
{
    (void)state;
    make_tune(played, FRAMES, RATE, 24);
    for (size_t i = 0; i < 2 * FRAMES; i++)
        back[i] = 0.6F * played[i] + (i < 2 ? 0 : 0.4F * played[i - 2]);
    listen(played, back, FRAMES, LAG, 1);
    if (result.losses_n > 0) {
        explain("filter", NULL, 0);
        fail();
    }
}

/* Cycles that this program missed: nothing is known of them, and what comes later is compared. */
static void a_gap_is_not_judged(void **state)
{
    (void)state;
    float frame[4];
    make_tune(played, FRAMES, RATE, 9);
    st_hearing_init_music(&hearing, RATE, 2, 11);
    for (size_t i = 0; i < FRAMES; i++) {
        if (i == 14 * RATE || i == 16 * RATE) { /* the music went on, or it did not */
            st_hearing_gap(&hearing, 9000);
            i += 9000;
        }
        const size_t moved = i > 16 * RATE ? 500 : 0;
        for (size_t c = 0; c < 2; c++) {
            frame[c] = played[2 * i + c];
            frame[2 + c] = i > LAG ? played[2 * (i - LAG - moved) + c] : 0;
        }
        st_hearing_take(&hearing, frame, 1);
    }
    st_hearing_end(&hearing, NULL, 0, &result);
    if (!st_hearing_valid(&result) || result.losses_n > 0 || result.heard_s < 16.5) {
        explain("gap", NULL, 0);
        fail();
    }
}

/* From 13 s on, and it does not come back. */
static void a_path_that_dies_is_a_loss(void **state)
{
    (void)state;
    uint64_t seed = 19;
    const size_t at = (size_t)13 * RATE;
    make_tune(played, FRAMES, RATE, 21);
    for (int sound = 0; sound < 2; sound++) {
        memcpy(back, played, sizeof(back));
        for (size_t i = 2 * at; i < 2 * FRAMES; i++)
            back[i] = sound ? (float)(0.1 * next_normal(&seed)) : 0;
        listen(played, back, FRAMES, LAG, 1);
        const struct st_loss *loss = &result.losses[0];
        if (!st_hearing_valid(&result) || result.losses_n != 1 ||
            !is_near(loss->at_frame, at + LAG + DELAY) ||
            loss->kind != (sound ? ST_LOSS_CORRUPTED : ST_LOSS_ZEROED) || loss->frames < RATE ||
            result.remarks[ST_REMARK_CONTACT] != sound) {
            explain(sound ? "other sound" : "silence", NULL, 0);
            fail();
        }
    }
    memcpy(back, played, sizeof(back)); /* so does the music: a pause */
    memset(played + 2 * at, 0, sizeof(played) - 2 * at * sizeof(float));
    memset(back + 2 * at, 0, sizeof(back) - 2 * at * sizeof(float));
    listen(played, back, FRAMES, LAG, 1);
    assert_true(st_hearing_valid(&result) && result.losses_n == 0);
}

static void music_that_ends_before_all_glitches_were_forced_is_invalid(void **state)
{
    (void)state;
    const size_t at = (size_t)6 * RATE;
    make_tune(played, FRAMES, RATE, 22);
    memset(played + 2 * at, 0, sizeof(played) - 2 * at * sizeof(float));
    listen(played, played, FRAMES, LAG, 1);
    assert_true(result.forced_n > 0 && result.forced_found_n == result.forced_n);
    says(ST_REMARK_QUIET);
    assert_false(st_hearing_valid(&result));
}

/* Sample by sample at first, then converted; or first converted. */
static void the_class_is_that_of_the_worst_part(void **state)
{
    (void)state;
    static float whole[2 * FRAMES];
    const size_t at = (size_t)11 * RATE;
    make_tune(played, FRAMES, RATE, 23);
    for (int first = 0; first < 2; first++) {
        memcpy(back, played, sizeof(back));
        convert(1);
        memcpy(whole, first ? played : back, sizeof(whole));
        memcpy(whole + 2 * at, (first ? back : played) + 2 * (at - 60 * RATE / 50),
               sizeof(whole) - 2 * at * sizeof(float));
        listen(played, whole, FRAMES, 9000, 1);
        if (result.path_class != ST_PATH_MUSIC_CONVERTED) {
            explain("worst", NULL, 0);
            fail();
        }
    }
}

/* It is longer than what is kept; a jump of the clock is no time. */
static void places_behind_a_long_gap_are_right(void **state)
{
    (void)state;
    const uint64_t gaps[] = {20 * RATE + 77, UINT64_C(12) * 3600 * RATE};
    const size_t at = (size_t)13 * RATE, loss_at = (size_t)18 * RATE;
    float frame[4];
    make_tune(played, FRAMES, RATE, 34);
    memcpy(back, played, sizeof(back));
    memset(back + 2 * (loss_at - LAG), 0, (size_t)2 * RATE / 10 * sizeof(float));
    for (size_t run = 0; run < ST_ARRAY_LEN(gaps); run++) {
        st_hearing_init_music(&hearing, RATE, 2, 11);
        for (size_t i = 0; i < FRAMES; i++) {
            if (i == at)
                st_hearing_gap(&hearing, gaps[run]);
            for (size_t c = 0; c < 2; c++) {
                frame[c] = played[2 * i + c];
                frame[2 + c] = i > LAG ? back[2 * (i - LAG) + c] : 0;
            }
            st_hearing_take(&hearing, frame, 1);
        }
        st_hearing_end(&hearing, NULL, 0, &result);
        if (!st_hearing_valid(&result) || result.losses_n != 1 ||
            !is_near(result.losses[0].at_frame, gaps[run] + loss_at + DELAY) ||
            result.heard_s + result.unheard_s > SECONDS + (run == 0 ? 21 : 60)) {
            explain("long gap", NULL, 0);
            fail();
        }
    }
}

/* Plays `played` and `back`, which comes LAG later, with gaps of 9000 frames. @param every  frames between
 * them, from 3 s on @param until  no gap later */
static void listen_with_gaps(size_t every, size_t until, uint64_t chance)
{
    float frame[4];
    st_hearing_init_music(&hearing, RATE, 2, chance);
    for (size_t i = 0; i < FRAMES; i++) {
        if (i >= 3 * RATE && i < until && i % every == 0) {
            st_hearing_gap(&hearing, 9000);
            i += 9000;
        }
        for (size_t c = 0; c < 2; c++) {
            frame[c] = played[2 * i + c];
            frame[2 + c] = i > LAG ? back[2 * (i - LAG) + c] : 0;
        }
        st_hearing_take(&hearing, frame, 1);
    }
    st_hearing_end(&hearing, NULL, 0, &result);
}

static void no_glitch_is_forced_where_a_gap_hides_it(void **state)
{
    (void)state;
    make_tune(played, FRAMES, RATE, 31);
    memcpy(back, played, sizeof(back));
    for (uint64_t chance = 0; chance < 9; chance++) {
        if (chance == 8)
            convert(1.0003);
        listen_with_gaps((size_t)RATE * (chance < 8 ? 3 : 5) / 2 + (size_t)chance * 131, FRAMES, chance);
        if (result.forced_n < (chance < 8 ? 3 : 1) || result.forced_found_n < result.forced_n ||
            result.losses_n > 0) {
            explain("gaps", NULL, 0);
            fail();
        }
    }
}

/* It begins while nothing is known, and lasts for 50 ms of what counts as heard. */
static void damage_right_after_a_gap_is_a_loss(void **state)
{
    (void)state;
    const size_t gap = (size_t)14 * RATE, seen = gap + 9000 + LAG + 2 * DELAY;
    make_tune(played, FRAMES, RATE, 32);
    memcpy(back, played, sizeof(back));
    memset(back + 2 * (gap - LAG), 0, (seen + 2400 - gap) * 2 * sizeof(float));
    listen_with_gaps(gap, gap + 1, 2);
    if (!st_hearing_valid(&result) || result.losses_n != 1 || result.losses[0].kind != ST_LOSS_ZEROED ||
        !is_near(result.losses[0].at_frame + result.losses[0].frames, seen + 2400 + DELAY)) {
        explain("after a gap", NULL, 0);
        fail();
    }
}

/* The path stops, and goes on with another volume, or with noise. */
static void a_loss_before_another_volume_counts(void **state)
{
    (void)state;
    uint64_t seed = 41;
    const size_t at = (size_t)13 * RATE, n = RATE / 2;
    make_tune(played, FRAMES, RATE, 33);
    for (int path = 0; path < 3; path++) {
        const bool noise = path == 1, ramp = path == 2;
        memcpy(back, played, sizeof(back));
        for (size_t i = 2 * at; i < 2 * FRAMES; i++) {
            const size_t since = i / 2 - at;
            if (ramp)
                back[i] *= 1 - 0.05F * fminf((float)since / 960, 1);
            else if (since < n)
                back[i] = noise ? (float)(0.1 * next_normal(&seed)) : 0;
            else
                back[i] = noise ? back[i] + (float)(1e-5 * next_normal(&seed)) : 0.7F * back[i];
        }
        listen(played, back, FRAMES, LAG, 1);
        const struct st_loss *loss = &result.losses[0];
        if (!st_hearing_valid(&result) || !result.remarks[ST_REMARK_VOLUME] || result.losses_n != !ramp ||
            (!ramp && (loss->kind != (noise ? ST_LOSS_CORRUPTED : ST_LOSS_ZEROED) ||
                       !is_near(loss->at_frame, at + LAG + DELAY) || !is_near(loss->frames, n)))) {
            explain(ramp ? "ramp" : noise ? "noise" : "volume", NULL, 0);
            fail();
        }
    }
}

enum { PATHS = 3 };

/* The same music over three paths at once: as it is; softer with noise; converted. @param at  which music,
 * and how far the clocks are apart */
static void hear_three_paths(struct st_hearing *paths, long at, uint64_t seconds, uint64_t *noise)
{
    enum { PART = 256 };
    static struct converter converter; /* to a clock that is up to 850 ppm off */
    static float frames[PATHS][4 * PART];
    struct tune tune;
    tune_begin(&tune, RATE, (uint64_t)(at + 12));
    const double ppm = (double)(at / 10 % 18 * 100) - 850;
    converter_begin(&converter, 1 + ppm * 1e-6, ppm < 0 ? 1000 : 30000);
    for (size_t path = 0; path < PATHS; path++)
        st_hearing_init_music(&paths[path], RATE, 2, (uint64_t)at);
    for (uint64_t i = 0; i < seconds * RATE; i++) {
        float *const to[PATHS] = {&frames[0][4 * (i % PART)], &frames[1][4 * (i % PART)],
                                  &frames[2][4 * (i % PART)]};
        tune_frame(&tune, to[0]);
        converter_put(&converter, to[0]);
        converter_take(&converter, to[2] + 2);
        for (size_t c = 0; c < 2; c++) {
            to[1][c] = to[2][c] = to[0][c];
            to[0][c + 2] = converter.past[c][(i + CONVERTER_PAST - 3000) % CONVERTER_PAST];
            to[1][c + 2] = 0.5F * to[0][c + 2] + (float)(1e-5 * (2 * next_share(noise) - 1));
        }
        for (size_t path = 0; path < PATHS && i % PART == PART - 1; path++)
            st_hearing_take(&paths[path], frames[path], PART);
    }
}

static struct st_hearing three[PATHS];

/* 8 ms after its begin the music fades away: the rest of the silence of 20 ms is no other sound than the
 * music. */
static void a_forced_silence_may_end_in_quiet_music(void **state)
{
    (void)state;
    uint64_t noise = 3;
    hear_three_paths(three, 4020, 12, &noise);
    st_hearing_end(&three[2], NULL, 0, &result);
    assert_int_equal(result.path_class, ST_PATH_MUSIC_CONVERTED);
    assert_true(st_hearing_valid(&result));
    assert_int_equal(result.losses_n, 0);
}

/* Where music repeats itself it is at a wrong place for 0.2 s at first. */
static void a_loss_whose_length_is_corrected_is_one(void **state)
{
    (void)state;
    uint64_t noise = 3;
    hear_three_paths(three, 8260, 12, &noise);
    st_hearing_end(&three[2], NULL, 0, &result);
    assert_int_equal(result.path_class, ST_PATH_MUSIC_CONVERTED);
    assert_true(st_hearing_valid(&result));
    assert_int_equal(result.losses_n, 0); /* the forced ones are none */
}

/* Ten minutes each. */
static void no_loss_where_there_is_none(long first, long minutes)
{
    enum { EACH = 10 };
    double heard_s[PATHS] = {0};
    size_t false_n[PATHS] = {0}, invalid_n[PATHS] = {0};
    uint64_t noise = 3;
    for (long at = first; at < minutes; at += EACH) {
        hear_three_paths(three, at, EACH * 60, &noise);
        for (size_t path = 0; path < PATHS; path++) {
            st_hearing_end(&three[path], NULL, 0, &result);
            heard_s[path] += result.heard_s;
            false_n[path] += result.losses_n;
            invalid_n[path] += !st_hearing_valid(&result);
            if (result.losses_n > 0 || !st_hearing_valid(&result)) {
                memcpy(&hearing, &three[path], sizeof(hearing));
                explain("false", NULL, 0);
            }
            print_message("path %zu: %s, %.3f h heard of %ld min, %zu false, %zu runs invalid\n", path,
                          st_hearing_classes[result.path_class].name, heard_s[path] / 3600, at + EACH - first,
                          false_n[path], invalid_n[path]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_found_exactly_where_samples_come_back),
        cmocka_unit_test(and_with_another_volume_and_noise_or_dither),
        cmocka_unit_test(another_clock_is_followed),
        cmocka_unit_test(a_loss_amid_treble_is_found_at_once),
        cmocka_unit_test(treble_after_a_pause_is_no_loss),
        cmocka_unit_test(what_is_no_loss_is_said_and_not_counted),
        cmocka_unit_test(an_overdriven_second_is_not_heard),
        cmocka_unit_test(so_is_other_sound_with_clocks_apart),
        cmocka_unit_test(what_a_path_filters_is_no_loss),
        cmocka_unit_test(a_gap_is_not_judged),
        cmocka_unit_test(a_path_that_dies_is_a_loss),
        cmocka_unit_test(music_that_ends_before_all_glitches_were_forced_is_invalid),
        cmocka_unit_test(the_class_is_that_of_the_worst_part),
        cmocka_unit_test(no_glitch_is_forced_where_a_gap_hides_it),
        cmocka_unit_test(damage_right_after_a_gap_is_a_loss),
        cmocka_unit_test(places_behind_a_long_gap_are_right),
        cmocka_unit_test(a_loss_before_another_volume_counts),
        cmocka_unit_test(a_forced_silence_may_end_in_quiet_music),
        cmocka_unit_test(a_loss_whose_length_is_corrected_is_one),
    };
    if (argc > 1) {
        no_loss_where_there_is_none(argc > 2 ? atol(argv[2]) : 0, atol(argv[1]));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
