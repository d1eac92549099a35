/* Status document and metrics from a gathered view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "daemon/status/live.h"
#include "daemon/status/rows.h"
#include "daemon/status/view.h"

static struct st_view view;
static struct st_result result;

static int setup(void **state)
{
    (void)state;
    memset(&result, 0, sizeof(result));
    if (st_period_init(&result.period, 128, 48000) != 0 || st_hist_init(&result.lateness, 3) != 0 ||
        st_hist_init(&result.response, 3) != 0)
        return 1;
    result.frames = 128;
    result.rate_hz = 48000;
    result.periods = 2;
    result.cpu = -1;
    result.policy_asked = result.policy = ST_POLICY_FIFO;
    result.priority = 70;
    result.lock = ST_LOCK_ON_FAULT;
    result.n = result.cycles = result.elapsed_periods = 1000;
    result.books_balance = true;
    result.cpu_ns_per_cycle = -1;
    st_hist_add_n(&result.lateness, 10500, 990); /* 10 us .. 20 us */
    st_hist_add_n(&result.lateness, -300, 4);
    st_hist_add_n(&result.lateness, 3000000, 6);
    st_hist_add_n(&result.response, 10500, 1000);
    view = (struct st_view){.loop = &result,
                            .pid = 42,
                            .uptime_ns = 5 * ST_NS_PER_S,
                            .started_wall_ns = INT64_C(1700000000123456789),
                            .audio = {[ST_AUDIO_OUTPUT] = {.state = ST_AUDIO_RUNNING,
                                                           .backend = "dummy",
                                                           .policy = -1,
                                                           .xruns_known = true}},
                            .wait_plain_ns = INT64_MIN,
                            .wait_precise_ns = INT64_MIN};
    view.events = json_array();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    json_decref(view.events);
    st_result_finish(&result);
    return 0;
}

static const char *degraded_why(const json_t *document, const char *what)
{
    size_t i;
    const json_t *entry;
    json_array_foreach(json_object_get(document, "degraded"), i, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "what")), what) == 0)
            return json_string_value(json_object_get(entry, "why"));
    }
    return NULL;
}

static const char *state_of(const json_t *document)
{
    return json_string_value(json_object_get(document, "state"));
}

static void healthy_daemon_is_running_with_nothing_degraded(void **state)
{
    (void)state;
    json_t *document = st_view_json(&view);
    assert_string_equal(json_string_value(json_object_get(document, "schema")), "sleeptune-status/1");
    assert_string_equal(state_of(document), "running");
    assert_int_equal(json_array_size(json_object_get(document, "degraded")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(document, "loop"), "cycles")), 1000);
    assert_true(json_is_null(json_object_get(document, "wait_test")));
    assert_true(json_is_null(json_object_get(document, "last_minute")));
    json_decref(document);
}

static void watchdog_that_a_real_time_loop_can_starve_is_degraded(void **state)
{
    (void)state;
    view.watchdog.running = true;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "degraded");
    assert_non_null(
        strstr(degraded_why(document, "watchdog"), "no permission for a priority above the loop"));
    json_decref(document);
    result.policy = ST_POLICY_OTHER; /* nothing that could starve it */
    document = st_view_json(&view);
    assert_null(degraded_why(document, "watchdog"));
    json_decref(document);
    result.policy = ST_POLICY_FIFO;
    view.watchdog.above_loop = true;
    document = st_view_json(&view);
    assert_null(degraded_why(document, "watchdog"));
    json_decref(document);
}

static void loop_without_a_cpu_is_the_verdict_and_degraded(void **state)
{
    (void)state;
    char *text = st_view_metrics(&view);
    assert_non_null(strstr(text, "\nsleeptune_loop_overdue_seconds 0\n"));
    free(text);
    view.overdue_ns = 12300 * ST_NS_PER_MS;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "degraded");
    assert_string_equal(
        json_string_value(json_object_get(document, "verdict")),
        "No sound server is watched. The loop has not run for 12 s (about 4612 periods overdue).");
    assert_string_equal(degraded_why(document, "loop"),
                        "it has not run for 12 s (about 4612 periods overdue)");
    assert_int_equal(json_integer_value(json_object_get(document, "overdue_ns")), 12300 * ST_NS_PER_MS);
    json_decref(document);
    text = st_view_metrics(&view);
    assert_non_null(strstr(text, "\nsleeptune_loop_overdue_seconds 12.3\n"));
    free(text);
    result.cycles = result.elapsed_periods = 0;
    document = st_view_json(&view);
    assert_string_equal(
        json_string_value(json_object_get(document, "verdict")),
        "No sound server is watched. The loop has not run for 12 s and has not counted a period yet.");
    json_decref(document);
}

static void every_degraded_part_is_named_with_its_reason(void **state)
{
    (void)state;
    snprintf(result.degraded, sizeof(result.degraded), "no right to SCHED_FIFO");
    result.lock = ST_LOCK_NONE;
    snprintf(view.rtkit, sizeof(view.rtkit), "rtkit gave no real-time priority: no such service");
    view.audio[ST_AUDIO_OUTPUT].state = ST_AUDIO_WAITING;
    snprintf(view.audio[ST_AUDIO_OUTPUT].error, sizeof(view.audio[ST_AUDIO_OUTPUT].error),
             "backend alsa: unable to initialize audio backend");
    view.watchdog.demoted = true;
    snprintf(view.watchdog.reason, sizeof(view.watchdog.reason), "taken from the loop");
    snprintf(view.config_error, sizeof(view.config_error), "f:1: loop.x: unknown key");
    snprintf(view.http_error, sizeof(view.http_error), "cannot be served");
    snprintf(view.socket_error, sizeof(view.socket_error), "no such group");
    snprintf(view.state_error, sizeof(view.state_error), "cannot be written");
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "degraded");
    assert_int_equal(json_array_size(json_object_get(document, "degraded")), 8);
    assert_non_null(strstr(degraded_why(document, "loop"), "no right to SCHED_FIFO; rtkit gave no"));
    assert_non_null(degraded_why(document, "memory"));
    assert_non_null(strstr(degraded_why(document, "audio"), "unable to initialize"));
    assert_non_null(degraded_why(document, "watchdog"));
    assert_non_null(strstr(degraded_why(document, "config"), "the old settings are kept: f:1"));
    assert_non_null(degraded_why(document, "socket"));
    assert_non_null(degraded_why(document, "http"));
    assert_non_null(degraded_why(document, "state"));
    json_decref(document);
}

static void daemon_without_a_result_is_starting_not_fine(void **state)
{
    (void)state;
    view.loop = NULL;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "starting");
    assert_true(json_is_null(json_object_get(document, "loop")));
    json_decref(document);
    char *text = st_view_metrics(&view);
    assert_null(strstr(text, "sleeptune_cycles_total"));
    free(text);
}

static void last_document_says_ended(void **state)
{
    (void)state;
    view.ended = true;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "ended");
    json_decref(document);
}

static void document_of_a_failed_loop_does_not_say_ended(void **state)
{
    (void)state;
    view.ended = true;
    result.error = -5;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "failed");
    json_decref(document);
}

static void closed_stream_shows_no_figures_of_an_old_one(void **state)
{
    (void)state;
    view.audio[ST_AUDIO_OUTPUT].state = ST_AUDIO_WAITING;
    view.audio[ST_AUDIO_OUTPUT].latency_ns = 5;
    json_t *document = st_view_json(&view);
    assert_null(json_object_get(json_object_get(document, "audio"), "latency_ns"));
    json_decref(document);
}

static void both_streams_are_told_apart_and_counted_together(void **state)
{
    (void)state;
    struct st_audio_view *input = &view.audio[ST_AUDIO_INPUT];
    *input =
        (struct st_audio_view){.state = ST_AUDIO_RUNNING, .xruns_known = true, .xruns_n = 4, .holes_n = 2};
    view.audio[ST_AUDIO_OUTPUT].xruns_n = 3;
    json_t *document = st_view_json(&view);
    const json_t *audio = json_object_get(document, "audio"), *capture = json_object_get(audio, "capture");
    assert_string_equal(json_string_value(json_object_get(audio, "state")), "playing");
    assert_int_equal(json_integer_value(json_object_get(audio, "own_xruns")), 3);
    assert_string_equal(json_string_value(json_object_get(capture, "state")), "recording");
    assert_int_equal(json_integer_value(json_object_get(capture, "own_xruns")), 4);
    assert_int_equal(json_integer_value(json_object_get(capture, "holes")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(document, "xruns"), "own")), 7);
    json_decref(document);
    char *text = st_view_metrics(&view);
    assert_non_null(strstr(text, "\nsleeptune_xruns_total{source=\"own\"} 7\n"));
    assert_non_null(strstr(text, "\nsleeptune_own_underflows_total 3\n"));
    assert_non_null(strstr(text, "\nsleeptune_own_overflows_total 4\n"));
    assert_non_null(strstr(text, "\nsleeptune_audio_capture_open 1\n"));
    free(text);
}

static void overflows_that_nobody_tells_are_no_zero(void **state)
{
    (void)state;
    view.audio[ST_AUDIO_INPUT].state = ST_AUDIO_RUNNING;
    json_t *document = st_view_json(&view);
    const json_t *capture = json_object_get(json_object_get(document, "audio"), "capture");
    assert_true(json_is_null(json_object_get(capture, "own_xruns")));
    json_decref(document);
    char *text = st_view_metrics(&view);
    assert_null(strstr(text, "sleeptune_own_overflows_total"));
    free(text);
}

static void capture_that_is_not_there_is_degraded_by_its_own_name(void **state)
{
    (void)state;
    view.audio[ST_AUDIO_INPUT].state = ST_AUDIO_WAITING;
    snprintf(view.audio[ST_AUDIO_INPUT].error, sizeof(view.audio[ST_AUDIO_INPUT].error),
             "backend jack has no input device");
    json_t *document = st_view_json(&view);
    assert_string_equal(degraded_why(document, "audio"), "capture: backend jack has no input device");
    json_decref(document);
}

static void history_without_a_folder_is_degraded_when_it_is_wanted(void **state)
{
    (void)state;
    for (int missing = 0; missing < 2; missing++) {
        view.history.state = ST_HISTORY_WRITER_OFF;
        view.history.missing = missing != 0;
        snprintf(view.history.why, sizeof(view.history.why), "there is no state folder");
        json_t *document = st_view_json(&view);
        const char *why = degraded_why(document, "history");
        assert_true((why != NULL) == (missing != 0));
        assert_true(why == NULL || strcmp(why, "enabled, but there is no state folder") == 0);
        json_decref(document);
    }
}

static void text_that_is_no_utf8_is_kept_readable(void **state)
{
    (void)state;
    snprintf(view.config_error, sizeof(view.config_error), "caf\xe9: 20 \xc2");
    snprintf(view.audio[ST_AUDIO_OUTPUT].device_name, sizeof(view.audio[ST_AUDIO_OUTPUT].device_name),
             "\xff");
    json_t *document = st_view_json(&view);
    assert_non_null(strstr(degraded_why(document, "config"), "caf?: 20 ?"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(document, "config"), "error")),
                        "caf?: 20 ?");
    assert_string_equal(json_string_value(json_object_get(json_object_get(document, "audio"), "device_name")),
                        "?");
    json_decref(document);
}

static void metrics_have_the_published_names_and_cumulative_buckets(void **state)
{
    (void)state;
    result.misses = 6;
    result.skipped_periods = 2;
    result.simulated_xruns = 3;
    view.audio[ST_AUDIO_OUTPUT].xruns_n = 9;
    static const char *const lines[] = {
        "\nsleeptune_deadline_misses_total 6\n",
        "\nsleeptune_skipped_periods_total 2\n",
        "\nsleeptune_xruns_total{source=\"simulated\"} 3\n",
        "\nsleeptune_xruns_total{source=\"own\"} 9\n",
        "\nsleeptune_lateness_seconds_bucket{le=\"1e-06\"} 4\n", /* early ones are below every bound */
        "\nsleeptune_lateness_seconds_bucket{le=\"1e-05\"} 4\n",
        "\nsleeptune_lateness_seconds_bucket{le=\"2e-05\"} 994\n",
        "\nsleeptune_lateness_seconds_bucket{le=\"0.002\"} 994\n",
        "\nsleeptune_lateness_seconds_bucket{le=\"0.005\"} 1000\n",
        "\nsleeptune_lateness_seconds_bucket{le=\"+Inf\"} 1000\n",
        "\nsleeptune_lateness_seconds_count 1000\n",
        "\nsleeptune_start_time_seconds 1700000000.12346\n",
        "\nsleeptune_build_info{version=\"",
    };
    char *text = st_view_metrics(&view);
    assert_non_null(strstr(text, "sleeptune_cycles_total 1000\n"));
    for (size_t i = 0; i < ST_ARRAY_LEN(lines); i++) {
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no line %s in:\n%s", lines[i], text);
    }
    free(text);
}

/** The sum over all parts: a part that st_degraded_parts lacks would be missing in it. */
static int degraded_n(const char *metrics)
{
    static const char line[] = "\nsleeptune_degraded{what=";
    int n = 0;
    for (const char *p = metrics; (p = strstr(p, line)) != NULL; p += sizeof(line))
        n += atoi(strchr(p, '}') + 1);
    return n;
}

/* All that can be at once, with so many sources of other programs' xruns that are not there. */
static void degrade_all(size_t sources_n)
{
    snprintf(result.degraded, sizeof(result.degraded), "no right to SCHED_FIFO");
    result.lock = ST_LOCK_NONE;
    result.books_balance = false;
    view.ended = true;
    view.audio[ST_AUDIO_OUTPUT].state = view.audio[ST_AUDIO_INPUT].state = ST_AUDIO_WAITING;
    snprintf(view.watchdog.reason, sizeof(view.watchdog.reason), "taken from the loop");
    for (char *const *error = (char *const[]){view.config_error, view.http_error, view.socket_error,
                                              view.state_error, view.trace_error, NULL};
         *error != NULL; error++)
        memcpy(*error, "x", 2);
    view.history.state = ST_HISTORY_WRITER_FAILING;
    view.observe.n = sources_n;
    for (size_t i = 0; i < view.observe.n; i++)
        view.observe.sources[i] = (struct st_observed_view){
            .source = i == 0 ? "jack" : "alsa", .mode = ST_OBSERVED_ON, .state = ST_OBSERVED_ABSENT};
}

static void metrics_count_each_degraded_part(void **state)
{
    (void)state;
    char *text = st_view_metrics(&view);
    assert_int_equal(degraded_n(text), 0);
    assert_non_null(strstr(text, "\nsleeptune_degraded{what=\"loop\"} 0\n"));
    free(text);
    degrade_all(5);
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    text = st_view_metrics(&view);
    assert_int_equal(st_view_degraded(&view, degraded), 17);
    assert_int_equal(degraded_n(text), 17);
    assert_non_null(strstr(text, "\nsleeptune_degraded{what=\"observe\"} 5\n"));
    free(text);
}

/* What is drained of a loop that runs is compared at each look. */
static void books_that_do_not_balance_are_degraded_while_it_runs(void **state)
{
    (void)state;
    result.books_balance = false;
    for (int ended = 0; ended < 2; ended++) {
        view.ended = ended != 0;
        json_t *document = st_view_json(&view);
        assert_string_equal(state_of(document), ended ? "ended" : "degraded");
        assert_non_null(strstr(degraded_why(document, "books"), "do not agree"));
        json_decref(document);
        char *text = st_view_metrics(&view);
        assert_non_null(strstr(text, "\nsleeptune_degraded{what=\"books\"} 1\n"));
        free(text);
    }
}

/* More than any daemon has at once. */
static void what_is_degraded_has_room_in_its_list(void **state)
{
    (void)state;
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX + 8] = {0};
    degrade_all(ST_OBSERVE_SOURCES_MAX);
    view.overdue_ns = 12 * ST_NS_PER_S;
    assert_int_equal(st_view_degraded(&view, degraded), ST_VIEW_DEGRADED_MAX);
    assert_string_equal(degraded[0].what, "loop");
    assert_non_null(degraded[ST_VIEW_DEGRADED_MAX - 1].what);
    for (size_t i = ST_VIEW_DEGRADED_MAX; i < ST_ARRAY_LEN(degraded); i++)
        assert_null(degraded[i].what);
    json_t *document = st_view_json(&view);
    assert_int_equal(json_array_size(json_object_get(document, "degraded")), ST_VIEW_DEGRADED_MAX);
    json_decref(document);
    char *text = st_view_metrics(&view);
    assert_int_equal(degraded_n(text), ST_VIEW_DEGRADED_MAX);
    free(text);
}

static void metrics_tell_causes_and_circumstances(void **state)
{
    (void)state;
    result.causes[ST_CAUSE_RUN_QUEUE] = (struct st_cause_row){.n = 3, .total_ns = 4500000};
    result.conditions[0] = (struct st_test_condition){"cpu_model", "A \"fast\" one\\two\n\xe9"};
    result.conditions[1] = (struct st_test_condition){"kernel_release", "6.1.0-rt"};
    result.conditions_n = 2;
    char *text = st_view_metrics(&view);
    assert_non_null(strstr(text, "\nsleeptune_late_wakes_total{cause=\"run-queue\"} 3\n"));
    assert_non_null(strstr(text, "\nsleeptune_late_wakes_total{cause=\"page-fault\"} 0\n"));
    assert_non_null(strstr(text, "\nsleeptune_late_wakes_seconds_total{cause=\"run-queue\"} 0.004500000\n"));
    assert_non_null(strstr(text, "\nsleeptune_circumstances_info{kernel_release=\"6.1.0-rt\","
                                 "cpu_model=\"A \\\"fast\\\" one\\\\two??\"} 1\n"));
    free(text);
}

static void metrics_of_the_history_are_known_or_absent(void **state)
{
    (void)state;
    view.history.bytes = INT64_MIN;
    view.history.lost_minutes_n = 2;
    char *text = st_view_metrics(&view);
    assert_null(strstr(text, "sleeptune_history_bytes"));
    assert_non_null(strstr(text, "\nsleeptune_history_lost_rows_total{kind=\"minute\"} 2\n"));
    free(text);
    view.history.bytes = 4096;
    text = st_view_metrics(&view);
    assert_non_null(strstr(text, "\nsleeptune_history_bytes 4096\n"));
    free(text);
}

/* --- the screen --- */

/* The text of the first row with this label, "" for none; its state and whether it is a detail. */
static const char *row_of(const json_t *screen, const char *label, const char **ret_state, bool *ret_detail)
{
    size_t i, j;
    const json_t *section, *row;
    json_array_foreach(json_object_get(screen, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "rows"), j, row)
        {
            if (strcmp(json_string_value(json_object_get(row, "label")), label) != 0)
                continue;
            *ret_state = json_string_value(json_object_get(row, "state"));
            *ret_detail = json_is_true(json_object_get(row, "detail"));
            return json_string_value(json_object_get(row, "text"));
        }
    }
    return "";
}

static void expect_row(const char *label, const char *text, const char *state_name, bool detail)
{
    const char *found_state = "";
    bool found_detail = false;
    json_t *screen = st_rows_json(&view);
    const char *found = row_of(screen, label, &found_state, &found_detail);
    if (strstr(found, text) == NULL)
        fail_msg("%s: %s", label, found);
    assert_string_equal(found_state, state_name);
    assert_true(found_detail == detail);
    json_decref(screen);
}

static void expect_no_row(const char *label)
{
    const char *found_state = "";
    bool found_detail;
    json_t *screen = st_rows_json(&view);
    assert_string_equal(row_of(screen, label, &found_state, &found_detail), "");
    json_decref(screen);
}

static void expect_of_screen(const char *key, const char *text)
{
    json_t *screen = st_rows_json(&view);
    assert_string_equal(json_string_value(json_object_get(screen, key)), text);
    json_decref(screen);
}

/* A PipeWire at 1024 frames on which something plays. */
static struct st_observed_view *watch_pipewire(void)
{
    view.now_wall_ns = view.started_wall_ns + 600 * ST_NS_PER_S;
    view.observe.n = 1;
    view.observe.sources[0] = (struct st_observed_view){.source = "pipewire",
                                                        .mode = ST_OBSERVED_AUTO,
                                                        .state = ST_OBSERVED_WATCHING,
                                                        .why = "profiler of PipeWire 0.3.65",
                                                        .opened_n = 1,
                                                        .since_wall_ns = view.started_wall_ns,
                                                        .last_wall_ns = INT64_MIN,
                                                        .frames = 1024,
                                                        .rate_hz = 48000,
                                                        .period_ns = 21333333,
                                                        .device_load_ns = 1};
    return &view.observe.sources[0];
}

static struct st_observed_client *add_client(struct st_observed_view *source, const char *name, uint64_t n,
                                             enum st_dropout_reason reason)
{
    struct st_observed_client *client = &source->clients[source->clients_n++];
    *client = (struct st_observed_client){.playing = true, .not_ready_n = n};
    client->reasons_n[reason] = n;
    snprintf(client->name, sizeof(client->name), "%s", name);
    source->starved_n += n;
    if (n > 0) {
        source->last_wall_ns = client->last_wall_ns = view.now_wall_ns - 5 * ST_NS_PER_S;
        source->certainty = ST_CERTAINTY_EXACT;
    }
    return client;
}

static void first_line_names_the_program_that_made_the_dropouts(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_observed_client *heavy = add_client(pipewire, "HeavyReverb", 407, ST_DROPOUT_TOO_SLOW);
    heavy->worst_busy_ns = 25000000;
    heavy->worst_period_ns = 21333333;
    heavy->load = (struct st_xrun_load){
        .cycles_n = 469, .busy_median_ns = 2560000, .busy_max_ns = 24000000, .period_ns = 21333333};
    add_client(pipewire, "GoodSynth", 5, ST_DROPOUT_WOKEN_LATE);
    expect_of_screen("answer", "HeavyReverb made 407 of 412 dropouts since 22:13: it computed too long "
                               "(25.0 ms of 21.3 ms).");
    expect_of_screen("state", "bad");
    expect_row("PipeWire", "1024 frames at 48 kHz (21.3 ms), last dropout 22:23:15 (exact)", "warn", false);
    expect_row("This computer", "timing OK: 0 of 1000 periods missed at 128 frames", "ok", false);
    expect_row("HeavyReverb", "407 dropouts: computed too long", "warn", false);
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 2048");
    expect_of_screen("next_why", "a buffer of 2048 frames (42.7 ms) holds its worst cycle of 25.0 ms; or "
                                 "freeze or simplify HeavyReverb");
    json_t *screen = st_rows_json(&view);
    const json_t *programs = json_array_get(json_object_get(screen, "sections"), 1);
    char *cells =
        json_dumps(json_object_get(json_array_get(json_object_get(programs, "rows"), 0), "cells"), 0);
    assert_string_equal(cells, "[\"HeavyReverb\", \"407\", \"computed too long\", \"12 %\", \"117 %\"]");
    free(cells);
    json_decref(screen);
    view.now_wall_ns += 3600 * ST_NS_PER_S; /* it has not clicked for an hour */
    expect_of_screen("state", "warn");
}

static void first_line_says_what_the_server_knows(void **state)
{
    (void)state;
    static const struct {
        enum st_dropout_reason reason;
        const char *name, *culprit, *answer, *next, *why;
    } rows[] = {
        {ST_DROPOUT_UNKNOWN, "", "",
         "3 dropouts since 22:13 on PipeWire: a program was not ready, reason unknown. PipeWire does not say which.",
         "sleeptune history --events", ""},
        {ST_DROPOUT_WOKEN_LATE, "mpv", "",
         "mpv made all 3 dropouts since 22:13: it was woken late (by 4.10 ms).", "sleeptune report",
         "finds the settings by which programs lose the CPU or wake up late"},
        {ST_DROPOUT_CPU_TAKEN, "mpv", "ffmpeg",
         "mpv made all 3 dropouts since 22:13: it lost the CPU to ffmpeg.", "sleeptune report",
         "finds the settings by which programs lose the CPU or wake up late"},
        {ST_DROPOUT_STOPPED, "mpv", "", "mpv made all 3 dropouts since 22:13: it was stopped or frozen.",
         "sleeptune status --watch", "nothing to tune: it was stopped or frozen"},
        {ST_DROPOUT_WAITED_FOR_OTHER, "mpv", "Heavy",
         "mpv made all 3 dropouts since 22:13: it waited for Heavy.", "sleeptune status --watch",
         "look at the program that it waited for"},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_observed_client *client = add_client(watch_pipewire(), rows[i].name, 3, rows[i].reason);
        client->worst_wait_ns = 4100000;
        snprintf(client->culprit, sizeof(client->culprit), "%s", rows[i].culprit);
        client->culprit_n = 3;
        expect_of_screen("answer", rows[i].answer);
        expect_of_screen("next", rows[i].next);
        expect_of_screen("next_why", rows[i].why);
    }
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_observed_client *client = add_client(pipewire, "mpv", 9, ST_DROPOUT_CPU_TAKEN);
    snprintf(client->culprit, sizeof(client->culprit), "cc1");
    client->culprit_n = 4; /* it leads by so many */
    expect_row("mpv", "lost the CPU to cc1 and others", "warn", false);
    pipewire = watch_pipewire();
    pipewire->device_xruns_n = 1;
    pipewire->last_wall_ns = view.now_wall_ns;
    expect_of_screen("answer", "1 dropout since 22:13 on PipeWire: the device ran dry.");
    pipewire->source = "jack";
    expect_of_screen("answer", "1 dropout since 22:13 on JACK: JACK does not say which program it was.");
    expect_of_screen("next", "sleeptune report");
}

static void buffer_that_helps_fits_the_worst_cycle_or_is_not_named(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_observed_client *client = add_client(pipewire, "Heavy", 1, ST_DROPOUT_TOO_SLOW);
    client->worst_period_ns = 21333333;
    client->worst_busy_ns = 60000000; /* 2880 frames */
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 4096");
    client->worst_busy_ns = 600000000; /* no buffer is so large */
    expect_of_screen("next_why", "raise the buffer of that program, or freeze or simplify it");
    client->worst_busy_ns = 25000000;
    client->load = (struct st_xrun_load){
        .cycles_n = 469, .busy_median_ns = 21000000, .busy_max_ns = 25000000, .period_ns = 21333333};
    expect_of_screen("next_why",
                     "Heavy needs 98 % of each period: freeze or simplify it, no buffer size helps");
    client->load.cycles_n = 0;
    pipewire->frames = 2048;
    pipewire->period_ns = 42666667; /* it was raised since */
    expect_of_screen("next", "sleeptune status --watch");
    pipewire->source = "jack";
    client->worst_busy_ns = 45000000;
    expect_of_screen("next", "jack_bufsize 4096");
}

static void first_line_without_a_dropout_says_what_was_watched(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    expect_of_screen("answer",
                     "No dropout since 22:13 on PipeWire at 1024 frames. This computer's timing: OK.");
    expect_of_screen("state", "ok");
    result.misses = 4;
    expect_of_screen("answer",
                     "No dropout since 22:13 on PipeWire at 1024 frames. This computer's timing: not OK.");
    result.misses = 0;
    pipewire->frames = pipewire->rate_hz = pipewire->period_ns = 0;
    expect_of_screen("answer",
                     "Nothing plays on PipeWire, and no dropout since 22:13. This computer's timing: OK.");
    view.rests = true;
    view.loop = NULL;
    expect_of_screen("answer", "Nothing plays on PipeWire, and no dropout since 22:13.");
    expect_row("PipeWire", "nothing plays now", "ok", false);
    expect_of_screen("next_why", "then play: it names what makes dropouts");
    view.rests = false;
    view.loop = &result;
    pipewire->state = ST_OBSERVED_ABSENT;
    snprintf(pipewire->why, sizeof(pipewire->why), "PipeWire is not running");
    expect_of_screen("answer",
                     "No sound server is watched: PipeWire is not running. This computer's timing: OK.");
    expect_of_screen("next", "sleeptune status --details");
}

static void table_of_clients_has_the_first_ones_on_the_first_screen(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof(name), "client%d", i);
        add_client(pipewire, name, i == 0, ST_DROPOUT_EXITED)->playing = i > 0;
    }
    expect_row("client0", "1 dropout: exited", "warn", false);
    expect_row("client7", "0 dropouts", "ok", false);
    expect_row("client8", "0 dropouts", "ok", true);
    expect_no_row("others");
    pipewire->others_not_ready_n = 7;
    expect_row("others", "7 dropouts: gone, no longer listed", "warn", true);
}

static void stall_is_left_out_of_the_usual_lateness(void **state)
{
    (void)state;
    st_hist_add_n(&result.response, INT64_C(290) * ST_NS_PER_S, 5000);
    expect_row("Due to done", "median 10.5 \xc2\xb5s, 99 % ", "ok", true);
    expect_row("Due to done", ", without 5000 in stalls of up to 4.8 min (n = 6000)", "ok", true);
    result.misses = 1;
    st_hist_add_n(&result.lateness, INT64_C(290) * ST_NS_PER_S, 1);
    expect_row("This computer", "periods missed at 128 frames, longest stall 4.8 min", "bad", false);
}

static void screen_of_a_healthy_daemon_has_few_figures_and_one_next_step(void **state)
{
    (void)state;
    expect_of_screen("answer", "No sound server is watched. This computer's timing: OK.");
    expect_of_screen("state", "ok");
    expect_of_screen("next", "sleeptune history");
    expect_row("This computer", "timing OK: 0 of 1000 periods missed at 128 frames", "ok", false);
    expect_row("Simulated", "0 xruns", "ok", true);
    expect_row("Lateness", "median 10.5 \xc2\xb5s", "ok", true);
    expect_row("Loop", "128 frames at 48000 Hz (2.667 ms), fifo 70, any CPU", "ok", true);
    expect_row("Own stream", "dummy, playing", "ok", true);
    expect_row("Daemon", "PID 42, running for 0 h 00 min 05 s", "ok", true);
    expect_row("Own cost", "CPU time per cycle not known yet", "ok", true);
    expect_no_row("Degraded");
    expect_no_row("Main cause");
    expect_no_row("Last minute");
    json_t *screen = st_rows_json(&view);
    const json_t *first = json_array_get(json_object_get(screen, "sections"), 0);
    assert_true(json_array_size(json_object_get(first, "rows")) <= 5);
    json_decref(screen);
}

static void screen_names_what_went_wrong_and_the_command_that_helps(void **state)
{
    (void)state;
    result.misses = 4;
    result.records_lost = 2;
    result.cause_late_n = 6;
    result.cause_above_ns = 1333333;
    result.causes[ST_CAUSE_RUN_QUEUE] =
        (struct st_cause_row){.n = 3, .total_ns = 4500000, .max_ns = 2 * ST_NS_PER_MS};
    view.has_minute = true;
    view.minute = (struct st_minute){.cycles = 22500,
                                     .misses = 1,
                                     .lateness_max_ns = INT64_MIN,
                                     .observed_xruns = 2,
                                     .starved_clients = 22};
    expect_of_screen("state", "bad");
    expect_of_screen("next", "sleeptune history --causes");
    expect_row("This computer",
               "timing not OK: 4 of 1000 periods missed at 128 frames, worst wake-up 3.00 ms late", "bad",
               false);
    expect_row("This computer", "; not recorded: 2 periods", "bad", false);
    expect_row("Main cause", ": 3 of 6 late wake-ups, longest 2.000 ms", "warn", false);
    expect_row("Last minute",
               "24 dropouts, 1 of the loop's 22500 periods missed, worst wake-up not known yet", "bad", true);
    view.minute.observed_xruns = INT64_MIN;
    expect_row("Last minute", "no server watched, 1 of ", "bad", true);
    expect_row("Late", "6 wake-ups more than 1.333 ms late", "ok", true);
    snprintf(result.degraded, sizeof(result.degraded), "no right to SCHED_FIFO");
    expect_of_screen("next", "sleeptune report");
    expect_row("Degraded", "loop: no right to SCHED_FIFO", "bad", false);
}

static void screen_without_a_loop_claims_nothing(void **state)
{
    (void)state;
    view.loop = NULL;
    expect_of_screen("state", "unknown");
    expect_of_screen("next", "sleeptune status --watch");
    expect_row("This computer", "timing not measured yet", "unknown", false);
    expect_no_row("Lateness");
    expect_no_row("Loop");
    view.loop = &result;
    result.elapsed_periods = 0;
    expect_row("This computer", "timing not measured yet", "unknown", false);
}

static void screen_lists_sources_that_are_or_could_be_watched(void **state)
{
    (void)state;
    view.observe.n = 2;
    view.observe.sources[0] = (struct st_observed_view){.source = "alsa",
                                                        .mode = ST_OBSERVED_AUTO,
                                                        .state = ST_OBSERVED_WATCHING,
                                                        .opened_n = 1,
                                                        .device_xruns_n = 5,
                                                        .starved_n = 3};
    struct st_observed_view *never = &view.observe.sources[1];
    *never = (struct st_observed_view){
        .source = "sound4", .mode = ST_OBSERVED_AUTO, .state = ST_OBSERVED_ABSENT, .never = true};
    expect_row("ALSA", "watching, last dropout ", "warn", false);
    expect_row("Watched",
               "alsa, device xruns: 5, clients not ready: 3, CPU time per poll not known yet (n = 0)", "ok",
               true);
    expect_no_row("Not watched");
    never->mode = ST_OBSERVED_ON; /* asked for */
    expect_row("Not watched", "sound4", "bad", true);
    never->mode = ST_OBSERVED_AUTO;
    never->never = false;
    expect_row("Not watched", "sound4", "ok", true);
    view.observe.sources[0].state = ST_OBSERVED_ABSENT;
    expect_row("ALSA", "; not watched now", "warn", false);
    *never = (struct st_observed_view){
        .source = "jack", .state = ST_OBSERVED_WATCHING, .device_xruns_n = 2, .why = "server studio"};
    expect_row("JACK", "server studio, 2 dropouts, last ", "warn", false);
}

static void screen_shows_streams_that_record_with_overflows_and_gaps(void **state)
{
    (void)state;
    struct st_audio_view *input = &view.audio[ST_AUDIO_INPUT];
    expect_no_row("Recording");
    *input = (struct st_audio_view){.state = ST_AUDIO_RUNNING,
                                    .backend = "alsa",
                                    .xruns_known = true,
                                    .xruns_n = 3,
                                    .holes_n = 1,
                                    .callbacks = {.calls_n = 9,
                                                  .frames_min = 64,
                                                  .frames_max = 128,
                                                  .n = 8,
                                                  .median_ns = 5000,
                                                  .p99_ns = INT64_MIN,
                                                  .p999_ns = INT64_MIN,
                                                  .max_ns = 90000}};
    expect_row("Recording", "alsa, recording, ", "ok", true);
    expect_row("Recording", ", 3 overflows, 1 gap", "ok", true);
    expect_row("Callbacks", "of 64 to 128 frames (n = 9); late: median 5.0 \xc2\xb5s, 99 % not known yet",
               "ok", true);
    input->xruns_known = false;
    expect_row("Recording", "the sound system does not report overflows", "ok", true);
}

static void screen_says_what_waits_and_what_was_put_aside(void **state)
{
    (void)state;
    view.history = (struct st_history_writer_view){.state = ST_HISTORY_WRITER_FAILING,
                                                   .bytes = 2500000,
                                                   .waiting_minutes_n = 3,
                                                   .lost_events_n = 4,
                                                   .why = "disk full",
                                                   .path = "/h.db",
                                                   .aside = "/h.db.aside-1"};
    expect_row("History",
               "failing /h.db, 2.5 MB: disk full; 3 minutes and 0 events waiting in memory; 0 minutes "
               "and 4 events lost",
               "bad", true);
    json_t *screen = st_rows_json(&view);
    char *text = json_dumps(screen, 0);
    assert_non_null(strstr(text, "the file that was there before is now /h.db.aside-1"));
    free(text);
    json_decref(screen);
}

static void events_of_the_screen_carry_their_times(void **state)
{
    (void)state;
    for (int i = 0; i < ST_ROWS_EVENTS_MAX + 3; i++)
        json_array_append_new(view.events, json_pack("{s:I, s:s, s:s}", "time_ns", (json_int_t)i, "event",
                                                     "pause", "text", "x"));
    json_t *screen = st_rows_json(&view);
    const json_t *events = NULL, *section;
    size_t i;
    json_array_foreach(json_object_get(screen, "sections"), i, section)
    {
        if (strcmp(json_string_value(json_object_get(section, "title")), "Events") == 0)
            events = json_object_get(section, "rows");
    }
    assert_int_equal(json_array_size(events), ST_ROWS_EVENTS_MAX);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(events, 1), "time_ns")), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(events, 1), "text")), "pause: x");
    json_decref(screen);
}

static const json_t *chart_member(const json_t *screen, size_t chart, const char *key)
{
    return json_object_get(json_array_get(json_object_get(screen, "charts"), chart), key);
}

static void charts_have_null_for_unknown_seconds_and_name_the_bad_ones(void **state)
{
    (void)state;
    struct st_live_look seconds = {.n = 3};
    seconds.seconds[0] = (struct st_live_second){.cycles = 375, .max_ns = 50000, .median_ns = 27000};
    seconds.seconds[1] = (struct st_live_second){.max_ns = INT64_MIN, .median_ns = INT64_MIN};
    seconds.seconds[2] =
        (struct st_live_second){.cycles = 375, .misses = 4, .max_ns = 8872000, .median_ns = 27000};
    view.seconds = &seconds;
    st_hist_add_n(&result.lateness, 7000000, 1); /* in the bar of 5 ms .. 10 ms, beyond a period */
    json_t *screen = st_rows_json(&view);
    assert_int_equal(json_array_size(chart_member(screen, 0, "values")), 3);
    assert_true(json_is_null(json_array_get(chart_member(screen, 0, "values"), 1)));
    assert_true(json_is_null(json_array_get(chart_member(screen, 0, "marks"), 1)));
    assert_int_equal(json_integer_value(json_array_get(chart_member(screen, 0, "values"), 2)), 8872000);
    assert_int_equal(json_array_size(chart_member(screen, 0, "bad")), 1);
    assert_int_equal(json_integer_value(json_array_get(chart_member(screen, 0, "bad"), 0)), 2);
    assert_string_equal(json_string_value(chart_member(screen, 0, "note")),
                        "Last 3 s: 4 missed deadlines, worst wake-up 8.872 ms; 1 s incomplete");
    assert_string_equal(json_string_value(chart_member(screen, 0, "low_text")), "10 \xc2\xb5s");
    assert_string_equal(json_string_value(chart_member(screen, 0, "high_text")), "10 ms");
    const json_t *counts = chart_member(screen, 1, "values");
    assert_int_equal(json_array_size(counts), 20);
    assert_int_equal(json_integer_value(json_array_get(counts, 0)), 4);   /* early ones */
    assert_int_equal(json_integer_value(json_array_get(counts, 4)), 990); /* 10 us .. 20 us */
    assert_int_equal(json_array_size(chart_member(screen, 1, "bad")), 1);
    json_decref(screen);
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(healthy_daemon_is_running_with_nothing_degraded),
        TEST(watchdog_that_a_real_time_loop_can_starve_is_degraded),
        TEST(loop_without_a_cpu_is_the_verdict_and_degraded),
        TEST(every_degraded_part_is_named_with_its_reason),
        TEST(daemon_without_a_result_is_starting_not_fine),
        TEST(last_document_says_ended),
        TEST(document_of_a_failed_loop_does_not_say_ended),
        TEST(closed_stream_shows_no_figures_of_an_old_one),
        TEST(both_streams_are_told_apart_and_counted_together),
        TEST(overflows_that_nobody_tells_are_no_zero),
        TEST(capture_that_is_not_there_is_degraded_by_its_own_name),
        TEST(history_without_a_folder_is_degraded_when_it_is_wanted),
        TEST(text_that_is_no_utf8_is_kept_readable),
        TEST(metrics_have_the_published_names_and_cumulative_buckets),
        TEST(metrics_count_each_degraded_part),
        TEST(books_that_do_not_balance_are_degraded_while_it_runs),
        TEST(what_is_degraded_has_room_in_its_list),
        TEST(metrics_tell_causes_and_circumstances),
        TEST(metrics_of_the_history_are_known_or_absent),
        TEST(first_line_names_the_program_that_made_the_dropouts),
        TEST(first_line_says_what_the_server_knows),
        TEST(buffer_that_helps_fits_the_worst_cycle_or_is_not_named),
        TEST(first_line_without_a_dropout_says_what_was_watched),
        TEST(table_of_clients_has_the_first_ones_on_the_first_screen),
        TEST(stall_is_left_out_of_the_usual_lateness),
        TEST(screen_of_a_healthy_daemon_has_few_figures_and_one_next_step),
        TEST(screen_names_what_went_wrong_and_the_command_that_helps),
        TEST(screen_without_a_loop_claims_nothing),
        TEST(screen_lists_sources_that_are_or_could_be_watched),
        TEST(screen_shows_streams_that_record_with_overflows_and_gaps),
        TEST(screen_says_what_waits_and_what_was_put_aside),
        TEST(events_of_the_screen_carry_their_times),
        TEST(charts_have_null_for_unknown_seconds_and_name_the_bad_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
