/* Status document and metrics from a gathered view. */
#include "tests/unit/shown_json.h"
#include "tests/unit/view_fixture.h"

/* Shows what of document and metrics is not as it was. */
static void look(const char *when)
{
    char *metrics = st_view_metrics(&view, true);
    json_t *document = st_view_json(&view);
    assert_int_equal(json_object_del(document, "screen"), 0); /* test_rows */
    (void)lines_of_json(document);
    ST_TEXT_EACH (line, metrics, "\n") {
        if (!st_text_begins(line, "sleeptune_build_info{"))
            ST_APPEND(json_lines, "%s\n", line);
    }
    free(metrics);
    show_changes(when, json_lines);
}

/* What it shows is what the others begin with. */
static void healthy_daemon_is_running_with_nothing_degraded(void **state)
{
    look("");
    shown_begins();
}

static void watchdog_that_a_real_time_loop_can_starve_is_a_detail(void **state)
{
    view.watchdog.running = true;
    look("");
    ST_PRINT(view.rtkit, "rtkit granted SCHED_RR 20");
    look("it watches its clients itself");
    view.rtkit[0] = '\0';
    result.policy = ST_POLICY_OTHER;
    look("nothing that could starve it");
    result.policy = ST_POLICY_FIFO;
    view.watchdog.above_loop = true;
    look("it goes before the loop");
}

static void loop_without_a_cpu_is_the_verdict_and_degraded(void **state)
{
    view.overdue.ns = 12300 * ST_NS_PER_MS;
    look("");
    result.cycles = result.elapsed_periods = 0;
    look("it never ran");
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
    look("");
}

static void daemon_without_a_result_is_starting_not_fine(void **state)
{
    view.loop = NULL;
    look("");
}

static void last_document_says_ended(void **state)
{
    view.ended = true;
    look("");
    result.error = -5;
    look("the loop failed");
}

static void closed_stream_shows_no_figures_of_an_old_one(void **state)
{
    view.audio.state = ST_AUDIO_WAITING;
    ST_PRINT(view.audio.error, "x");
    view.audio.latency_ns = 5;
    look("");
}

static void history_without_a_folder_is_degraded_when_it_is_wanted(void **state)
{
    view.history.state = ST_HISTORY_WRITER_OFF;
    ST_PRINT(view.history.why, "there is no state folder");
    look("");
    view.history.missing = true;
    look("it is wanted");
}

static void text_that_is_no_utf8_is_kept_readable(void **state)
{
    ST_PRINT(view.config.error, "caf\xe9: 20 \xc2");
    ST_PRINT(view.audio.device_name, "\xff");
    look("");
}

static void metrics_have_the_published_names_and_cumulative_buckets(void **state)
{
    result.misses = 6;
    result.skipped_periods = 2;
    view.audio.dropouts_n = 9;
    look(""); /* early ones are below every bound */
}

/** The sum over all parts: a part that the metrics lack would be missing in it. */
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
    for (char *const *error = (char *const[]){view.audio.error, view.config.error, view.failed.http,
                                              view.failed.socket, view.failed.trace, NULL};
         *error != NULL; error++)
        memcpy(*error, "x", 2);
    view.history.state = ST_HISTORY_WRITER_FAILING;
    view.observe.n = sources_n;
    for (size_t i = 0; i < view.observe.n; i++)
        view.observe.sources[i] = (struct st_observed_view){.source = i == 0 ? "jack" : "alsa",
                                                            .mode = ST_OBSERVED_ON,
                                                            .state = ST_OBSERVED_ABSENT};
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
    view.observe.sources[2] =
        (struct st_observed_view){.source = "alsa", .opened_n = 1, .device_only = true};
    view.observe.sources[0] =
        (struct st_observed_view){.source = "usb", .opened_n = 1, .device_only = true};
    view.observe.sources[1] = (struct st_observed_view){.source = "jack", .opened_n = 1};
    st_dropout_table_take(&view.observe.sources[0].seen, &seen, 0, 0);
    seen = (struct st_xrun_seen){.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                           .count_n = 1,
                                           .place = ST_DROPOUT_AT_GRAPH,
                                           .certainty = ST_CERTAINTY_EXACT,
                                           .client = "Synth"}};
    st_dropout_table_take(&view.observe.sources[1].seen, &seen, 0, 0);
    look("");
}

static void metrics_have_no_count_of_what_is_not_watched(void **state)
{
    struct st_observed_view *source = &view.observe.sources[0];
    *source = (struct st_observed_view){.source = "pipewire", .opened_n = 1, .seen.clients_n = 1};
    view.observe.n = 1;
    snprintf(source->seen.clients[0].name, ST_XRUN_NAME_BYTES, "mpv");
    for (int between = ST_XRUN_BETWEEN_NOTHING; between <= ST_XRUN_BETWEEN_HEARD; between++) {
        source->seen.clients[0].load.between = between;
        for (uint64_t n = 0; n <= 2; n += 2) {
            source->seen.clients[0].sum.n = n;
            look(st_text("between %d", between));
        }
    }
}

static void metrics_count_each_degraded_part(void **state)
{
    degrade_all(5);
    assert_int_equal(st_view_degraded(&view).n, 15);
    char *text = st_view_metrics(&view, true);
    assert_int_equal(degraded_n(text), 15);
    free(text);
    look("");
}

/* What is drained of a loop that runs is compared at each look. */
static void books_that_do_not_balance_are_degraded_while_it_runs(void **state)
{
    result.books_balance = false;
    look("");
    view.ended = true;
    look("it has ended");
}

/* More than any daemon has at once. */
static void what_is_degraded_has_room_in_its_list(void **state)
{
    degrade_all(ST_XRUN_SOURCES_MAX);
    view.overdue.ns = 12 * ST_NS_PER_S;
    const struct st_degraded_list list = st_view_degraded(&view);
    assert_int_equal(list.n, ST_VIEW_DEGRADED_MAX);
    assert_string_equal(list.parts[0].what, "loop");
    assert_string_equal(list.parts[list.n - 1].what, "history");
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
    look("");
}

static void metrics_of_the_history_are_known_or_absent(void **state)
{
    view.history.bytes = INT64_MIN;
    view.history.lost_minutes_n = 2;
    look("");
    view.history.bytes = 4096;
    look("");
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        TEST(healthy_daemon_is_running_with_nothing_degraded),
        TEST(watchdog_that_a_real_time_loop_can_starve_is_a_detail),
        TEST(loop_without_a_cpu_is_the_verdict_and_degraded),
        TEST(every_degraded_part_is_named_with_its_reason),
        TEST(daemon_without_a_result_is_starting_not_fine),
        TEST(last_document_says_ended),
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
    return shown_run(tests);
}
