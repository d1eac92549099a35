/* cli/show/listen_text: what a run of listen says. */
#include "cli/show/listen_text.h"
#include "platform/program/failure.h"
#include "tests/unit/unit.h"
#include "xruns/xrun.h"

#define RATE_HZ 48000

static struct st_listen_live live;
static struct st_hearing_result result;
static struct st_listen_view view;

/* A run of 60 s without a loss. */
static void begin(const char *way, const char *plays)
{
    live = (struct st_listen_live){.way = st_way_find(way, ST_OS_LINUX)};
    assert_non_null(live.way);
    ST_PRINT(live.head.plays, "%s", plays);
    result = (struct st_hearing_result){.path_class = ST_PATH_EXACT,
                                        .heard_s = 60,
                                        .forced_n = 9,
                                        .forced_found_n = 9,
                                        .per_hour_max95 = 180,
                                        .noise_db = (double)NAN,
                                        .drift_ppm = (double)NAN};
    view = (struct st_listen_view){
        .result = &result, .live = &live, .rate_hz = RATE_HZ, .channels = 2, .rate_ppm = (double)NAN};
}

static char *screen(int width)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    st_listen_text_screen(&view, out, width);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void says(const char *wanted, bool is)
{
    char *text = screen(1000);
    if ((strstr(text, wanted) != NULL) != is)
        fail_msg("\"%s\" is %s here: %s", wanted, is ? "missing" : "too much", text);
    free(text);
}

static void shows(const char *wanted)
{
    char *text = screen(80);
    assert_string_equal(text, wanted);
    free(text);
}

/* A card that is played to directly has no sound server and no other program on its way. */
static void test_cannot_hear(void **state)
{
    static const char *const of_servers[] = {"not ready in its cycle", "own buffer that runs empty",
                                             "server that is late as a whole",
                                             "second card that is put in step"};
    static const struct {
        const char *way, *plays;
        bool server;
    } rows[] = {{"aloop", "hw:Loopback,0", false},
                {"device", "hw:1", false},
                {"device", "/dev/dsp1", false},
                {"aloop", "default", true},
                {"device", "pipewire", true}};
    ST_EACH (row, rows) {
        begin(row->way, row->plays);
        ST_EACH (fault, of_servers)
            says(*fault, !row->server);
        says("lost USB packets", strcmp(row->way, "aloop") == 0);
    }
    says("nothing: this way hears each kind of loss", true);
    live.head.more_channels = 6;
    says("Cannot hear channels after the second\n", true);
    live.head.more_channels = 0;
    live.way = NULL;
    says("Cannot hear", false);
    view.live = NULL; /* a file */
    says("Cannot hear gaps, if the recorder stands still when nothing comes\n", true);
}

/* The next step goes the same way. */
static void test_next(void **state)
{
    begin("cable", "alsa_output");
    says("sleeptune listen -d 3h, which can", true);
    view.wish = (struct st_listen_wish){.back = "a source", .plays = "hw:1", .frames = 64};
    says("sleeptune listen --back 'a source' --play hw:1 -f 64 -d 3h, which can", true);
    live.has_ended = true;
    says("start the sound server again, then sleeptune listen --back 'a source' --play hw:1 -f 64\n", true);
    live.has_ended = false;
    result.forced_found_n = 0;
    view.wish = (struct st_listen_wish){.back = "cable"};
    says("Next        sleeptune listen --help, for another way back (--back)\n", true);
    live.events_n[ST_CAPTURE_MIXED] = 1;
    says("Next        stop the other programs that play, then run: sleeptune listen --back cable\n", true);
    result.remarks[ST_REMARK_CLOCKS] = true; /* as the daemon says it */
    says("Next        one clock for both cards (word clock, S/PDIF), or use one card\n", true);
}

static void add_loss(double at_s)
{
    result.losses[result.losses_n++] = (struct st_loss){
        .at_frame = (uint64_t)(at_s * RATE_HZ), .frames = RATE_HZ / 100, .kind = ST_LOSS_ZEROED};
    result.kept_n = result.losses_n;
}

static json_t *record(const char *event, double at_s, const char *client, const char *why, const char *text)
{
    return json_pack("{s:s, s:I, s:s, s:s, s:s}", "event", event, "time_ns", (json_int_t)(at_s * 1e9),
                     "client", client, "why", why, "text", text);
}

/* Each loss has a row or a place in the sum of reasons; if one has none, what was not watched is said. */
static void test_reasons(void **state)
{
    begin("cable", "hw:1");
    add_loss(10);
    says("not explained: no sleeptuned recorded it", true);
    json_t *records = json_pack(
        "[o, o, o, o]", record("client-dropout", 11, "Bitwig\x1b", "too slow", "Bitwig was late"),
        record("device-dropout", 21, "", "lost USB packets", "an xrun"),
        record("late-wake", 31.1, "", "", "woke late"), record("late-wake", 11, "", "", "woke late, too"));
    json_object_set_new(json_array_get(records, 1), "place", json_string("bus"));
    const struct st_xrun_source *const *foreign = st_xrun_sources;
    while ((*foreign)->ops != NULL)
        foreign++;
    json_t *sources =
        json_pack("[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]", "source", "pipewire", "state", "opening", "source",
                  "jack", "state", "absent", "source", (*foreign)->name, "state", "absent");
    view.records = records;
    view.sources = sources;
    says("at 10.000 s: 10 ms silence; sleeptuned saw: Bitwig was late\n", true);
    says("does not watch", false);
    add_loss(20);
    add_loss(31);
    says("sleeptuned saw: woke late\n", true);
    add_loss(10.5);
    add_loss(29.5); /* it woke up late, but more than a second after */
    says("and 2 more: add --json. Of 5: 2 when Bitwig? was not ready, 1 when the card lost USB packets, "
         "1 when the test loop woke up late, 1 not explained\n",
         true);
    says("sleeptuned does not watch PipeWire\n", true);
    result.losses[0].at_frame = 5 * RATE_HZ;
    says("at 5.000 s: 10 ms silence; not explained: no record at that moment\n", true);
    view.records_from_ns = INT64_C(6000000000);
    says("at 5.000 s: 10 ms silence; not explained: there are too many later records\n", true);
    view.records_from_ns = 0;
    result.losses[0].at_frame = 10 * RATE_HZ;
    live.events[0] = (struct st_capture_event){.kind = ST_CAPTURE_PLAYER, .at_frame = 30 * RATE_HZ};
    live.events_kept_n = 1;
    result.losses[4].at_frame = 30 * RATE_HZ;
    json_t *sum = json_array_get(records, 2);
    json_object_set_new(sum, "span_ns", json_integer(INT64_C(10000000000)));
    says("when the test loop woke up late", false);
    json_object_del(sum, "span_ns");
    says("1 when the program that plays the signal was not ready\n", true);
    says("does not watch", false);
    json_decref(records);
    json_decref(sources);
}

/* Each row of a live run. */
static void test_screens(void **state)
{
    begin("monitor", "alsa_output");
    result.path_class = ST_PATH_CONVERTED;
    result.gain_db = -6;
    result.noise_db = -49;
    result.drift_ppm = 300.4;
    result.per_hour_max95 = 310;
    view.rate_ppm = 17250;
    view.latency_known = true;
    view.latency_frames = 2048;
    live.events_n[ST_CAPTURE_XRUN] = 3;
    for (size_t i = 0; i < 3; i++) {
        live.events[i] = (struct st_capture_event){.kind = ST_CAPTURE_XRUN, .at_frame = 30 * RATE_HZ};
        ST_PRINT(live.events[i].text, "server \"%s\"", i == 1 ? "other" : "default");
    }
    live.events_kept_n = 3;
    add_loss(10);
    add_loss(20);
    add_loss(30);
    result.lost_frames = 3 * RATE_HZ / 100;
    json_t *records = json_pack("[o]", record("client-dropout", 11, "Bitwig", "too slow", "Bitwig was late"));
    view.records = records;
    shows("✘ 3 losses, 30 ms in all, in 60 s over the monitor of PipeWire's sink: at most\n"
          "  310 per hour (95 %).\n"
          "\n"
          "Losses      at 10.000 s: 10 ms silence; sleeptuned saw: Bitwig was late\n"
          "            at 20.000 s: 10 ms silence; not explained: no record at that moment\n"
          "            at 30.000 s: 10 ms silence; the sound server or the device reported\n"
          "            an xrun\n"
          "Path        converted or analogue: losses from 1 ms are found; volume -6.0 dB;\n"
          "            noise -49 dB\n"
          "Test        all 9 test glitches were found\n"
          "Latency     42.7 ms (2048 frames)\n"
          "Rate        48828 Hz instead of 48000: the clock of the card that records is\n"
          "            wrong\n"
          "Clocks      two: the one that records is 300 ppm slower than the one that plays\n"
          "Reported    the sound server or the device reported an xrun (3 times): server\n"
          "            \"default\", server \"other\"\n"
          "Cannot hear a sound server that is late as a whole; a second card that is put in\n"
          "            step; lost USB packets, cable, codec; conversion, limiter, volume\n"
          "Next        sleeptune check, to find what was late\n");
    result.drift_ppm = -2000;
    result.remarks[ST_REMARK_CLOCKS] = true;
    result.losses_n = result.kept_n = live.events_n[ST_CAPTURE_XRUN] = 0;
    view.rate_ppm = 12;
    view.latency_known = false;
    shows("! Invalid: the two clocks are more than 0.1 % apart, so losses may have been\n"
          "  missed. 0 losses were found in 60 s over the monitor of PipeWire's sink.\n"
          "\n"
          "Path        converted or analogue: losses from 1 ms are found; volume -6.0 dB;\n"
          "            noise -49 dB\n"
          "Clocks      two: the one that records is 2000 ppm faster than the one that\n"
          "            plays. A card's rate is wrong\n"
          "Note        The two clocks are more than 0.1 % apart, which is not followed.\n"
          "Cannot hear a sound server that is late as a whole; a second card that is put in\n"
          "            step; lost USB packets, cable, codec; conversion, limiter, volume\n"
          "Next        one clock for both cards (word clock, S/PDIF), or use one card\n");
    json_decref(records);
}

/* A loss is a finding, and a run whose test glitches were not all found says nothing. */
static void test_status(void **state)
{
    begin("monitor", "alsa_output");
    assert_int_equal(st_listen_text_status(&view), ST_EXIT_DONE);
    live.has_ended = true;
    assert_int_equal(st_listen_text_status(&view), ST_EXIT_BOOKS);
    result.losses_n = 1;
    assert_int_equal(st_listen_text_status(&view), ST_EXIT_FINDINGS);
    result.forced_found_n = 8;
    assert_int_equal(st_listen_text_status(&view), ST_EXIT_BOOKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cannot_hear), cmocka_unit_test(test_next),   cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_screens),     cmocka_unit_test(test_status),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
