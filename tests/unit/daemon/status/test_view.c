/* Status document and metrics from a gathered view. */
#include "daemon/status/live.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_fixture.h"

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
    json_t *document = st_view_json(&view);
    assert_string_equal(json_string_value(json_object_get(document, "schema")), "sleeptune-status/1");
    assert_string_equal(state_of(document), "running");
    assert_int_equal(json_array_size(json_object_get(document, "degraded")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(document, "loop"), "cycles")), 1000);
    assert_true(json_is_null(json_object_get(document, "last_minute")));
    json_decref(document);
}

static void watchdog_that_a_real_time_loop_can_starve_is_a_detail(void **state)
{
    view.watchdog.running = true;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "running");
    assert_non_null(
        strstr(degraded_why(document, "watchdog"), "the watchdog got no higher priority than the test loop"));
    json_decref(document);
    ST_PRINT(view.rtkit, "rtkit granted SCHED_RR 20"); /* it watches its clients itself */
    document = st_view_json(&view);
    assert_null(degraded_why(document, "watchdog"));
    json_decref(document);
    view.rtkit[0] = '\0';
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
    char *text = st_view_metrics(&view, true);
    assert_non_null(strstr(text, "\nsleeptune_loop_overdue_seconds 0\n"));
    free(text);
    view.overdue.ns = 12300 * ST_NS_PER_MS;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "degraded");
    assert_string_equal(
        json_string_value(json_object_get(document, "verdict")),
        "No sound server is watched. The loop has not run for 12 s (about 4612 periods overdue).");
    assert_string_equal(degraded_why(document, "loop"),
                        "the test loop has not run for 12 s (about 4612 periods overdue)");
    assert_int_equal(json_integer_value(json_object_get(document, "overdue_ns")), 12300 * ST_NS_PER_MS);
    json_decref(document);
    text = st_view_metrics(&view, true);
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
    ST_PRINT(result.degraded, "no right to SCHED_FIFO");
    result.lock = ST_LOCK_NONE;
    ST_PRINT(view.rtkit, "rtkit gave no real-time priority: no such service");
    view.audio.state = ST_AUDIO_WAITING;
    ST_PRINT(view.audio.error, "backend alsa: unable to initialize audio backend");
    view.watchdog.demoted = true;
    ST_PRINT(view.watchdog.reason, "taken from the loop");
    ST_PRINT(view.config.error, "f:1: loop.x: unknown key");
    ST_PRINT(view.failed.http, "cannot be served");
    ST_PRINT(view.failed.socket, "no such group");
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "degraded");
    assert_int_equal(json_array_size(json_object_get(document, "degraded")), 7);
    assert_non_null(strstr(degraded_why(document, "loop"), "no right to SCHED_FIFO; rtkit gave no"));
    assert_non_null(degraded_why(document, "memory"));
    assert_non_null(strstr(degraded_why(document, "audio"), "unable to initialize"));
    assert_non_null(degraded_why(document, "watchdog"));
    assert_non_null(strstr(degraded_why(document, "config"), "the old settings are kept: f:1"));
    assert_non_null(degraded_why(document, "socket"));
    assert_non_null(degraded_why(document, "http"));
    json_decref(document);
}

static void daemon_without_a_result_is_starting_not_fine(void **state)
{
    view.loop = NULL;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "starting");
    assert_true(json_is_null(json_object_get(document, "loop")));
    json_decref(document);
    char *text = st_view_metrics(&view, true);
    assert_null(strstr(text, "sleeptune_cycles_total"));
    free(text);
}

static void last_document_says_ended(void **state)
{
    view.ended = true;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "ended");
    json_decref(document);
}

static void document_of_a_failed_loop_does_not_say_ended(void **state)
{
    view.ended = true;
    result.error = -5;
    json_t *document = st_view_json(&view);
    assert_string_equal(state_of(document), "failed");
    json_decref(document);
}

static void closed_stream_shows_no_figures_of_an_old_one(void **state)
{
    view.audio.state = ST_AUDIO_WAITING;
    view.audio.latency_ns = 5;
    json_t *document = st_view_json(&view);
    assert_null(json_object_get(json_object_get(document, "audio"), "latency_ns"));
    json_decref(document);
}

static void history_without_a_folder_is_degraded_when_it_is_wanted(void **state)
{
    for (int missing = 0; missing < 2; missing++) {
        view.history.state = ST_HISTORY_WRITER_OFF;
        view.history.missing = missing != 0;
        ST_PRINT(view.history.why, "there is no state folder");
        json_t *document = st_view_json(&view);
        const char *why = degraded_why(document, "history");
        assert_true((why != NULL) == (missing != 0));
        assert_true(why == NULL || strcmp(why, "enabled, but there is no state folder") == 0);
        json_decref(document);
    }
}

static void text_that_is_no_utf8_is_kept_readable(void **state)
{
    ST_PRINT(view.config.error, "caf\xe9: 20 \xc2");
    ST_PRINT(view.audio.device_name, "\xff");
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
    result.misses = 6;
    result.skipped_periods = 2;
    view.audio.dropouts_n = 9;
    static const char *const lines[] = {
        "\nsleeptune_deadline_misses_total 6\n",
        "\nsleeptune_miss_events_total ",
        "\nsleeptune_skipped_periods_total 2\n",
        "\nsleeptune_device_dropouts_total{source=\"own\"} 9\n",
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
    char *text = st_view_metrics(&view, true);
    assert_non_null(strstr(text, "sleeptune_cycles_total 1000\n"));
    ST_EACH (line, lines) {
        if (strstr(text, *line) == NULL)
            fail_msg("no line %s in:\n%s", *line, text);
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

/* All that can be at once, and several sources of other programs' xruns that are not there. */
static void degrade_all(size_t sources_n)
{
    ST_PRINT(result.degraded, "no right to SCHED_FIFO");
    result.lock = ST_LOCK_NONE;
    result.books_balance = false;
    view.ended = true;
    view.audio.state = ST_AUDIO_WAITING;
    ST_PRINT(view.watchdog.reason, "taken from the loop");
    for (char *const *error = (char *const[]){view.config.error, view.failed.http, view.failed.socket,
                                              view.failed.trace, NULL};
         *error != NULL; error++)
        memcpy(*error, "x", 2);
    view.history.state = ST_HISTORY_WRITER_FAILING;
    view.observe.n = sources_n;
    for (size_t i = 0; i < view.observe.n; i++)
        view.observe.sources[i] = (struct st_observed_view){
            .source = i == 0 ? "jack" : "alsa", .mode = ST_OBSERVED_ON, .state = ST_OBSERVED_ABSENT};
}

static void metrics_have_places_and_lengths_that_are_known(void **state)
{
    struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                                          .count_n = 2,
                                          .place = ST_DROPOUT_AT_BUS,
                                          .certainty = ST_CERTAINTY_EXACT,
                                          .lost_ns = 3000000,
                                          .client = "Card"}};
    view.observe.n = 3;
    view.observe.sources[2] = (struct st_observed_view){.source = "alsa", .opened_n = 1, .device_only = true};
    view.observe.sources[0] = (struct st_observed_view){.source = "usb", .opened_n = 1, .device_only = true};
    view.observe.sources[1] = (struct st_observed_view){.source = "jack", .opened_n = 1};
    st_dropout_table_take(&view.observe.sources[0].seen, &seen, 0, 0);
    seen = (struct st_xrun_seen){.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                           .count_n = 1,
                                           .place = ST_DROPOUT_AT_GRAPH,
                                           .certainty = ST_CERTAINTY_EXACT,
                                           .client = "Synth"}};
    st_dropout_table_take(&view.observe.sources[1].seen, &seen, 0, 0);
    char *text = st_view_metrics(&view, true);
    const char *const lines[] = {
        "\nsleeptune_dropouts_by_place_total{source=\"usb\",place=\"bus\"} 2\n",
        "\nsleeptune_dropouts_by_place_total{source=\"usb\",place=\"resync\"} 0\n",
        "\nsleeptune_dropouts_by_place_total{source=\"jack\",place=\"graph\"} 1\n",
        "\nsleeptune_lost_seconds_total{source=\"usb\"} 0.003000000\n",
        "\nsleeptune_lost_seconds_total{source=\"alsa\"} 0.000000000\n",
    };
    ST_EACH (line, lines)
        assert_non_null(strstr(text, *line));
    assert_null(strstr(text, "sleeptune_lost_seconds_total{source=\"jack\"}"));
    free(text);
}

static void metrics_have_no_count_of_what_is_not_watched(void **state)
{
    struct st_observed_view *source = &view.observe.sources[0];
    *source = (struct st_observed_view){.source = "pipewire", .opened_n = 1, .seen.clients_n = 1};
    view.observe.n = 1;
    snprintf(source->seen.clients[0].name, ST_XRUN_NAME_BYTES, "mpv");
    const char *sample = "sleeptune_client_dropouts_total{source=\"pipewire\",client=\"mpv\",device=\"\"} ";
    for (int between = ST_XRUN_BETWEEN_NOTHING; between <= ST_XRUN_BETWEEN_HEARD; between++) {
        source->seen.clients[0].load.between = between;
        source->seen.clients[0].dropouts_n = 0;
        char *text = st_view_metrics(&view, true);
        assert_true((strstr(text, sample) == NULL) ==
                    (between == ST_XRUN_BETWEEN_STOPS || between == ST_XRUN_BETWEEN_UNSEEN));
        free(text);
        source->seen.clients[0].dropouts_n = 2;
        text = st_view_metrics(&view, true);
        assert_non_null(strstr(text, sample));
        free(text);
    }
}

static void metrics_count_each_degraded_part(void **state)
{
    char *text = st_view_metrics(&view, true);
    assert_int_equal(degraded_n(text), 0);
    assert_non_null(strstr(text, "\nsleeptune_degraded{what=\"loop\"} 0\n"));
    free(text);
    degrade_all(5);
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    text = st_view_metrics(&view, true);
    assert_int_equal(st_view_degraded(&view, degraded), 15);
    assert_int_equal(degraded_n(text), 15);
    assert_non_null(strstr(text, "\nsleeptune_degraded{what=\"observe\"} 5\n"));
    free(text);
}

/* What is drained of a loop that runs is compared at each look. */
static void books_that_do_not_balance_are_degraded_while_it_runs(void **state)
{
    result.books_balance = false;
    for (int ended = 0; ended < 2; ended++) {
        view.ended = ended != 0;
        json_t *document = st_view_json(&view);
        assert_string_equal(state_of(document), ended ? "ended" : "degraded");
        assert_non_null(strstr(degraded_why(document, "books"), "do not agree"));
        json_decref(document);
        char *text = st_view_metrics(&view, true);
        assert_non_null(strstr(text, "\nsleeptune_degraded{what=\"books\"} 1\n"));
        free(text);
    }
}

/* More than any daemon has at once. */
static void what_is_degraded_has_room_in_its_list(void **state)
{
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX + 8] = {0};
    degrade_all(ST_XRUN_SOURCES_MAX);
    view.overdue.ns = 12 * ST_NS_PER_S;
    assert_int_equal(st_view_degraded(&view, degraded), ST_VIEW_DEGRADED_MAX);
    assert_string_equal(degraded[0].what, "loop");
    assert_non_null(degraded[ST_VIEW_DEGRADED_MAX - 1].what);
    for (size_t i = ST_VIEW_DEGRADED_MAX; i < ST_ARRAY_LEN(degraded); i++)
        assert_null(degraded[i].what);
    json_t *document = st_view_json(&view);
    assert_int_equal(json_array_size(json_object_get(document, "degraded")), ST_VIEW_DEGRADED_MAX);
    json_decref(document);
    char *text = st_view_metrics(&view, true);
    assert_int_equal(degraded_n(text), ST_VIEW_DEGRADED_MAX);
    free(text);
}

static void metrics_tell_causes_and_conditions(void **state)
{
    result.causes[ST_CAUSE_RUN_QUEUE] = (struct st_cause_row){.n = 3, .total_ns = 4500000};
    result.conditions[0] = (struct st_test_condition){"cpu_model", "A \"fast\" one\\two\n\xe9"};
    result.conditions[1] = (struct st_test_condition){"kernel_release", "6.1.0-rt"};
    result.conditions_n = 2;
    char *text = st_view_metrics(&view, true);
    assert_non_null(strstr(text, "\nsleeptune_late_wakes_total{cause=\"run-queue\"} 3\n"));
    assert_non_null(strstr(text, "\nsleeptune_late_wakes_total{cause=\"page-fault\"} 0\n"));
    assert_non_null(strstr(text, "\nsleeptune_late_wakes_seconds_total{cause=\"run-queue\"} 0.004500000\n"));
    assert_non_null(strstr(text, "\nsleeptune_conditions_info{kernel_release=\"6.1.0-rt\","
                                 "cpu_model=\"A \\\"fast\\\" one\\\\two??\"} 1\n"));
    free(text);
}

static void metrics_of_the_history_are_known_or_absent(void **state)
{
    view.history.bytes = INT64_MIN;
    view.history.lost_minutes_n = 2;
    char *text = st_view_metrics(&view, true);
    assert_null(strstr(text, "sleeptune_history_bytes"));
    assert_non_null(strstr(text, "\nsleeptune_history_lost_rows_total{kind=\"minute\"} 2\n"));
    free(text);
    view.history.bytes = 4096;
    text = st_view_metrics(&view, true);
    assert_non_null(strstr(text, "\nsleeptune_history_bytes 4096\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(healthy_daemon_is_running_with_nothing_degraded),
        TEST(watchdog_that_a_real_time_loop_can_starve_is_a_detail),
        TEST(loop_without_a_cpu_is_the_verdict_and_degraded),
        TEST(every_degraded_part_is_named_with_its_reason),
        TEST(daemon_without_a_result_is_starting_not_fine),
        TEST(last_document_says_ended),
        TEST(document_of_a_failed_loop_does_not_say_ended),
        TEST(closed_stream_shows_no_figures_of_an_old_one),
        TEST(history_without_a_folder_is_degraded_when_it_is_wanted),
        TEST(text_that_is_no_utf8_is_kept_readable),
        TEST(metrics_have_the_published_names_and_cumulative_buckets),
        TEST(metrics_have_places_and_lengths_that_are_known),
        TEST(metrics_have_no_count_of_what_is_not_watched),
        TEST(metrics_count_each_degraded_part),
        TEST(books_that_do_not_balance_are_degraded_while_it_runs),
        TEST(what_is_degraded_has_room_in_its_list),
        TEST(metrics_tell_causes_and_conditions),
        TEST(metrics_of_the_history_are_known_or_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
