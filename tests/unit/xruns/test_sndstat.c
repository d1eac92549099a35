/* Xruns from the counters of sound(4)'s channels, which begin anew. */
#include "tests/unit/unit.h"
#include "xruns/sndstat.h"

static struct st_snd_counters counters;
static int64_t device_n, dropouts_n, fragments_n;
static char client[ST_XRUN_NAME_BYTES], device[ST_XRUN_NAME_BYTES];

static int setup(void **state)
{
    device_n = dropouts_n = fragments_n = 0;
    counters = (struct st_snd_counters){.n = 0};
    return 0;
}

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    assert_int_equal(seen->event.certainty, ST_CERTAINTY_EXACT);
    device_n += seen->event.kind == ST_EVENT_DEVICE_DROPOUT ? seen->event.count_n : 0;
    dropouts_n += seen->event.kind == ST_EVENT_CLIENT_DROPOUT ? seen->event.count_n : 0;
    fragments_n += seen->event.cycles_n;
    memcpy(client, seen->event.client, sizeof(client));
    memcpy(device, seen->event.device, sizeof(device));
}

/* One look, at this channel of a program. */
static void look(unsigned underruns, unsigned feeds, int pid)
{
    const struct st_snd_channel channel = {.name = "dsp0.virtual_play.0",
                                           .program = "mpv",
                                           .pid = pid,
                                           .is_virtual = true,
                                           .feeds_n = feeds,
                                           .xruns_n = underruns};
    st_sndstat_look_begin(&counters);
    st_sndstat_look_at(&counters, &channel, on_seen, NULL);
    st_sndstat_look_end(&counters);
}

static void look_at_none(void)
{
    st_sndstat_look_begin(&counters);
    st_sndstat_look_end(&counters);
}

static void underruns_of_a_virtual_channel_are_a_client_that_starved(void **state)
{
    look(34, 500, 61);
    assert_int_equal(dropouts_n, 0); /* what was before we looked */
    look(36, 600, 61);
    assert_int_equal(dropouts_n, 1);
    assert_int_equal(fragments_n, 2);
    assert_int_equal(device_n, 0);
    assert_string_equal(client, "mpv");
    assert_string_equal(device, "dsp0.virtual_play.0");
    look(36, 600, 61);
    assert_int_equal(dropouts_n, 1);
    /* FreeBSD 15.1, freebsd-run-3.md: six gaps of one program in 10 s were 289 fragments */
    for (unsigned gap = 1; gap <= 6; gap++) {
        look(36 + gap * 289 / 6, 700 + gap * 100, 61);
        look(36 + gap * 289 / 6, 750 + gap * 100, 61);
    }
    assert_int_equal(dropouts_n, 7);
    assert_int_equal(fragments_n, 2 + 289);
}

/* The channel of freebsd-run-4/15.1/underrun/sndstat-v2.txt at another moment. */
static void look_at_buffer(unsigned underruns, unsigned feeds, unsigned ready)
{
    const struct st_snd_channel play = {.name = "dsp0.virtual_play.0",
                                        .program = "play",
                                        .pid = 1087,
                                        .is_virtual = true,
                                        .feeds_n = feeds,
                                        .xruns_n = underruns,
                                        .stuck = ready == 0};
    st_sndstat_look_begin(&counters);
    st_sndstat_look_at(&counters, &play, on_seen, NULL);
    st_sndstat_look_end(&counters);
}

/* 15.1, freebsd-run-4.md D9: six gaps of 300 ms, some 16 fragments each (96 in all), of which one
 * lay across two looks: "play had all 7 dropouts: it was not ready, reason unknown." */
static void a_gap_across_two_looks_is_one_dropout(void **state)
{
    look_at_buffer(0, 100, 8192);
    for (unsigned gap = 1; gap <= 5; gap++)
        look_at_buffer(gap * 16, 100 + gap * 50, 8192);
    look_at_buffer(87, 400, 0); /* 7 fragments, and it goes on */
    look_at_buffer(96, 450, 8192);
    assert_int_equal(dropouts_n, 6);
    assert_int_equal(fragments_n, 96);
    look_at_buffer(96, 500, 8192);
    look_at_buffer(100, 550, 0); /* one for more than two looks ... */
    look_at_buffer(150, 600, 0);
    look_at_buffer(170, 650, 0); /* ... that ended before another one began */
    assert_int_equal(dropouts_n, 8);
    look_at_buffer(170, 651, 0); /* an empty buffer is no gap yet */
    look_at_buffer(180, 700, 8192);
    assert_int_equal(dropouts_n, 9);
    assert_int_equal(fragments_n, 180);
}

static void those_of_a_hardware_channel_are_the_devices(void **state)
{
    const struct st_snd_channel play = {.name = "dsp1.play.0", .pid = 2067, .xruns_n = 3},
                                record = {.name = "dsp1.record.0", .xruns_n = 7};
    look_at_none();
    st_sndstat_look_begin(&counters);
    st_sndstat_look_at(&counters, &play, on_seen, NULL);
    st_sndstat_look_at(&counters, &record, on_seen, NULL);
    st_sndstat_look_end(&counters);
    assert_int_equal(device_n, 2); /* channels that are new since the last look began at 0 */
    assert_int_equal(dropouts_n, 0);
}

static void counters_that_begin_anew_count_from_zero(void **state)
{
    look(34, 500, 61);
    look(3, 20, 61); /* started again: 3 new ones */
    assert_int_equal(fragments_n, 3);
    look(5, 10, 61); /* more underruns but fewer feeds: started again, too */
    assert_int_equal(fragments_n, 8);
    look(6, 30, 99); /* another program's */
    assert_int_equal(fragments_n, 14);
}

static void channel_that_goes_and_comes_counts_from_zero(void **state)
{
    look(34, 500, 61);
    look_at_none();
    look(40, 600, 61);
    assert_int_equal(fragments_n, 40);
    assert_int_equal(dropouts_n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(underruns_of_a_virtual_channel_are_a_client_that_starved, setup),
        cmocka_unit_test_setup(a_gap_across_two_looks_is_one_dropout, setup),
        cmocka_unit_test_setup(those_of_a_hardware_channel_are_the_devices, setup),
        cmocka_unit_test_setup(counters_that_begin_anew_count_from_zero, setup),
        cmocka_unit_test_setup(channel_that_goes_and_comes_counts_from_zero, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
