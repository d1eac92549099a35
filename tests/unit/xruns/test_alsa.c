/* /proc/asound's text, as kernel 6.1 writes it. */
#include "tests/unit/unit.h"
#include "xruns/alsa.h"

static const char running[] = "state: RUNNING\n"
                              "owner_pid   : 3700\n"
                              "trigger_time: 1101.147470817\n"
                              "tstamp      : 1104.422995946\n"
                              "delay       : 144\n"
                              "avail       : 8048\n"
                              "avail_max   : 8048\n"
                              "-----\n"
                              "hw_ptr      : 157296\n"
                              "appl_ptr    : 157440\n";

static void status_of_a_running_stream_is_read(void **state)
{
    struct st_alsa_status status;
    assert_int_equal(st_alsa_status_parse(running, &status), 0);
    assert_int_equal(status.state, ST_ALSA_RUNNING);
    assert_int_equal(status.owner_tid, 3700);
    assert_int_equal(status.trigger_ns, INT64_C(1101147470817));
    assert_int_equal(status.now_ns, INT64_C(1104422995946));
    assert_int_equal(status.hw_ptr_frames, 157296);
    assert_int_equal(status.appl_ptr_frames, 157440);
    assert_int_equal(status.avail_frames, 8048);
    assert_int_equal(status.avail_max_frames, 8048);
}

static void settings_of_a_stream_are_read(void **state)
{
    static const char hw[] = "access: RW_INTERLEAVED\nformat: S16_LE\nsubformat: STD\nchannels: 2\n"
                             "rate: 44100 (44100/1)\nperiod_size: 1024\nbuffer_size: 8192\n";
    struct st_alsa_params params;
    assert_int_equal(st_alsa_params_parse(
                         hw, "start_threshold: 1\nstop_threshold: 9223372036854775808\n", &params),
                     0);
    assert_int_equal(params.buffer_frames, 8192);
    assert_int_equal(params.rate_hz, 44100);
    assert_true(params.stop_frames == INT64_MAX);
    assert_int_equal(st_alsa_params_parse("closed\n", "closed\n", &params), -EBADMSG);
    assert_int_equal(
        st_alsa_params_parse("rate: 0 (0/1)\nbuffer_size: 8192\n", "stop_threshold: 5\n", &params),
        -EBADMSG);
}

static void closed_and_other_states_are_told_apart(void **state)
{
    struct st_alsa_status status;
    assert_int_equal(st_alsa_status_parse("closed\n", &status), 0);
    assert_int_equal(status.state, ST_ALSA_CLOSED);
    assert_int_equal(
        st_alsa_status_parse("state: XRUN\ntrigger_time: -0.000000001\nhw_ptr : 5\n", &status), 0);
    assert_int_equal(status.state, ST_ALSA_XRUN);
    assert_int_equal(status.owner_tid, 0); /* a kernel that does not tell */
    assert_int_equal(status.trigger_ns, -1);
    assert_int_equal(st_alsa_status_parse("state: PAUSED\ntrigger_time: 1.5\nhw_ptr: 5\n", &status),
                     0);
    assert_int_equal(status.state, ST_ALSA_OTHER);
}

static void other_text_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "state:\n",
        "state: RUNNING\n",
        "state: RUNNING\ntrigger_time: 1.5\n",
        "state: RUNNING\ntrigger_time: 1\nhw_ptr: 5\n",
        "state: RUNNING\ntrigger_time: 1.1000000000\nhw_ptr: 5\n",
        "state: RUNNING\ntrigger_time: 9000000001.0\nhw_ptr: 5\n",
        "state: RUNNING\ntrigger_time: 1.5\nhw_ptr: -5\n",
        "state: RUNNING\ntrigger_time: 1.5\nhw_ptr: 18446744073709551615\n",
        "state: RUNNING\ntrigger_time: 1.5\ntstamp: soon\nhw_ptr: 5\n",
        "state: RUNNING\nowner_pid: x\ntrigger_time: 1.5\nhw_ptr: 5\n",
    };
    ST_EACH (text, bad) {
        struct st_alsa_status status;
        if (st_alsa_status_parse(*text, &status) != -EBADMSG)
            fail_msg("taken: %s", *text);
    }
}

static void list_of_devices_is_read_line_by_line(void **state)
{
    const char *text =
        "00-00: ALC892 Analog : ALC892 Analog : playback 1 : capture 1\n"
        "rubbish\n"
        "00-03: HDMI : playback 9 : HDMI 0 : playback 1\n" /* a name that looks like a count */
        "01-01: Loopback PCM : Loopback PCM : capture 8";
    struct st_alsa_pcm pcm;
    assert_int_equal(st_alsa_pcm_next(&text, &pcm), 0);
    assert_int_equal(pcm.card, 0);
    assert_int_equal(pcm.device, 0);
    assert_int_equal(pcm.playback_n, 1);
    assert_int_equal(pcm.capture_n, 1);
    assert_int_equal(st_alsa_pcm_next(&text, &pcm), -EBADMSG);
    assert_int_equal(st_alsa_pcm_next(&text, &pcm), 0);
    assert_int_equal(pcm.device, 3);
    assert_int_equal(pcm.playback_n, 1);
    assert_int_equal(pcm.capture_n, 0);
    assert_int_equal(st_alsa_pcm_next(&text, &pcm), 0);
    assert_int_equal(pcm.card, 1);
    assert_int_equal(pcm.playback_n, 0);
    assert_int_equal(pcm.capture_n, 8);
    assert_int_equal(st_alsa_pcm_next(&text, &pcm), -ENODATA);
}

static void counts_of_the_next_line_are_not_this_ones(void **state)
{
    const char *text = "00-00: A : A : playback 1\n00-01: B : B : capture 2\n";
    struct st_alsa_pcm pcm;
    assert_int_equal(st_alsa_pcm_next(&text, &pcm), 0);
    assert_int_equal(pcm.capture_n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_of_a_running_stream_is_read),
        cmocka_unit_test(settings_of_a_stream_are_read),
        cmocka_unit_test(closed_and_other_states_are_told_apart),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(list_of_devices_is_read_line_by_line),
        cmocka_unit_test(counts_of_the_next_line_are_not_this_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
