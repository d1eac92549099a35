/* Answers of a history as text: written row by row, so that a long one needs no more JSON in memory
 * than a short one. */
#include "store/history/history_private.h"
#include "story/dropout_list.h"
#include "story/event_list.h"
#include "tests/unit/history_fixture.h"

#define ROWS_N 40

/* Minutes one after the other, and as many events; four of them at each time. */
static int read_events(struct st_history_reader *reader, const struct st_history_asked *wish,
                       json_t **ret)
{
    char *text = st_event_list_text(reader, wish);
    const int r = st_history_read_result(reader);
    return r < 0 ? r : st_json_written(text, ret);
}

static void fill(void)
{
    struct st_hist hist;
    struct st_history_minute minute = {.measured_ns = MINUTE_NS,
                                       .cycles = 10,
                                       .conditions = {"6.1", "", "fifo", 70, -1, 128, 48000, 0}};
    struct st_event event = st_event_make(0, ST_EVENT_LATE_WAKE, "%s", "");
    event.lateness_ns = 7;
    assert_int_equal(st_hist_init(&hist, ST_HISTORY_DIGITS), 0);
    st_hist_add_n(&hist, 2000, 10);
    minute.lateness = st_hist_deflate(&hist, &minute.lateness_bytes);
    st_hist_finish(&hist);
    assert_non_null(minute.lateness);
    st_history_begin(history);
    for (int i = 0; i < ROWS_N; i++) {
        minute.from_wall_ns = NOON_NS + i * MINUTE_NS;
        minute.to_wall_ns = minute.from_wall_ns + MINUTE_NS;
        event.wall_ns = NOON_NS + i / 4 * ST_NS_PER_S;
        st_history_add_minute(history, &minute);
        st_history_add_event(history, &event);
    }
    assert_int_equal(st_history_commit(history), 0);
    free(minute.lateness);
}

static int setup_filled(void **state)
{
    if (setup(state) != 0)
        return -1;
    open_it();
    fill();
    st_history_close(history);
    history = NULL;
    return 0;
}

static void run_sql(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void add_events(const struct st_event *event, int n)
{
    open_it();
    st_history_begin(history);
    for (int i = 0; i < n; i++)
        st_history_add_event(history, event);
    assert_int_equal(st_history_commit(history), 0);
    st_history_close(history);
    history = NULL;
}

static void put_event(const struct st_event *event)
{
    add_events(event, 1);
}

/* The events that were asked for, and which of them are still counted. */
static json_t *events_of(struct st_history_reader *reader, const struct st_history_asked *wish,
                         size_t wanted_n)
{
    json_t *document;
    assert_int_equal(read_events(reader, wish, &document), 0);
    assert_int_equal(json_array_size(json_object_get(document, "events")), wanted_n);
    return document;
}

static void the_last_events_begin_among_those_of_one_time(void **state)
{
    struct st_history_reader *reader = open_reader();
    json_t *document;
    for (int64_t limit = ROWS_N - 5; limit <= ROWS_N + 1; limit++) {
        const struct st_history_asked wish = {INT64_MIN, INT64_MAX, limit, ""};
        const int64_t n = limit < ROWS_N ? limit : ROWS_N;
        assert_int_equal(read_events(reader, &wish, &document), 0);
        const json_t *events = json_object_get(document, "events");
        assert_int_equal(json_array_size(events), n);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(st_json_integer(json_array_get(events, (size_t)i), "id"),
                             ROWS_N - n + 1 + i);
        assert_int_equal(json_is_true(json_object_get(document, "more")), limit < ROWS_N);
        json_decref(document);
    }
    st_history_read_close(reader);
}

/* What jansson has at once. */
static int64_t json_n, json_most_n;

static void *counted_malloc(size_t bytes)
{
    json_n++;
    if (json_n > json_most_n)
        json_most_n = json_n;
    return malloc(bytes);
}

static void counted_free(void *memory)
{
    json_n -= memory != NULL;
    free(memory);
}

/* How many pieces of memory JSON has at most while an answer is written. */
static int64_t most_pieces(int64_t rows_n)
{
    struct st_history_reader *reader = open_reader();
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, rows_n, ""};
    json_n = json_most_n = 0;
    json_set_alloc_funcs(counted_malloc, counted_free);
    char *text = st_event_list_text(reader, &wish);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(json_n, 0);
    json_t *document = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(document, "events")), rows_n);
    json_decref(document);
    free(text);
    st_history_read_close(reader);
    return json_most_n;
}

/* The daemon's memory is locked: what 5000 events were as a tree, 25 MB, it kept. */
static void many_events_take_no_more_json_than_few(void **state)
{
    const int64_t few_n = most_pieces(ROWS_N / 4);
    assert_true(few_n > 5);
    assert_int_equal(most_pieces(ROWS_N), few_n);
}

/* A row that another program wrote, or a disk spoiled. */
static void a_kind_that_is_none_spoils_no_answer(void **state)
{
    const struct st_event spoiled =
        st_event_make(NOON_NS + 1000 * ST_NS_PER_S, ST_EVENT_PAUSE, "words");
    put_event(&spoiled);
    run_sql("UPDATE event SET kind = CAST(x'6cff' AS TEXT)"
            " WHERE id = (SELECT max(id) FROM event)");
    struct st_history_reader *reader = open_reader();
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, ROWS_N + 1, ""};
    json_t *document;
    document = events_of(reader, &wish, ROWS_N);
    json_decref(document);
    st_history_read_close(reader);
    run_sql("DELETE FROM event WHERE id = (SELECT max(id) FROM event)");
}

/* What SQLite did for the questions of one answer. */
struct effort {
    int questions_n, sorts_n, scans_n;
    int64_t steps_n; /* of its virtual machine: no time, each run takes as many */
    char sql[2][2048];
};

static int on_question(unsigned event, void *ctx, void *statement, void *took_ns)
{
    struct effort *effort = ctx;
    if (effort->questions_n < 2)
        snprintf(effort->sql[effort->questions_n], sizeof(effort->sql[0]), "%s",
                 sqlite3_sql(statement));
    effort->questions_n++;
    effort->sorts_n += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0);
    effort->scans_n += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
    effort->steps_n += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    return 0;
}

/* Sorts of all that is found; those of a part, as of what is still counted, have a parent. */
static int whole_sorts_n(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *plan;
    char question[2100];
    int n = 0, rows_n = 0;
    ST_PRINT(question, "EXPLAIN QUERY PLAN %s", sql);
    assert_int_equal(sqlite3_prepare_v2(db, question, -1, &plan, NULL), SQLITE_OK);
    for (; sqlite3_step(plan) == SQLITE_ROW; rows_n++)
        n += sqlite3_column_int(plan, 1) == 0 &&
             strstr((const char *)sqlite3_column_text(plan, 3), "TEMP B-TREE") != NULL;
    sqlite3_finalize(plan);
    assert_true(rows_n > 0);
    return n;
}

static struct effort ask(const char *kind, size_t wanted_n, size_t open_n)
{
    struct st_event open =
        st_event_make(NOON_NS + 3000 * ST_NS_PER_S, ST_EVENT_LATE_WAKE, "%s", "");
    struct st_history_reader *reader = open_reader();
    const struct st_history_asked wish = {NOON_NS, INT64_MAX, 3, kind};
    struct effort effort = {0};
    json_t *document;
    open.lateness_ns = 7;
    st_history_read_open_events(reader, &open, open_n);
    assert_int_equal(sqlite3_trace_v2(reader->sql.db, SQLITE_TRACE_PROFILE, on_question, &effort),
                     SQLITE_OK);
    document = events_of(reader, &wish, wanted_n);
    json_decref(document);
    assert_int_equal(effort.questions_n, 2); /* where it begins, the events */
    assert_int_equal(sqlite3_trace_v2(reader->sql.db, 0, NULL, NULL), SQLITE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(whole_sorts_n(reader->sql.db, effort.sql[i]), 0);
    st_history_read_close(reader);
    assert_true(effort.steps_n > 10);
    return effort;
}

/* A sort has all of what it sorts in memory, however few were asked for. */
static void events_are_found_in_their_order_and_never_sorted(void **state)
{
    for (int of_kind = 0; of_kind < 2; of_kind++) {
        const struct effort effort = ask(of_kind ? "late-wake" : "", 3, 0);
        assert_int_equal(effort.sorts_n, 0);
        assert_int_equal(effort.scans_n, 0);
        const struct effort both = ask(of_kind ? "late-wake" : "", 3, 1);
        assert_in_range(both.sorts_n, 0, 2); /* of what is still counted, which is little */
    }
}

static int64_t id_of(const json_t *document, size_t i)
{
    return st_json_integer(json_array_get(json_object_get(document, "events"), i), "id");
}

/* What is still being counted stands among the records, without a number of its own, and in no
 * file. */
static void what_is_still_counted_is_shown_and_not_stored(void **state)
{
    const struct st_event open[] = {
        st_event_make(NOON_NS + 100 * ST_NS_PER_S, ST_EVENT_CLIENT_DROPOUT, "%s", ""),
        st_event_make(NOON_NS + ST_NS_PER_S - 1, ST_EVENT_DEVICE_DROPOUT, "%s", "")};
    const struct st_history_asked all = {INT64_MIN, INT64_MAX, 4 * ROWS_N, ""},
                                  last = {INT64_MIN, INT64_MAX, 2, ""};
    struct st_history_reader *reader;
    json_t *document;
    for (int i = 0; i < 2; i++) { /* the second answer does not have the first one's */
        reader = open_reader();
        st_history_read_open_events(reader, open, ST_ARRAY_LEN(open));
        document = events_of(reader, &last, 2);
        assert_int_equal(id_of(document, 0), ROWS_N);
        assert_int_equal(id_of(document, 1), -1);
        json_decref(document);
        document = events_of(reader, &all, ROWS_N + 2);
        assert_int_equal(id_of(document, 4), -2);
        json_decref(document);
        st_history_read_close(reader);
    }
    reader = open_reader();
    document = events_of(reader, &all, ROWS_N);
    json_decref(document);
    st_history_read_close(reader);
}

static void the_last_events_of_a_kind_take_no_look_at_those_of_others(void **state)
{
    struct st_event event = st_event_make(NOON_NS + 2000 * ST_NS_PER_S, ST_EVENT_SUSPEND, "words");
    add_events(&event, 2);
    const struct effort few = ask("suspend", 2, 0);
    event.kind = ST_EVENT_LATE_WAKE;
    add_events(&event, 1000);
    const struct effort many = ask("suspend", 2, 0);
    assert_int_equal(many.steps_n, few.steps_n);
}

/* The daemon may have reported it between the question and the answer. */
static void what_became_a_record_meanwhile_is_shown_once(void **state)
{
    const int64_t at_ns = NOON_NS + 3000 * ST_NS_PER_S;
    const struct st_history_asked later = {at_ns, INT64_MAX, 10, ""};
    struct st_event open[2] = {st_event_make(at_ns, ST_EVENT_DEVICE_DROPOUT, "%s", "")};
    struct st_history_reader *reader;
    json_t *document;
    ST_PRINT(open[0].device, "hw:0");
    open[1] = open[0];
    ST_PRINT(open[1].device, "hw:1");
    struct st_event kept = open[0];
    kept.wall_ns += ST_NS_PER_S; /* with one more */
    put_event(&kept);
    reader = open_reader();
    st_history_read_open_events(reader, open, ST_ARRAY_LEN(open));
    document = events_of(reader, &later, 2);
    assert_true(id_of(document, 0) < 0);
    assert_true(id_of(document, 1) > 0);
    json_decref(document);
    st_history_read_close(reader);
}

/* A minute of the loop from noon + `from_s` on. */
static void add_minute(int64_t from_s, int64_t length_s, uint64_t late_wakes)
{
    struct st_hist hist;
    struct st_history_minute minute = {.from_wall_ns = NOON_NS + from_s * ST_NS_PER_S,
                                       .to_wall_ns = NOON_NS + (from_s + length_s) * ST_NS_PER_S,
                                       .measured_ns = length_s * ST_NS_PER_S,
                                       .late_wakes = late_wakes};
    assert_int_equal(st_hist_init(&hist, ST_HISTORY_DIGITS), 0);
    minute.lateness = st_hist_deflate(&hist, &minute.lateness_bytes);
    st_hist_finish(&hist);
    open_it();
    put_minute(&minute);
    st_history_close(history);
    history = NULL;
    free(minute.lateness);
}

/* The cause of the dropout; "" if none is said. */
static const char *cause(void)
{
    static char buf[40];
    struct st_history_reader *reader = open_reader();
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, 1, "client-dropout"};
    json_t *document;
    assert_int_equal(read_events(reader, &wish, &document), 0);
    const json_t *event = json_array_get(json_object_get(document, "events"), 0);
    const char *text = st_json_text(event, "cause");
    ST_PRINT(buf, "%s", text != NULL ? text : "");
    json_decref(document);
    st_history_read_close(reader);
    return buf;
}

/* That the loop was on time is not said because nothing late is there: a loop that does not run
 * leaves nothing. */
static void the_loop_was_on_time_if_its_minute_says_so(void **state)
{
    run_sql("DELETE FROM event; DELETE FROM span");
    struct st_event dropout =
        st_event_make(NOON_NS + 30 * ST_NS_PER_S, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    dropout.loop_cpu = 0;
    put_event(&dropout);
    assert_string_equal(cause(), ""); /* the minute is not over */
    add_minute(-30, 60, 0);           /* the loop was not seen after it */
    assert_string_equal(cause(), "");
    run_sql("DELETE FROM span");
    add_minute(0, 60, 0);
    assert_string_equal(cause(), "loop-on-time");
    run_sql("DELETE FROM span");
    add_minute(0, 240, 0); /* it stood still in it */
    assert_string_equal(cause(), "");
    run_sql("DELETE FROM span");
    add_minute(0, 60, 3); /* whose events have gone */
    assert_string_equal(cause(), "");
    struct st_event late = st_event_make(NOON_NS + 10 * ST_NS_PER_S, ST_EVENT_LATE_WAKE, "%s", "");
    late.cause = ST_CAUSE_RUN_QUEUE;
    late.lateness_ns = 3 * ST_NS_PER_MS;
    put_event(&late);
    assert_string_equal(cause(), "loop-on-time"); /* at another time */
    late.wall_ns = NOON_NS + 30 * ST_NS_PER_S;
    put_event(&late);
    assert_string_equal(cause(), "run-queue");
}

static void what_no_sleeptuned_has_written_is_harmless(void **state)
{
    run_sql(
        "DELETE FROM event; INSERT INTO event (wall_ns, kind, span_ns, count_n, reason, busy_ns, "
        "error_ns, period_ns,"
        " culprit, culprit_n, loop_cpu) VALUES (9223372036854775806, 'client-dropout', "
        "9223372036854775807, -5,"
        " 'too-slow', 9223372036854775807, 9223372036854775807, 1, 'x', 9223372036854775807, "
        "4294967294),"
        " (1, 'device-dropout', -1, 9223372036854775807, NULL, -1, -1, -1, 'x', "
        "9223372036854775807, -9),"
        " (2, 'device-dropout', 1, 9223372036854775807, NULL, 1, 1, 1, 'x', 1, 0),"
        " (3, 'late-wake', 1, 1, NULL, 1, 1, 1, NULL, 1, 0)");
    struct st_history_reader *reader = open_reader();
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, 10, ""};
    json_decref(events_of(reader, &wish, 3)); /* a late wake-up is late */
    json_t *dropouts = st_dropout_list_read(reader, INT64_MIN, INT64_MAX);
    assert_int_equal(st_json_integer(dropouts, "count"), 0);
    json_decref(dropouts);
    close_reader(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_events_begin_among_those_of_one_time),
        cmocka_unit_test(many_events_take_no_more_json_than_few),
        cmocka_unit_test(a_kind_that_is_none_spoils_no_answer),
        cmocka_unit_test(events_are_found_in_their_order_and_never_sorted),
        cmocka_unit_test(what_is_still_counted_is_shown_and_not_stored),
        cmocka_unit_test(the_last_events_of_a_kind_take_no_look_at_those_of_others),
        cmocka_unit_test(what_became_a_record_meanwhile_is_shown_once),
        cmocka_unit_test(the_loop_was_on_time_if_its_minute_says_so),
        cmocka_unit_test(what_no_sleeptuned_has_written_is_harmless),
    };
    return cmocka_run_group_tests(tests, setup_filled, teardown);
}
