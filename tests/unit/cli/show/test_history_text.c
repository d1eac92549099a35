/* What sleeptune history says first, and its events: documents come from a socket or a file, so
 * nothing in them is trusted. */
#include "cli/show/daemon_client.h"
#include "cli/show/history_text.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "platform/program/failure.h"
#include "tests/unit/one_answer.h"
#include "tests/unit/shown.h"

#define HOUR_NS  INT64_C(3600000000000)
#define SINCE_NS (INT64_C(1795172400) * ST_NS_PER_S) /* 2026-11-20 11:00 UTC */
#define UNTIL_NS (SINCE_NS + 24 * HOUR_NS)

static json_t *dropout(const char *client, const char *text, int count)
{
    return json_pack("{s:[s, s, s, s], s:s, s:b}", "cells", client, st_text("%d", count), text,
                     "1.00 ms", "state", "warn", "detail", count / 2 == 2);
}

/* A day in a row. @param observed < 0: no server was watched. @param playing_ns < 0: unknown. */
static json_t *document(int observed, int64_t watched_ns, int64_t playing_ns, json_t *dropouts)
{
    json_t *row =
        json_pack("{s:I, s:I, s:I, s:I, s:i, s:i, s:i, s:o, s:I}", "from_ns", (json_int_t)SINCE_NS,
                  "to_ns", (json_int_t)UNTIL_NS, "measured_ns", (json_int_t)(24 * HOUR_NS),
                  "cycles", (json_int_t)32399999, "misses", 3, "skipped_periods", 1, "own_dropouts",
                  0, "dropouts", observed < 0 ? json_null() : json_integer(observed),
                  "lateness_max_ns", (json_int_t)3100000);
    json_t *watched = json_array();
    if (watched_ns > 0)
        json_array_append_new(watched,
                              json_pack("{s:s, s:I, s:o, s:i, s:i}", "source", "pipewire",
                                        "watched_ns", (json_int_t)watched_ns, "playing_ns",
                                        playing_ns < 0 ? json_null() : json_integer(playing_ns),
                                        "frames", 1024, "rate_hz", 48000));
    return json_pack(
        "{s:I, s:I, s:I, s:[o], s:[{s:i}], s:o, s:o}", "since_ns", (json_int_t)SINCE_NS, "until_ns",
        (json_int_t)UNTIL_NS, "step_ns", (json_int_t)(24 * HOUR_NS), "rows", row, "conditions",
        "frames", 128, "dropouts",
        dropouts != NULL
            ? json_pack("{s:i, s:s, s:[{s:s}], s:{s:[s, s, s, s], s:o}}", "count", observed, "text",
                        "HeavyReverb made them.", "sources", "source", "pipewire", "table",
                        "columns", "Program", "Dropouts", "Why", "Lost", "rows", dropouts)
            : json_null(),
        "watched", watched);
}

static char *render(json_t *shown, int columns, bool details)
{
    char *text = NULL;
    size_t bytes = 0;
    const struct st_history_text_look look = {
        .columns = columns, .now_wall_ns = UNTIL_NS + ST_NS_PER_S, .details = details};
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(shown);
    st_history_text_steps(out, shown, &look);
    assert_int_equal(fclose(out), 0);
    json_decref(shown);
    return text;
}

static char *first_line(json_t *document_shown)
{
    char *text = render(document_shown, 400, false);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void look(char *text)
{
    show("%s--", text);
    free(text);
}

static void who_made_most_is_said_first_with_the_reason(void **state)
{
    look(first_line(document(412, 24 * HOUR_NS, HOUR_NS, json_array())));
}

static void no_dropout_is_told_from_no_one_watched_and_nothing_played(void **state)
{
    const int64_t watched_ns = 23 * HOUR_NS + 40 * 60 * ST_NS_PER_S;
    look(first_line(document(0, watched_ns, HOUR_NS, json_array())));
    look(first_line(document(0, watched_ns, -1, json_array())));
    look(first_line(document(0, watched_ns, 0, json_array())));
    look(first_line(document(0, HOUR_NS, HOUR_NS, json_array())));
    look(first_line(document(0, HOUR_NS, 0, json_array())));
    look(first_line(document(7, HOUR_NS, HOUR_NS, json_array())));
    look(first_line(document(-1, 0, -1, json_array())));
}

static void a_long_lateness_is_as_wide_as_others(void **state)
{
    json_t *shown = document(0, HOUR_NS, 0, json_array());
    json_array_append_new(json_object_get(shown, "rows"),
                          json_pack("{s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:I}", "from_ns",
                                    (json_int_t)(UNTIL_NS + 53 * ST_NS_PER_S), "to_ns",
                                    (json_int_t)(UNTIL_NS + 113 * ST_NS_PER_S), "measured_ns",
                                    (json_int_t)(60 * ST_NS_PER_S), "cycles", 22500,
                                    "skipped_periods", 0, "misses", 0, "dropouts", 8,
                                    "lateness_max_ns", (json_int_t)297403000));
    look(render(shown, 80, false));
}

static void a_time_in_which_nothing_played_is_not_one_without_data(void **state)
{
    for (int idle = 0; idle < 2; idle++) {
        json_t *shown = document(0, HOUR_NS, 0, json_array());
        json_array_append_new(
            json_object_get(shown, "rows"),
            json_pack("{s:I, s:I, s:I, s:n}", "from_ns", (json_int_t)UNTIL_NS, "to_ns",
                      (json_int_t)(UNTIL_NS + HOUR_NS), "idle_ns",
                      (json_int_t)(idle != 0 ? HOUR_NS - ST_NS_PER_S : HOUR_NS / 3), "cycles"));
        look(render(shown, 80, false));
    }
    json_t *shown = document(0, HOUR_NS, 0, json_array());
    json_array_append_new(json_object_get(shown, "rows"),
                          json_pack("{s:I, s:I, s:I, s:n}", "from_ns", (json_int_t)UNTIL_NS,
                                    "to_ns", (json_int_t)(UNTIL_NS + 40 * ST_NS_PER_S), "idle_ns",
                                    (json_int_t)(40 * ST_NS_PER_S), "cycles"));
    look(render(shown, 80, false)); /* it begins and ends in the same minute */
}

/* In a locale without these characters each is a question mark. */
static void wide_names_do_not_shift_their_row(void **state)
{
    static const char *const locales[] = {"C.UTF-8", "C"};
    ST_EACH (locale, locales) {
        assert_int_equal(setenv("LC_ALL", *locale, 1), 0);
        look(render(document(3, 24 * HOUR_NS, HOUR_NS,
                             json_pack("[o, o]", dropout("ピアノ", "computed too long", 2),
                                       dropout("Piano", "computed too long", 1))),
                    80, false));
    }
    assert_int_equal(unsetenv("LC_ALL"), 0);
}

static json_t *with_change(const char *verdict)
{
    json_t *shown = document(0, HOUR_NS, HOUR_NS, json_array());
    json_object_set_new(shown, "changes",
                        json_pack("[{s:I, s:s, s:[{s:s, s:s, s:s, s:s}, {s:s, s:s, s:n, s:s}], "
                                  "s:{s:I, s:i}, s:{s:I, s:i}}]",
                                  "at_ns", (json_int_t)SINCE_NS, "verdict", verdict, "what", "kind",
                                  "kernel", "name", "kernel", "before", "6.1.0-18", "now", "6.12.5",
                                  "kind", "file", "name", "/etc/asound.conf", "before", "now", "1",
                                  "before", "playing_ns", (json_int_t)(10 * HOUR_NS), "dropouts", 2,
                                  "since", "playing_ns", (json_int_t)(2 * HOUR_NS), "dropouts",
                                  28));
    return shown;
}

static void a_change_is_named_if_dropouts_changed_with_it(void **state)
{
    look(render(with_change("worse"), 200, false));
    look(render(with_change("better"), 200, false));
    look(render(with_change("none"), 200, false));
}

static char *changes_text(json_t *document, bool details)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    const struct st_history_text_look look = {
        .columns = 80, .now_wall_ns = SINCE_NS, .details = details};
    st_history_text_changes(out, document, &look);
    fclose(out);
    json_decref(document);
    return text;
}

static void changes_are_listed_newest_first(void **state)
{
    look(changes_text(with_change("too-short"), false));
    look(changes_text(with_change("worse"), true));
    look(changes_text(json_pack("{s:[]}", "changes"), false));
}

static void many_clients_are_five_rows_and_the_rest_all_with_details(void **state)
{
    for (int details = 0; details < 2; details++) {
        json_t *rows = json_array();
        for (int i = 0; i < 9; i++) {
            char name[16];
            ST_PRINT(name, "client%d", i);
            json_array_append_new(rows, dropout(name, "computed too long", 10 - i));
        }
        look(render(document(100, HOUR_NS, HOUR_NS, rows), 80, details != 0));
    }
}

static void the_row_of_a_step_counts_dropouts_and_not_the_model_s(void **state)
{
    look(render(document(120, HOUR_NS, HOUR_NS, json_array()), 80, false));
}

static void hostile_names_do_no_harm_at_any_width(void **state)
{
    static const int widths[] = {1, 20, 40, 80, 120, 400};
    char longest[600];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    ST_EACH (width, widths) {
        json_t *rows = json_pack("[o, o]", dropout("\x1b[2J\u202e", "was woken\nlate", 3),
                                 dropout(longest, longest, -4));
        for (int n = 0; n < 100; n++) { /* more than the table has */
            char name[16];
            ST_PRINT(name, "%d", n);
            json_array_append_new(rows, dropout(name, "y", 1));
        }
        char *text = render(document(3, HOUR_NS, HOUR_NS, rows), *width, true);
        assert_null(strchr(text, '\x1b'));
        assert_lacks(text, "\u202e");
        free(text);
    }
}

/* --- events --- */

static char *event_text(const char *text, int columns, bool details)
{
    json_t *events =
        json_pack("{s:[{s:I, s:s, s:s, s:s, s:s, s:s, s:s}]}", "events", "time_ns",
                  (json_int_t)UNTIL_NS, "event", "client-dropout", "text", text, "source",
                  "pipewire", "device", "card", "client", "HeavyReverb", "certainty", "exact");
    char *shown = NULL;
    size_t bytes = 0;
    const struct st_history_text_look look = {
        .columns = columns, .now_wall_ns = UNTIL_NS + ST_NS_PER_S, .details = details};
    FILE *out = open_memstream(&shown, &bytes);
    st_history_text_events(out, events, &look);
    assert_int_equal(fclose(out), 0);
    json_decref(events);
    return shown;
}

static void an_event_is_said_as_it_is(void **state)
{
    look(event_text("HeavyReverb made 12 dropouts on card (JACK): it computed too long", 300,
                    false));
}

static void an_event_is_three_lines_and_whole_with_details(void **state)
{
    char story[700] = "HeavyReverb made 12 dropouts";
    while (strlen(story) < sizeof(story) - 20)
        st_text_append(story, sizeof(story), " and again");
    st_text_append(story, sizeof(story), " the end");
    for (int details = 0; details < 2; details++) {
        char *text = event_text(story, 80, details != 0);
        assert_true((strstr(text, "the end") != NULL) == (details != 0));
        int lines = 0;
        char *whole = strdup(text);
        for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;
             lines++)
            assert_true(st_text_columns(line) <= 80);
        assert_true(details != 0 ? lines > 4 : lines == 4); /* the last names --details */
        assert_true((strstr(whole, "add --details") != NULL) == (details == 0));
        free(text);
        free(whole);
    }
}

/* --- marks --- */

static void what_lists_the_other_events_before_a_mark_is_said(void **state)
{
    for (int fresh = 0; fresh < 2; fresh++) {
        json_t *marks =
            json_pack("{s:s, s:[{s:I, s:I, s:I, s:i, s:s}]}", "text", "1 mark.", "marks", "time_ns",
                      (json_int_t)UNTIL_NS, "cause_time_ns", (json_int_t)(UNTIL_NS - ST_NS_PER_S),
                      "window_ns", (json_int_t)2500000000, "events", 8, "text", "Synth stopped");
        const struct st_history_text_look look = {
            .columns = 180, .now_wall_ns = UNTIL_NS, .socket = ST_DAEMON_SYSTEM_SOCKET};
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        (fresh ? st_history_text_mark : st_history_text_heard)(out, marks, &look);
        assert_int_equal(fclose(out), 0);
        assert_has(text, "1.0 s before the click: Synth stopped, and 7 more events in 2.5 s");
        const char *all =
            "All events: sleeptune history --events --system --since 2026-11-21T10:59:57\n";
        assert_true((strstr(text, all) != NULL) == fresh);
        json_decref(marks);
        free(text);
    }
}

/* As the user named it; a name that is not safe to type is left out. */
static void the_next_command_asks_the_same_daemon_or_file(void **state)
{
    static const struct {
        const char *command, *socket, *db, *again;
    } rows[] = {
        {"sleeptune history --causes", NULL, NULL, "sleeptune history --causes"},
        {"sleeptune history --causes", "/run/s", NULL,
         "sleeptune history --causes --socket /run/s"},
        {"sleeptune history", ST_DAEMON_SYSTEM_SOCKET, NULL, "sleeptune history --system"},
        {"sleeptune status --watch", ST_DAEMON_SYSTEM_SOCKET, NULL,
         "sleeptune status --watch --system"},
        {"sleeptune history --changes", NULL, "/h.db", "sleeptune history --changes --db /h.db"},
        {"sleeptune status --watch", NULL, "/h.db", "sleeptune status --watch"},
        {"sleeptune report", "/run/s", NULL, "sleeptune report"},
        {"sleeptune history", "/run/\x1b[m", NULL, "sleeptune history"},
    };
    ST_EACH (row, rows)
        assert_string_equal(st_daemon_client_again(row->command, row->socket, row->db), row->again);
}

static void an_answer_that_is_none_is_an_error(void **state)
{
    static const struct {
        const char *answer, *error;
    } rows[] = {{"{", "is not JSON"}, {"{}", "is not sleeptune-status/1"}};
    ST_EACH (row, rows) {
        struct st_daemon_answer got;
        struct sockaddr_un address;
        const int in = one_answer(&address, "GET /v1/status ", row->answer);
        assert_int_equal(
            st_daemon_client_try(address.sun_path, "status", ST_DAEMON_TIMEOUT_MS, &got),
            ST_EXIT_FAILURE);
        assert_has(got.error, row->error);
        st_daemon_client_finish(&got);
        one_answer_end(&address, in);
    }
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_made_most_is_said_first_with_the_reason),
        cmocka_unit_test(no_dropout_is_told_from_no_one_watched_and_nothing_played),
        cmocka_unit_test(a_long_lateness_is_as_wide_as_others),
        cmocka_unit_test(a_time_in_which_nothing_played_is_not_one_without_data),
        cmocka_unit_test(wide_names_do_not_shift_their_row),
        cmocka_unit_test(many_clients_are_five_rows_and_the_rest_all_with_details),
        cmocka_unit_test(a_change_is_named_if_dropouts_changed_with_it),
        cmocka_unit_test(changes_are_listed_newest_first),
        cmocka_unit_test(the_row_of_a_step_counts_dropouts_and_not_the_model_s),
        cmocka_unit_test(hostile_names_do_no_harm_at_any_width),
        cmocka_unit_test(an_answer_that_is_none_is_an_error),
        cmocka_unit_test(an_event_is_said_as_it_is),
        cmocka_unit_test(an_event_is_three_lines_and_whole_with_details),
        cmocka_unit_test(what_lists_the_other_events_before_a_mark_is_said),
        cmocka_unit_test(the_next_command_asks_the_same_daemon_or_file),
    };
    return shown_run(tests);
}
