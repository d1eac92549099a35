/* Losses of sound in what a stream plays: tones with holes, and music that has silence of its own.
 * With HOURS of each scene as argument it counts what is found in simulated sound without a loss
 * (docs/results.md); a tenth of a minute of each otherwise. */
#include "core/base.h"
#include "tests/unit/unit.h"
#include "xruns/helpers/listened.h"
#include "xruns/helpers/silence.h"

#define RATE  48000
#define MS    (RATE / 1000)
#define CYCLE 256

/* A stream, cut into cycles. */
static struct player {
    struct st_silence silence;
    int64_t position;
    size_t cycle, filled;
    float buffer[2048];
    struct st_silence_find finds[64];
    int n, whole_n, rare_n;
    struct st_listened listened[2]; /* as of a client of PulseAudio, and of the ALSA plug-in */
    int64_t reported_n[2], exact_n[2];
} player;

static int64_t ns_of(int64_t frames)
{
    return (int64_t)((double)frames * 1e9 / RATE);
}

static void on_found(void *ctx, const struct st_silence_find *find)
{
    player.finds[player.n++ % 64] = *find;
    player.whole_n += find->whole;
    player.rare_n += find->whole && find->rare;
    for (int i = 0; i < 2; i++)
        st_listened_find(&player.listened[i], ns_of(find->begin), ns_of(find->end - find->begin),
                         (find->whole ? ST_LISTENED_WHOLE : 0) |
                             (find->rare ? ST_LISTENED_RARE : 0) |
                             (find->own ? ST_LISTENED_OWN : 0));
}

static void flush(void)
{
    const struct st_silence_cycle cycle = {.position = player.position,
                                           .rate_hz = RATE,
                                           .frames = player.filled,
                                           .channels_n = 1,
                                           .channels = {player.buffer}};
    st_silence_take(&player.silence, &cycle, on_found, NULL);
    player.position += (int64_t)player.filled;
    player.filled = 0;
    for (int i = 0; i < 2; i++) {
        struct st_listened_loss loss;
        player.listened[i].plug_in = i == 1;
        if (st_listened_take(&player.listened[i], ns_of(player.position), &loss)) {
            player.reported_n[i] += loss.n;
            player.exact_n[i] += loss.certainty == ST_CERTAINTY_EXACT ? loss.n : 0;
        }
    }
}

static void put(float value)
{
    player.buffer[player.filled++] = value;
    if (player.filled == player.cycle)
        flush();
}

static void tone(int64_t frames)
{
    for (int64_t i = 0; i < frames; i++)
        put(0.3F * (float)sin(0.0577 * (double)(player.position + (int64_t)player.filled) + 0.01));
}

static void quiet(int64_t frames)
{
    for (int64_t i = 0; i < frames; i++)
        put(0);
}

static void align(void)
{
    while (player.filled > 0)
        tone(1);
}

/* A tone, a hole of whole cycles, a tone. */
static void hole(int64_t cycles, int64_t sound_ms)
{
    align();
    quiet(cycles * (int64_t)player.cycle);
    tone(sound_ms * MS);
}

static void play(size_t cycle)
{
    player = (struct player){.cycle = cycle, .position = 77777};
    tone(2000 * MS);
}

static int64_t length(int i)
{
    return player.finds[i].end - player.finds[i].begin;
}

static void holes_are_found_with_their_length(void **state)
{
    static const size_t cycles[] = {64, 256, 1024, 2048};
    ST_EACH (cycle, cycles) {
        play(*cycle);
        for (int64_t n = 1; n <= 5; n++)
            hole(n, 300);
        assert_int_equal(player.n, 5);
        assert_int_equal(player.whole_n, 5);
        for (int n = 0; n < 5; n++)
            assert_in_range(length(n), (n + 1) * (int64_t)*cycle, (n + 1) * (int64_t)*cycle + 1);
    }
}

static void less_than_20_ms_of_sound_between_two_makes_them_one(void **state)
{
    play(256);
    for (int n = 0; n < 10; n++) {
        hole(2, 10);
        align();
    }
    tone(100 * MS);
    assert_int_equal(player.n, 1);
    assert_in_range(length(0), 10 * 512 + 9 * 10 * MS, 10 * 512 + 9 * (10 * MS + 256) + 1);
}

static void who_writes_half_of_it_has_many(void **state)
{
    play(1024);
    for (int n = 0; n < 20; n++)
        hole(1, 22);
    tone(100 * MS);
    assert_int_equal(player.n, 20);
}

/* Cycles in which each channel that has sound is 0 now and then. */
static void two(int64_t cycles, bool left, bool right)
{
    static float channels[2][CYCLE];
    for (int64_t n = 0; n < cycles; n++) {
        for (int i = 0; i < CYCLE; i++) {
            channels[0][i] = left && i % 5 != 0 ? 0.3F : 0;
            channels[1][i] = right && i % 7 != 0 ? -0.2F : 0;
        }
        const struct st_silence_cycle cycle = {.position = player.position,
                                               .rate_hz = RATE,
                                               .frames = CYCLE,
                                               .channels_n = 2,
                                               .channels = {channels[0], channels[1]}};
        st_silence_take(&player.silence, &cycle, on_found, NULL);
        player.position += CYCLE;
    }
}

static void a_frame_is_silent_if_all_channels_are(void **state)
{
    player = (struct player){.position = 77777};
    two(2 * RATE / CYCLE, true, true);
    two(4, true, false);
    two(4, false, true);
    two(40, true, true);
    assert_int_equal(player.n, 0);
    two(4, false, false);
    two(40, true, true);
    assert_int_equal(player.n, 1);
    assert_in_range(length(0), 4 * CYCLE, 4 * CYCLE + 1);
}

/* As the ALSA plug-in does: it begins anywhere. */
static void one_that_begins_in_a_cycle_is_not_whole(void **state)
{
    play(1024);
    align();
    tone(400);
    quiet(1024 - 400 + 2 * 1024);
    tone(300 * MS);
    assert_int_equal(player.n, 1);
    assert_int_equal(player.whole_n, 0);
    assert_in_range(length(0), 3 * 1024 - 400, 3 * 1024 - 400 + 2);
}

/* A program that cuts its own sound off within a cycle may do so at its ends, too, for five
 * minutes. */
static void who_cuts_itself_off_has_no_rare_ones(void **state)
{
    play(256);
    hole(4, 300);
    assert_int_equal(player.rare_n, 1);
    align();
    tone(100);
    quiet(100 * MS);
    hole(4, 300);
    assert_int_equal(player.whole_n, 2);
    assert_int_equal(player.rare_n, 1);
    tone(300 * RATE);
    hole(4, 300);
    assert_int_equal(player.rare_n, 2);
}

/* Its program was stopped, or it pauses between pieces: another sign has to tell. */
static void a_long_one_is_found_and_is_not_rare(void **state)
{
    static const int tenths[] = {14, 16, 30, 48};
    play(256);
    for (int i = 0; i < (int)ST_ARRAY_LEN(tenths); i++) {
        hole(tenths[i] * RATE / 10 / 256, 6000);
        assert_int_equal(player.n, i + 1);
        assert_in_range(length(i), tenths[i] * RATE / 10 - 256, tenths[i] * RATE / 10 + 1);
    }
    assert_int_equal(player.whole_n, 4);
    assert_int_equal(player.rare_n, 1);
    align();
    tone(100);
    quiet(3000 * MS + 10); /* it casts no doubt on the next one */
    tone(6000 * MS);
    hole(4, 300);
    assert_int_equal(player.rare_n, 2);
}

static void missing_cycles_are_as_what_was_before(void **state)
{
    play(256);
    align();
    quiet(512);
    player.position += 4 * 256;
    quiet(256);
    tone(300 * MS);
    assert_int_equal(player.n, 1);
    assert_in_range(length(0), 7 * 256, 7 * 256 + 1);
    align();
    player.position += 4 * 256; /* in sound */
    tone(300 * MS);
    assert_int_equal(player.n, 1);
    align();
    quiet(256);
    player.position = 5; /* another driver */
    quiet(256);
    tone(300 * MS);
    assert_int_equal(player.n, 1);
}

static void a_fade_of_5_ms_is_cut_off(void **state)
{
    play(256);
    align();
    for (int i = 0; i < 256; i++)
        put(0.3F * (float)(255 - i) / 255);
    quiet(512);
    for (int i = 0; i < 256; i++)
        put(0.3F * (float)(i + 1) / 256);
    tone(300 * MS);
    assert_int_equal(player.n, 1);
}

static void silence_of_the_music_is_none(void **state)
{
    play(256);
    align();
    for (int i = 0; i < 190 * 256; i++) /* it dies away, and comes back with a cycle */
        put(roundf(8000 * expf(-(float)i / 4000)) / 32768);
    quiet(256 * 40);
    tone(300 * MS);
    assert_int_equal(player.n, 0);
    align();
    quiet(256 * 40);
    for (int i = 0; i < RATE; i++) /* it comes back slowly */
        put(0.3F * (float)i / RATE);
    assert_int_equal(player.n, 0);
    tone(RATE);
    align();
    quiet(1000); /* it comes back within a cycle */
    tone(RATE);
    assert_int_equal(player.n, 0);
    hole(6 * RATE / 256, 300); /* a pause */
    assert_int_equal(player.n, 0);
    player = (struct player){.cycle = 256};
    tone(300 * MS); /* too new */
    hole(3, 300);
    assert_int_equal(player.n, 0);
}

static void what_is_no_sound_is_taken(void **state)
{
    play(256);
    float values[256];
    for (int i = 0; i < 256; i++)
        values[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? -INFINITY : -0.0F;
    memcpy(player.buffer, values, sizeof(values));
    player.filled = 256;
    flush();
    hole(2, 300);
}

/* --- sound without a loss --- */

static uint64_t seed = 88172645463325252U;

static uint64_t number(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return below > 0 ? (seed >> 11) % below : 0;
}

static float noise(void)
{
    return (float)((int64_t)number(65536) - 32768) / 32768;
}

/* As a file of 16 bit has it: what is softer is 0. */
static void put_16(float value)
{
    put((float)(int)(value * 32767) / 32768);
}

/* Sound of a level that comes in `in` and goes in `out` frames. */
static void sound(int64_t frames, float level, int64_t in, int64_t out)
{
    float low = 0;
    for (int64_t i = 0; i < frames; i++) {
        const float gain = (i < in ? (float)i / (float)in : 1) *
                           (i >= frames - out ? (float)(frames - 1 - i) / (float)out : 1);
        low += (noise() - low) * 0.3F;
        put_16(gain * level * low);
    }
}

/* One that dies away, as strings and drums do. */
static void note(int64_t frames, float level)
{
    float low = 0, gain = level;
    const float less = expf(-10.0F / (float)frames);
    for (int64_t i = 0; i < frames; i++, gain *= less) {
        low += (noise() - low) * 0.3F;
        put_16(gain * low);
    }
}

static void music(void)
{
    for (uint64_t i = number(40); i > 0; i--)
        note((int64_t)(50 + number(800)) * MS, 0.1F + (float)number(80) / 100);
    quiet((int64_t)(1 + number(3000)) * MS + (int64_t)number(MS));
}

/* With rests that are cut into it, as in electronic music: at once or within 5 ms. */
static void stops(void)
{
    sound((int64_t)(300 + number(4000)) * MS, 0.8F, (int64_t)number(MS),
          number(2) ? (int64_t)number(5 * MS) : 0);
    quiet((int64_t)(20 + number(500)) * MS + (int64_t)number(MS));
}

static void speech(void)
{
    for (uint64_t i = number(12); i > 0; i--)
        sound((int64_t)(60 + number(300)) * MS, 0.3F, (int64_t)(2 + number(20)) * MS,
              (int64_t)(10 + number(80)) * MS);
    quiet((int64_t)(5 + number(1500)) * MS + (int64_t)number(MS)); /* a gate closes */
}

static void game(void)
{
    note((int64_t)(20 + number(1500)) * MS, 0.9F);
    if (number(10) == 0)
        sound((int64_t)(20 + number(200)) * MS, 0.9F, 0, 0); /* a sample that is cut off */
    quiet((int64_t)number(4000) * MS + (int64_t)number(MS));
}

/* The player corks its stream, throws away what it has written, and plays on elsewhere; or, as
 * browsers do, it has nothing to play until it has found the place, and says so with silence in its
 * own blocks of 10 ms.
 */
static void seeking(void)
{
    sound((int64_t)(5000 + number(120000)) * MS, 0.7F, 0, 0);
    if (number(2)) {
        align();
        player.silence = (struct st_silence){0};
        return;
    }
    while ((player.position + (int64_t)player.filled) % (10 * MS) != 0)
        put_16(0.7F * noise());
    quiet((int64_t)(1 + number(100)) * 10 * MS);
}

static void tracks(void)
{
    sound((int64_t)(5000 + number(60000)) * MS, 0.7F, (int64_t)number(200 * MS),
          number(3) ? (int64_t)number(4000 * MS) : 0);
    quiet((int64_t)number(3000) * MS + (int64_t)number(MS));
}

static void crossfades(void)
{
    sound((int64_t)(3000 + number(20000)) * MS, 0.7F, 3000 * MS, 0);
    sound(3000 * MS, 0.7F, 0, 2000 * MS);
}

/* To nothing, or so softly that 16 bit have only a few steps for it, and often none. */
static void fades(void)
{
    const int64_t out = (int64_t)(500 + number(9500)) * MS;
    sound(out + (int64_t)number(30000) * MS, 0.7F, (int64_t)number(3000 * MS), out);
    quiet((int64_t)number(2000) * MS + (int64_t)number(MS));
}

static void soft(void)
{
    sound((int64_t)(1000 + number(10000)) * MS, 0.5F, (int64_t)number(500 * MS),
          (int64_t)number(2000 * MS));
    for (uint64_t i = number(10); i > 0; i--) {
        sound((int64_t)(100 + number(3000)) * MS, 0.00003F * (float)(1 + number(60)),
              (int64_t)number(50 * MS), (int64_t)number(200 * MS));
        quiet((int64_t)number(200 * MS));
    }
}

/* Sixteenths of a bar of 90 to 150 beats a minute, at once or within 2 ms; then without the
 * gate. */
static void gated(void)
{
    const double step = RATE * 15.0 / (90 + (double)number(61));
    const double open = 0.4 + (double)number(50) / 100;
    const int64_t edge = number(2) ? (int64_t)number(2 * MS) : 0;
    double at = 0;
    for (uint64_t i = 16 * (1 + number(16)); i > 0; i--, at += step) {
        const int64_t begin = llrint(at), end = llrint(at + step * open), next = llrint(at + step);
        sound(end - begin, 0.6F, edge, edge);
        quiet(next - end);
    }
    sound((int64_t)(5000 + number(60000)) * MS, 0.6F, 0, 0);
}

/* A page that computes 128 frames at a time, and begins and cuts its beeps with them. */
static void blocks(void)
{
    while ((player.position + (int64_t)player.filled) % 128 != 0)
        put_16(0.5F * noise());
    sound((int64_t)(10 + number(300)) * 128, 0.5F, 0, 0);
    quiet((int64_t)(10 + number(800)) * 128);
}

static void ends(void)
{
    sound((int64_t)(500 + number(20000)) * MS, 0.7F, 0, 0);
    quiet((int64_t)(5001 + number(3000)) * MS);
    align();
}

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] = {
    {"music", music},     {"stops", stops},   {"speech", speech},         {"game", game},
    {"seeking", seeking}, {"tracks", tracks}, {"crossfades", crossfades}, {"ends", ends},
    {"fades", fades},     {"soft", soft},     {"gated", gated},           {"blocks", blocks}};

static void count(size_t scene, double hours)
{
    player = (struct player){.cycle = CYCLE};
    while ((double)player.position < hours * 3600 * RATE)
        scenes[scene].play();
}

static void sound_without_a_loss_has_none(void **state)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(scenes); i++) {
        count(i, 1.0 / 600);
        assert_int_equal(player.reported_n[0], 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_found_with_their_length),
        cmocka_unit_test(less_than_20_ms_of_sound_between_two_makes_them_one),
        cmocka_unit_test(who_writes_half_of_it_has_many),
        cmocka_unit_test(a_frame_is_silent_if_all_channels_are),
        cmocka_unit_test(one_that_begins_in_a_cycle_is_not_whole),
        cmocka_unit_test(who_cuts_itself_off_has_no_rare_ones),
        cmocka_unit_test(a_long_one_is_found_and_is_not_rare),
        cmocka_unit_test(missing_cycles_are_as_what_was_before),
        cmocka_unit_test(a_fade_of_5_ms_is_cut_off),
        cmocka_unit_test(silence_of_the_music_is_none),
        cmocka_unit_test(what_is_no_sound_is_taken),
        cmocka_unit_test(sound_without_a_loss_has_none),
    };
    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < ST_ARRAY_LEN(scenes); i++) {
        if (argc > 2 && strcmp(argv[2], scenes[i].name) != 0)
            continue;
        count(i, strtod(argv[1], NULL));
        printf("%-10s %.1f h, frames of a cycle %d: reported %d (as exact %d), as of the ALSA "
               "plug-in %d (%d); "
               "found %d, whole %d, whole and rare %d\n",
               scenes[i].name, (double)player.position / RATE / 3600, CYCLE,
               (int)player.reported_n[0], (int)player.exact_n[0], (int)player.reported_n[1],
               (int)player.exact_n[1], player.n, player.whole_n, player.rare_n);
        fflush(stdout);
    }
    return 0;
}
