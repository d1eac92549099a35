/* cli/show/listen_text: what a run of listen says. */
#include "cli/show/listen_text.h"
#include "platform/program/failure.h"
#include "tests/unit/shown.h"
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
    view = (struct st_listen_view){.result = &result,
                                   .live = &live,
                                   .rate_hz = RATE_HZ,
                                   .channels = 2,
                                   .rate_ppm = (double)NAN};
}

/* Shows what is not as it was. */
static void look(int width, const char *when)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    st_listen_text_screen(&view, out, width);
    assert_int_equal(fclose(out), 0);
    show_changes(when, text);
    free(text);
}

/* A card that is played to directly has no sound server and no other program on its way. */
static void test_cannot_hear(void **state)
{
    static const struct {
        const char *way, *plays;
    } rows[] = {{"aloop", "hw:Loopback,0"},
                {"device", "hw:1"},
                {"device", "/dev/dsp1"},
                {"aloop", "default"},
                {"device", "pipewire"}};
    ST_EACH (row, rows) {
        begin(row->way, row->plays);
        look(1000, row->plays);
    }
    look(1000, "");
    live.head.more_channels = 6;
    look(1000, "");
    live.head.more_channels = 0;
    live.way = NULL; /* a file */
    look(1000, "");
}

/* The next step goes the same way. */
static void test_next(void **state)
{
    begin("cable", "alsa_output");
    look(1000, "");
    view.wish = (struct st_listen_wish){.back = "a source", .plays = "hw:1", .frames = 64};
    look(1000, "");
    live.has_ended = true;
    look(1000, "");
    live.has_ended = false;
    result.forced_found_n = 0;
    view.wish = (struct st_listen_wish){.back = "cable"};
    look(1000, "");
    live.events_n[ST_CAPTURE_MIXED] = 1;
    look(1000, "");
    result.remarks[ST_REMARK_CLOCKS] = true; /* as the daemon says it */
    look(1000, "");
}

static void add_loss(double at_s)
{
    result.losses[result.losses_n++] = (struct st_loss){
        .at_frame = (uint64_t)(at_s * RATE_HZ), .frames = RATE_HZ / 100, .kind = ST_LOSS_ZEROED};
    result.kept_n = result.losses_n;
}

static json_t *record(const char *event, double at_s, const char *client, const char *why,
                      const char *text)
{
    return json_pack("{s:s, s:I, s:s, s:s, s:s}", "event", event, "time_ns",
                     (json_int_t)(at_s * 1e9), "client", client, "why", why, "text", text);
}

/* Each loss has a row with its reason. */
static void test_reasons(void **state)
{
    begin("cable", "hw:1");
    add_loss(10);
    look(1000, "");
    json_t *records = json_pack(
        "[o, o, o, o]", record("client-dropout", 11, "Bitwig\x1b", "too slow", "Bitwig was late"),
        record("device-dropout", 21, "", "lost USB packets", "an xrun"),
        record("late-wake", 31.1, "", "", "woke late"),
        record("late-wake", 11, "", "", "woke late, too"));
    json_object_set_new(json_array_get(records, 1), "place", json_string("bus"));
    view.records = records;
    look(1000, "");
    add_loss(20);
    add_loss(31);
    look(1000, "");
    add_loss(10.5);
    add_loss(29.5); /* it woke up late, but more than a second after */
    look(1000, "");
    result.losses[0].at_frame = 5 * RATE_HZ;
    look(1000, "");
    view.records_from_ns = INT64_C(6000000000);
    look(1000, "");
    view.records_from_ns = 0;
    result.losses[0].at_frame = 10 * RATE_HZ;
    live.events[0] = (struct st_capture_event){.kind = ST_CAPTURE_PLAYER, .at_frame = 30 * RATE_HZ};
    live.events_kept_n = 1;
    result.losses[4].at_frame = 30 * RATE_HZ;
    json_t *sum = json_array_get(records, 2);
    json_object_set_new(sum, "span_ns", json_integer(INT64_C(10000000000)));
    look(1000, "");
    json_object_del(sum, "span_ns");
    look(1000, "");
    json_decref(records);
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
        live.events[i] =
            (struct st_capture_event){.kind = ST_CAPTURE_XRUN, .at_frame = 30 * RATE_HZ};
        ST_PRINT(live.events[i].text, "server \"%s\"", i == 1 ? "other" : "default");
    }
    live.events_kept_n = 3;
    add_loss(10);
    add_loss(20);
    add_loss(30);
    result.lost_frames = 3 * RATE_HZ / 100;
    json_t *records =
        json_pack("[o]", record("client-dropout", 11, "Bitwig", "too slow", "Bitwig was late"));
    view.records = records;
    look(80, "");
    result.drift_ppm = -2000;
    result.remarks[ST_REMARK_CLOCKS] = true;
    result.losses_n = result.kept_n = live.events_n[ST_CAPTURE_XRUN] = 0;
    view.rate_ppm = 12;
    view.latency_known = false;
    look(80, "");
    json_decref(records);
}

/* A loss is a finding, and a run whose deliberate glitches were not all found says nothing. */
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
        cmocka_unit_test(test_cannot_hear), cmocka_unit_test(test_next),
        cmocka_unit_test(test_reasons),     cmocka_unit_test(test_screens),
        cmocka_unit_test(test_status),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return shown_run(tests);
}
