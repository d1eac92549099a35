/* The ALSA source over a tree of files that a test writes as the kernel would. */
#include <fcntl.h>
#include <poll.h>

#include "tests/unit/alsa_tree.h"
#include "tests/unit/unit.h"

#define STATUS "asound/card0/pcm0p/sub0/status"

static void put_status(const char *state, int pid, const char *trigger, int hw_ptr)
{
    put_status_in(STATUS, state, pid, trigger, hw_ptr);
}

static int setup(void **state)
{
    return set_up_source("alsa");
}

static int open_source(void)
{
    return open_source_in(root);
}

static int64_t poll_ms(void)
{
    return watch.poll_ns / 1000000;
}

static void one_card(void)
{
    put("asound/pcm", "00-00: Dummy PCM : Dummy PCM : playback 1\n");
    put("4194629/status", "Name:\taplay\nTgid:\t4194600\nPid:\t4194629\n");
    put("4194600/comm", "my player\n");
    put_status("RUNNING", 4194629, "10.0", 5000);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
}

static void stream_in_state_xrun_is_seen_once_with_its_client(void **state)
{
    one_card();
    put_status("XRUN", 4194629, "12.0", 6000);
    assert_int_equal(look(), 1);
    assert_int_equal(last.event.count_n, 1);
    assert_int_equal(last.event.certainty, ST_CERTAINTY_PROBABLE);
    assert_string_equal(last.event.device, "hw:0,0,0 playback");
    assert_string_equal(last.event.client, "my player");
    assert_int_equal(look(), 0); /* still the same one */
    put_status("RUNNING", 4194629, "13.0", 0);
    assert_int_equal(look(), 0); /* its end */
    put_status("XRUN", 4194629, "14.0", 10);
    assert_int_equal(look(), 1);
    put_status("XRUN", 4194629, "15.0", 10); /* recovered, and again */
    assert_int_equal(look(), 1);
    st_xrun_close(&watch);
}

static void recovery_between_two_looks_is_seen(void **state)
{
    one_card();
    put_status("RUNNING", 4194629, "12.5", 100);
    assert_int_equal(look(), 1);
    st_xrun_close(&watch);
}

static void what_is_no_xrun_is_not_counted(void **state)
{
    one_card();
    put_status("RUNNING", 4194629, "10.0", 9000); /* goes on */
    assert_int_equal(look(), 0);
    put_status("RUNNING", 4194629, "11.0", 9500); /* was paused in between: its frames go on */
    assert_int_equal(look(), 0);
    put_status("PAUSED", 4194629, "12.0", 9700);
    assert_int_equal(look(), 0);
    put_status("RUNNING", 4194629, "13.0", 9800);
    assert_int_equal(look(), 0);
    put_status("RUNNING", 700, "14.0", 10); /* another program opened it */
    assert_int_equal(look(), 0);
    put_status("PREPARED", 700, "14.0", 0); /* it stopped by itself, and was seen to */
    assert_int_equal(look(), 0);
    put_status("RUNNING", 700, "15.0", 5);
    assert_int_equal(look(), 0);
    put(STATUS, "closed\n");
    assert_int_equal(look(), 0);
    st_xrun_close(&watch);
}

static void xrun_from_before_the_first_look_is_not_ours_to_count(void **state)
{
    put("asound/pcm", "00-00: Dummy PCM : Dummy PCM : playback 1\n");
    put_status("XRUN", 4194629, "12.0", 6000);
    assert_int_equal(open_source(), 0);
    assert_int_equal(look(), 0);
    st_xrun_close(&watch);
}

static void our_own_stream_is_left_to_own_dropouts(void **state)
{
    char name[32], text[64];
    ST_PRINT(name, "%d/status", (int)getpid());
    ST_PRINT(text, "Tgid:\t%d\n", (int)getpid());
    one_card();
    put(name, text);
    put_status("XRUN", getpid(), "12.0", 6000);
    assert_int_equal(look(), 0);
    st_xrun_close(&watch);
}

static void client_that_is_gone_leaves_its_xrun(void **state)
{
    one_card();
    put_status("XRUN", 31337, "12.0", 6000);
    assert_int_equal(look(), 1);
    assert_string_equal(last.event.client, "");
    st_xrun_close(&watch);
}

static void client_that_is_hidden_is_said_to_be(void **state)
{
    one_card();
    put_status("XRUN", 1, "12.0", 6000); /* it runs, and is not in this /proc */
    assert_int_equal(look(), 1);
    assert_string_equal(last.event.client, "");
    assert_has(watch.why, "are hidden");
    st_xrun_close(&watch);
}

/* It has told the kernel never to stop: 8192 frames that the device passes by half a second. */
static void device_that_runs_past_a_program_that_switched_xruns_off_is_seen(void **state)
{
    static const char *const format =
        "state: RUNNING\nowner_pid   : 4194629\ntrigger_time: 10.0\ntstamp : 9.0\navail : %d\n"
        "avail_max   : %d\n-----\nhw_ptr      : %d\nappl_ptr    : %d\n";
    static const struct {
        int avail, avail_max, hw_ptr, appl_ptr;
    } looks[] = {{1024, 2048, 5000, 13000},
                 {1024, 3072, 17000, 25000},
                 {20192, 20192, 37000, 25000},
                 {1024, 32192, 49000, 57000},
                 {1024, 2048, 61000, 69000}};
    char text[256];
    put("asound/card0/pcm0p/sub0/hw_params", "rate: 48000 (48000/1)\nbuffer_size: 8192\n");
    put("asound/card0/pcm0p/sub0/sw_params", "stop_threshold: 4611686018427387904\n");
    one_card();
    int n = 0;
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        ST_PRINT(text, format, looks[i].avail, looks[i].avail_max, looks[i].hw_ptr,
                 looks[i].appl_ptr);
        put(STATUS, text);
        n += look();
        if (i == 2)
            assert_int_equal(last_level.load.reserve_ns, 1); /* nothing is left now */
    }
    assert_int_equal(last_level.load.reserve_ns, 128000000); /* of 171 ms */
    assert_string_equal(last_level.event.client, "my player");
    assert_int_equal(n, 1);
    assert_int_equal(last.event.count_n, 1);
    assert_int_equal(last.event.place, ST_DROPOUT_AT_DEVICE_BUFFER);
    assert_int_equal(last.event.lost_ns, 500000000); /* 24000 frames */
    assert_string_equal(last.event.client, "my player");
    assert_int_equal(last_load.load.reserve_ns, 1); /* nothing was left */
    assert_int_equal(last_load.load.buffer_ns, 170666666);
    for (int i = 0; i < 82; i++)
        (void)look();
    assert_string_equal(last_load.event.client,
                        "my player"); /* it still plays, and did not write */
    assert_int_equal(last_load.load.reserve_ns, 0);
    st_xrun_close(&watch);
}

static void card_that_comes_is_watched(void **state)
{
    one_card();
    assert_string_equal(watch.why, "1 stream of sound cards");
    put("asound/card1/pcm2c/sub1/status", "closed\n");
    put("asound/pcm", "00-00: Dummy PCM : Dummy PCM : playback 1\n01-02: USB : USB : capture 2\n");
    for (int i = 0; i < 8; i++)
        assert_int_equal(look(), 0);
    assert_string_equal(watch.why,
                        "2 streams of sound cards"); /* of its two, one cannot be opened */
    put("asound/card1/pcm2c/sub1/status",
        "state: XRUN\nowner_pid: 1\ntrigger_time: 1.0\nhw_ptr: 1\n");
    assert_int_equal(look(), 1);
    assert_string_equal(last.event.device, "hw:1,2,1 capture");
    st_xrun_close(&watch);
}

/* The kernel lists a card, and makes its devices, before it makes the files of its streams. */
static void card_that_is_listed_before_its_streams_can_be_read_is_watched(void **state)
{
    char folder[96];
    put("dev/snd/controlC0", "");
    put("proc/asound/pcm", "00-00: Generic Analog : Generic Analog : playback 1\n");
    put("proc/asound/card0/pcm0p/sub0/status", "closed\n");
    ST_PRINT(folder, "%s/proc", root);
    assert_int_equal(open_source_in(folder), 0);
    (void)look();
    assert_int_equal(poll_ms(), 10000);
    put("proc/asound/pcm", "00-00: Generic Analog : Generic Analog : playback 1\n"
                           "01-00: Dummy PCM : Dummy PCM : playback 1\n");
    put("dev/snd/pcmC1D0p", "");
    (void)look();
    assert_string_equal(watch.why, "1 stream of sound cards");
    assert_int_equal(poll_ms(), 1000);
    put("proc/asound/card1/pcm0p/sub0/status", "closed\n");
    (void)look();
    assert_string_equal(watch.why, "2 streams of sound cards");
    assert_int_equal(poll_ms(), 10000);
    st_xrun_close(&watch);
}

static void when_the_last_card_goes_it_is_absent(void **state)
{
    one_card();
    put("asound/pcm", "");
    int r = 0;
    for (int i = 0; i < 9 && r == 0; i++)
        r = source->ops->poll(&watch);
    assert_int_equal(r, -ENOENT);
    assert_has(watch.why, "no sound card");
    st_xrun_close(&watch);
}

static void machine_without_sound_or_without_the_files_says_which(void **state)
{
    assert_int_equal(open_source(), -ENOENT);
    assert_has(watch.why, "no ALSA on this system");
    put("asound/pcm", "");
    assert_int_equal(open_source(), -ENOENT);
    assert_has(watch.why, "no sound card");
    put("asound/pcm", "00-00: Dummy PCM : Dummy PCM : playback 1\n");
    assert_int_equal(open_source(), -ENOENT);
    assert_has(watch.why, "CONFIG_SND_VERBOSE_PROCFS");
}

static void unknown_form_is_said_not_taken_for_quiet(void **state)
{
    one_card();
    put(STATUS, "zustand: LAEUFT\n");
    assert_int_equal(source->ops->poll(&watch), -EBADMSG);
    assert_has(watch.why, "does not understand the files");
    st_xrun_close(&watch);
}

static void what_runs_plays_and_is_looked_at_more_often(void **state)
{
    one_card();
    assert_true(watch.plays);
    assert_int_equal(poll_ms(), 250);
    put_status("XRUN", 4194629, "12.0", 6000);
    (void)look();
    assert_true(watch.plays);
    put_status("SETUP", 4194629, "13.0", 0);
    (void)look();
    assert_false(watch.plays);
    assert_int_equal(poll_ms(), 1000);
    put(STATUS, "closed\n");
    (void)look();
    assert_false(watch.plays);
    assert_int_equal(poll_ms(), 1000); /* who opens it is not seen: there is no /dev/snd */
    st_xrun_close(&watch);
}

static void program_that_opens_a_device_wakes_who_polls(void **state)
{
    char folder[96], device[96];
    put("dev/snd/pcmC0D0p", "");
    put("proc/asound/pcm", "00-00: Dummy PCM : Dummy PCM : playback 1\n");
    put("proc/asound/card0/pcm0p/sub0/status", "closed\n");
    ST_PRINT(folder, "%s/proc", root);
    ST_PRINT(device, "%s/dev/snd/pcmC0D0p", root);
    assert_int_equal(open_source_in(folder), 0);
    (void)look();
    assert_int_equal(poll_ms(), 10000);
    struct pollfd fd = {.fd = watch.fd, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 0), 0);
    const int opened = open(device, O_RDONLY);
    assert_true(opened >= 0);
    assert_int_equal(poll(&fd, 1, 1000), 1);
    put("proc/asound/card0/pcm0p/sub0/status",
        "state: RUNNING\nowner_pid   : 1\ntrigger_time: 1.0\nhw_ptr      : 0\n");
    (void)look();
    assert_true(watch.plays);
    assert_int_equal(poll(&fd, 1, 0), 0); /* it was taken */
    close(opened);
    st_xrun_close(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stream_in_state_xrun_is_seen_once_with_its_client),
        TEST(recovery_between_two_looks_is_seen),
        TEST(what_is_no_xrun_is_not_counted),
        TEST(xrun_from_before_the_first_look_is_not_ours_to_count),
        TEST(our_own_stream_is_left_to_own_dropouts),
        TEST(client_that_is_gone_leaves_its_xrun),
        TEST(client_that_is_hidden_is_said_to_be),
        TEST(device_that_runs_past_a_program_that_switched_xruns_off_is_seen),
        TEST(card_that_comes_is_watched),
        TEST(card_that_is_listed_before_its_streams_can_be_read_is_watched),
        TEST(when_the_last_card_goes_it_is_absent),
        TEST(machine_without_sound_or_without_the_files_says_which),
        TEST(unknown_form_is_said_not_taken_for_quiet),
        TEST(what_runs_plays_and_is_looked_at_more_often),
        TEST(program_that_opens_a_device_wakes_who_polls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
