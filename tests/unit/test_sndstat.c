/* Xruns from /dev/sndstat: text of real kernels, and counters that begin anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/xrun/sndstat.h"
#include "tests/fake/fake.h"

/* 13.2, verbose 2, as captured while a program played */
static const char text13[] =
    "FreeBSD Audio Driver (64bit 2009061500/amd64)\n"
    "Installed devices:\n"
    "pcm0: <Generic (0x1af40022) (Analog)> on hdaa0  (1p:1v/1r:1v) default\n"
    "\tsnddev flags=0x2e2<AUTOVCHAN,BUSY,MPSAFE,REGISTERED,VPC>\n"
    "\t[pcm0:play:dsp0.p0]: spd 48000, fmt 0x00200010, flags 0x00002108, 0x00000004\n"
    "\t"
    "interrupts 1154, underruns 0, feed 1152, ready 0 [b:2048/1024/2|bs:2048/1024/2]\n"
    "\tchannel flags=0x2108<TRIGGERED,BUSY,HAS_VCHAN>\n"
    "\t{userland} -> feeder_mixer(0x00200010) -> {hardware}\n"
    "\tpcm0:play:dsp0.p0[pcm0:virtual:dsp0.vp0]: spd 48000, fmt 0x00200010, flags 0x1000010c, 0x00000021, "
    "pid 61 "
    "(dsp)\n"
    "\t"
    "interrupts 0, underruns 27, feed 1152, ready 0 [b:0/0/0|bs:8192/1024/8]\n"
    "No devices installed from userspace.\n";

/* 15.1 */
static const char text15[] =
    "FreeBSD Audio Driver\n"
    "Installed devices:\n"
    "pcm1: <OKTO RESEARCH DAC8STEREO> on uaudio1 (1p:0v/1r:0v) default\n"
    "\tsnddev flags=0xf8<BUSY,MPSAFE,REGISTERED,BITPERFECT,VPC>\n"
    "\t[dsp1.play.0]: spd 192000, fmt 0x00201000, flags 0x2000110c, 0x00000001, pid 2067 (brute (fir))\n"
    "\t\t"
    "interrupts 840030, underruns 3, feed 840029, ready 82920\n"
    "\t\t[b:12288/6144/2|bs:131072/65536/2]\n"
    "\t[dsp1.record.0]: spd 48000, fmt 0x00200010/0x00201000, flags 0x00000000, 0x00000023\n"
    "\t\t"
    "interrupts 0, overruns 7, feed 0, hfree 3072, sfree 65536\n"
    "Installed devices from userspace:\n"
    "dsp.play: <virtual_oss device> (play/rec)\n";

/* 7 and 6 */
static const char text7[] =
    "[pcm0:play:dsp0.p0]: spd 46794, fmt 0x10000010, flags 0x00101000, 0x00000000\n"
    "\t"
    "interrupts 3552, underruns 1, feed 3552, ready 0 [b:4096/2048/2|bs:4096/2048/2]\n"
    "\t{userland} -> feeder_vchan(0x10000010) -> {hardware}\n";
static const char text6[] = "\t[pcm0:play:0:dsp0.0]: spd 44100, fmt 0x10000010, flags 0x00000000, pid 815\n"
                            "\t"
                            "interrupts 59023, underruns 2, ready 0 [b:16384/8192/2|bs:131072/4096/32]\n";

static void channels_of_13_2(void **state)
{
    (void)state;
    struct st_snd_channel channel;
    const char *at = text13;
    assert_int_equal(st_sndstat_next(&at, &channel), 0);
    assert_string_equal(channel.name, "pcm0:play:dsp0.p0");
    assert_false(channel.is_virtual);
    assert_int_equal(channel.pid, 0);
    assert_int_equal(channel.interrupts_n, 1154);
    assert_int_equal(channel.xruns_n, 0);
    assert_int_equal(st_sndstat_next(&at, &channel), 0);
    assert_string_equal(channel.name, "pcm0:virtual:dsp0.vp0");
    assert_true(channel.is_virtual);
    assert_int_equal(channel.pid, 61);
    assert_string_equal(channel.program, "dsp");
    assert_int_equal(channel.xruns_n, 27);
    assert_int_equal(channel.feeds_n, 1152);
    assert_int_equal(st_sndstat_next(&at, &channel), -ENODATA);
}

static void channels_of_15_1(void **state)
{
    (void)state;
    struct st_snd_channel channel;
    const char *at = text15;
    assert_int_equal(st_sndstat_next(&at, &channel), 0);
    assert_string_equal(channel.name, "dsp1.play.0");
    assert_string_equal(channel.program, "brute (fir)");
    assert_int_equal(channel.pid, 2067);
    assert_int_equal(channel.xruns_n, 3);
    assert_int_equal(st_sndstat_next(&at, &channel), 0);
    assert_string_equal(channel.name, "dsp1.record.0");
    assert_int_equal(channel.pid, 0);
    assert_int_equal(channel.xruns_n, 7);
    assert_int_equal(st_sndstat_next(&at, &channel), -ENODATA);
}

static void channels_of_7_and_6(void **state)
{
    (void)state;
    struct st_snd_channel channel;
    const char *at = text7;
    assert_int_equal(st_sndstat_next(&at, &channel), 0);
    assert_string_equal(channel.name, "pcm0:play:dsp0.p0");
    assert_int_equal(channel.xruns_n, 1);
    at = text6;
    assert_int_equal(st_sndstat_next(&at, &channel), 0);
    assert_string_equal(channel.name, "pcm0:play:0:dsp0.0");
    assert_int_equal(channel.pid, 815);
    assert_string_equal(channel.program, "");
    assert_int_equal(channel.interrupts_n, 59023);
    assert_int_equal(channel.feeds_n, 0); /* not told */
    assert_int_equal(channel.xruns_n, 2);
}

static void text_without_counters_has_no_channels(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "Installed devices:\npcm0: <Generic (0x1af40022) (Analog)> (play/rec) default\n",
        "interrupts 5, underruns 6, feed 7\n",         /* of no channel */
        "[a]: spd 1, fmt\nchannel flags\n[b: spd 2\n", /* no counters */
        "[a]: spd 1\ninterrupts x, underruns 1\n",     /* no number */
        "]: spd 1\ninterrupts 1, underruns 1\n",       /* no name */
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(texts); i++) {
        struct st_snd_channel channel;
        const char *at = texts[i];
        if (st_sndstat_next(&at, &channel) != -ENODATA)
            fail_msg("a channel in: %s", texts[i]);
    }
}

/* --- the source over the fake's files --- */

static struct st_platform *platform;
static struct st_xrun_watch watch;
static int64_t device_n, starved_n;
static char client[ST_XRUN_NAME_BYTES], device[ST_XRUN_NAME_BYTES];

static const struct st_xrun_source source = {
    .name = "sound4", .summary = "", .poll_ns = 1, .ops = &st_xrun_sndstat_ops};

static int setup(void **state)
{
    (void)state;
    device_n = starved_n = 0;
    platform = st_fake_new(ST_OS_FREEBSD, 0);
    return platform == NULL || st_fake_set_sysctl(platform, "hw.snd.verbose", "2", 0) != 0;
}

static int teardown(void **state)
{
    (void)state;
    st_fake_free(platform);
    return 0;
}

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    (void)ctx;
    assert_int_equal(seen->certainty, ST_CERTAINTY_EXACT);
    device_n += seen->device_xruns_n;
    starved_n += seen->starved_n;
    memcpy(client, seen->client, sizeof(client));
    memcpy(device, seen->device, sizeof(device));
}

static int open_source(void)
{
    const struct st_xrun_setting setting = {{0}};
    return st_xrun_open(&watch, platform, &source, &setting);
}

static void put(unsigned underruns, unsigned feeds, int pid)
{
    char text[512];
    snprintf(
        text, sizeof(text),
        "pcm0: <x>\n\tdsp0.play.0[dsp0.virtual_play.0]: spd 48000, fmt 0x1, flags 0x1, 0x1, pid %d (mpv)\n"
        "\t\t"
        "interrupts 0, underruns %u, feed %u, ready 0\n",
        pid, underruns, feeds);
    assert_int_equal(st_fake_set_file(platform, "/dev/sndstat", text, 0), 0);
}

static int look(void)
{
    return source.ops->poll(&watch, on_seen, NULL);
}

static void underruns_of_a_virtual_channel_are_a_client_that_starved(void **state)
{
    (void)state;
    put(34, 500, 61);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 0); /* what was before we looked */
    put(36, 600, 61);
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 2);
    assert_int_equal(device_n, 0);
    assert_string_equal(client, "mpv");
    assert_string_equal(device, "dsp0.virtual_play.0");
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 2);
    st_xrun_close(&watch);
}

static void those_of_a_hardware_channel_are_the_devices(void **state)
{
    (void)state;
    assert_int_equal(st_fake_set_file(platform, "/dev/sndstat", "No devices installed.\n", 0), 0);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    assert_int_equal(st_fake_set_file(platform, "/dev/sndstat", text15, 0), 0);
    assert_int_equal(look(), 0);
    assert_int_equal(device_n, 10); /* channels that are new since the last look began at 0 */
    assert_int_equal(starved_n, 0);
    st_xrun_close(&watch);
}

static void counters_that_begin_anew_count_from_zero(void **state)
{
    (void)state;
    put(34, 500, 61);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    put(3, 20, 61); /* started again: 3 new ones */
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 3);
    put(5, 10, 61); /* more underruns but fewer feeds: started again, too */
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 8);
    put(6, 30, 99); /* another program's */
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 14);
    st_xrun_close(&watch);
}

static void channel_that_goes_and_comes_counts_from_zero(void **state)
{
    (void)state;
    put(34, 500, 61);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    assert_int_equal(st_fake_set_file(platform, "/dev/sndstat", "Installed devices:\n", 0), 0);
    assert_int_equal(look(), 0);
    put(40, 600, 61);
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 40);
    st_xrun_close(&watch);
}

static void low_verbosity_is_said_with_what_is_needed(void **state)
{
    (void)state;
    assert_int_equal(open_source(), -ENOENT);
    assert_non_null(strstr(watch.why, "no sound(4) on this system"));
    put(0, 0, 1);
    assert_int_equal(st_fake_set_sysctl(platform, "hw.snd.verbose", "0", 0), 0);
    assert_int_equal(open_source(), -ENOENT);
    assert_string_equal(watch.why, "/dev/sndstat shows no counters: hw.snd.verbose is 0, and 2 is needed");
}

static void lowered_verbosity_ends_it_instead_of_reading_as_quiet(void **state)
{
    (void)state;
    put(34, 500, 61);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    assert_int_equal(st_fake_set_file(platform, "/dev/sndstat", "Installed devices:\npcm0: <x>\n", 0), 0);
    assert_int_equal(st_fake_set_sysctl(platform, "hw.snd.verbose", "1", 0), 0);
    assert_int_equal(look(), -ENOENT);
    st_xrun_close(&watch);
}

static void file_that_another_reader_holds_is_read_next_time(void **state)
{
    (void)state;
    put(34, 500, 61);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    assert_int_equal(st_fake_set_file(platform, "/dev/sndstat", "", -EBUSY), 0);
    assert_int_equal(look(), 0);
    put(36, 600, 61);
    assert_int_equal(look(), 0);
    assert_int_equal(starved_n, 2);
    st_xrun_close(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_of_13_2),
        cmocka_unit_test(channels_of_15_1),
        cmocka_unit_test(channels_of_7_and_6),
        cmocka_unit_test(text_without_counters_has_no_channels),
        cmocka_unit_test_setup_teardown(underruns_of_a_virtual_channel_are_a_client_that_starved, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(those_of_a_hardware_channel_are_the_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(counters_that_begin_anew_count_from_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(channel_that_goes_and_comes_counts_from_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(low_verbosity_is_said_with_what_is_needed, setup, teardown),
        cmocka_unit_test_setup_teardown(lowered_verbosity_ends_it_instead_of_reading_as_quiet, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(file_that_another_reader_holds_is_read_next_time, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
