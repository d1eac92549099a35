/* Rows of a history by steps: summed, with gaps, and with a head that agrees with them. */
#include "tests/unit/history_fixture.h"
#include "tests/unit/shown_json.h"

static void look(int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    json_t *document;
    assert_int_equal(read_it(since_ns, until_ns, step_ns, &document), 0);
    show("%s--", lines_of_json(document));
}

static void minutes_are_read_one_by_one_and_summed_by_longer_steps(void **state)
{
    open_it();
    add(NOON_NS - 2 * MINUTE_NS, 3000, 5000);
    add(NOON_NS - MINUTE_NS, 1000, 9000);
    add(NOON_NS, 1000, 100000);
    look(NOON_NS - 2 * MINUTE_NS, NOON_NS + MINUTE_NS, MINUTE_NS);
    look(NOON_NS - HOUR_NS, NOON_NS + HOUR_NS, HOUR_NS);
    look(NOON_NS - HOUR_NS, NOON_NS + HOUR_NS, DAY_NS);
}

static void dropouts_of_a_minute_that_goes_on_are_in_its_hour(void **state)
{
    json_t *document;
    const struct st_event lost[] = {
        dropout(NOON_NS + ST_NS_PER_S, "Heavy", ST_DROPOUT_TOO_SLOW, 4, 30),
        dropout(NOON_NS + MINUTE_NS + ST_NS_PER_S, "Heavy", ST_DROPOUT_TOO_SLOW, 3, 30),
        dropout(NOON_NS + HOUR_NS + ST_NS_PER_S, "Heavy", ST_DROPOUT_TOO_SLOW, 2, 30),
        dropout(NOON_NS + ST_NS_PER_S, ST_DROPOUT_TEST_CLIENT "n", ST_DROPOUT_TOO_SLOW, 50, 30)};
    const struct st_history_watched watched = {
        .from_wall_ns = NOON_NS,
        .to_wall_ns = NOON_NS + 2 * HOUR_NS,
        .watches = {{.source = "pipewire", .watched_ns = 2 * HOUR_NS, .playing = 1}},
        .watches_n = 1};
    open_it();
    add(NOON_NS, 1000, 5000);
    put_all(lost, ST_ARRAY_LEN(lost));
    put_watched(&watched);
    assert_int_equal(read_it(NOON_NS, NOON_NS + 5 * MINUTE_NS, HOUR_NS, &document), 0);
    assert_int_equal(figure(rows_of(document), 0, "dropouts"), 7);
    json_decref(document);
    add(NOON_NS + HOUR_NS - ST_NS_PER_S, 1000,
        5000); /* it ends in the next hour, whose minute begins with it */
    add(NOON_NS + HOUR_NS, 1000, 5000);
    assert_int_equal(read_it(NOON_NS, NOON_NS + 2 * HOUR_NS, HOUR_NS, &document), 0);
    assert_int_equal(
        figure(rows_of(document), 0, "dropouts") + figure(rows_of(document), 1, "dropouts"), 9);
    json_decref(document);
}

static void steps_that_no_row_has_are_summed_when_they_are_asked_for(void **state)
{
    open_it();
    for (int i = 0; i < 10; i++)
        add(NOON_NS + i * MINUTE_NS, 100, i < 9 ? 2000 : 70000);
    add(NOON_NS + HOUR_NS, 100, 2000);
    look(NOON_NS, NOON_NS + 10 * MINUTE_NS, 5 * MINUTE_NS);
    look(NOON_NS, NOON_NS + 2 * HOUR_NS, 2 * HOUR_NS);
}

static void what_was_not_measured_is_a_gap_and_no_zero(void **state)
{
    json_t *document;
    open_it();
    add(NOON_NS, 100, 2000);
    add(NOON_NS + MINUTE_NS + ST_NS_PER_S, 100, 2000); /* a second between two minutes is none */
    add(NOON_NS + 10 * MINUTE_NS, 100, 2000);
    assert_int_equal(read_it(NOON_NS - HOUR_NS, NOON_NS + HOUR_NS, MINUTE_NS, &document), 0);
    const json_t *rows = rows_of(document);
    assert_int_equal(json_array_size(rows), 5);
    static const int gaps[] = {2, 4};
    ST_EACH (gap, gaps) {
        const json_t *row = json_array_get(rows, (size_t)*gap);
        assert_true(json_is_null(json_object_get(row, "misses")));
        assert_true(json_is_null(json_object_get(row, "dropouts")));
        assert_int_equal(st_json_integer(row, "measured_ns"), 0);
    }
    assert_int_equal(figure(rows, 0, "from_ns"), NOON_NS); /* the file has no event */
    assert_int_equal(figure(rows, 2, "to_ns"), NOON_NS + 10 * MINUTE_NS);
    assert_int_equal(figure(rows, 4, "to_ns"), NOON_NS + HOUR_NS);
    /* nobody watched other programs: not known, in sums, too */
    assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "dropouts")));
    json_decref(document);
    assert_int_equal(read_it(NOON_NS, NOON_NS + HOUR_NS, HOUR_NS, &document), 0);
    assert_true(json_is_null(json_object_get(json_array_get(rows_of(document), 0), "dropouts")));
    assert_int_equal(figure(rows_of(document), 0, "own_dropouts"), 15);
    json_decref(document);
}

/* A day is asked for, and the history has two hours. */
static void no_row_begins_before_the_history(void **state)
{
    json_t *document;
    const struct st_event lost =
        dropout(NOON_NS - 90 * MINUTE_NS, "Heavy", ST_DROPOUT_TOO_SLOW, 1, 30);
    open_it();
    add_watches("pipewire", NOON_NS - 100 * MINUTE_NS, 110, 1024, 1);
    put_all(&lost, 1);
    add(NOON_NS, 1000, 5000);
    assert_int_equal(read_it(NOON_NS - DAY_NS, NOON_NS + HOUR_NS, HOUR_NS, &document), 0);
    assert_int_equal(st_json_integer(document, "since_ns"), NOON_NS - DAY_NS);
    assert_int_equal(figure(rows_of(document), 0, "from_ns"), lost.wall_ns);
    assert_int_equal(figure(rows_of(document), 0, "to_ns"), NOON_NS);
    assert_int_equal(figure(rows_of(document), 0, "dropouts"), 1);
    json_decref(document);
}

/* n minutes behind the one that is there, one a minute. */
static void copy_row(int n)
{
    char sql[1024];
    ST_PRINT(
        sql,
        "INSERT INTO span (level, from_ns, to_ns, measured_ns, cycles, misses, skipped_periods,"
        " late_wakes, dropouts_own, miss_events)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " SELECT level, from_ns + i * %lld, to_ns + i * %lld, measured_ns, cycles, misses,"
        " skipped_periods, late_wakes, dropouts_own, miss_events FROM n,"
        " (SELECT * FROM span WHERE level = 60 ORDER BY from_ns LIMIT 1)",
        n, (long long)MINUTE_NS, (long long)MINUTE_NS);
    (void)query(sql);
}

static void too_many_rows_are_refused(void **state)
{
    json_t *document;
    open_it();
    add(NOON_NS, 100, 2000);
    assert_int_equal(read_it(NOON_NS - 3 * DAY_NS, NOON_NS, INT64_MAX, &document), 0);
    assert_int_equal(st_json_integer(document, "step_ns"), 3650 * DAY_NS);
    json_decref(document);
    copy_row(2000); /* with a gap before them, one row too many */
    assert_int_equal(read_it(NOON_NS - HOUR_NS, NOON_NS + 3 * DAY_NS, MINUTE_NS, &document),
                     -E2BIG);
    copy_row(5000);
    assert_int_equal(read_it(NOON_NS, NOON_NS + 7 * DAY_NS, HOUR_NS, &document), 0);
    json_decref(document);
}

/* Whatever was asked for. */
static void rows_of_the_file_are_counted_not_the_time_that_was_asked_for(void **state)
{
    static const int64_t steps_ns[] = {0, MINUTE_NS, 5 * MINUTE_NS, HOUR_NS, 6 * HOUR_NS, DAY_NS};
    json_t *document;
    open_it();
    add(NOON_NS, 100, 2000);
    add(NOON_NS + MINUTE_NS, 100, 2000);
    ST_EACH (steps_n, steps_ns) {
        assert_int_equal(read_it(0, NOON_NS + 100 * DAY_NS, *steps_n, &document), 0);
        const json_t *rows = rows_of(document);
        assert_in_range(json_array_size(rows), 2, 3); /* a gap behind */
        assert_in_range(figure(rows, 0, "from_ns"), NOON_NS - 2 * DAY_NS, NOON_NS);
        json_decref(document);
    }
    assert_int_equal(read_it(0, NOON_NS + HOUR_NS, 0, &document), 0);
    assert_int_equal(st_json_integer(document, "step_ns"), 5 * MINUTE_NS);
    json_decref(document);
}

/* Head and rows say the same of the time. */
static void check_times(const json_t *document, int64_t since_ns, int64_t until_ns)
{
    const int64_t from_ns = st_json_integer(document, "since_ns");
    const int64_t to_ns = st_json_integer(document, "until_ns");
    const json_t *rows = json_object_get(document, "rows");
    assert_true(from_ns <= since_ns && to_ns >= until_ns);
    assert_true(json_array_size(rows) > 0);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        assert_in_range(figure(rows, i, "measured_ns"), 0,
                        figure(rows, i, "to_ns") - figure(rows, i, "from_ns"));
        assert_in_range(figure(rows, i, "from_ns"), from_ns, to_ns);
        assert_in_range(figure(rows, i, "to_ns"), from_ns, to_ns);
    }
}

static void head_and_rows_agree_on_a_young_file(void **state)
{
    const int64_t since_ns = NOON_NS - 95 * MINUTE_NS, until_ns = NOON_NS + 30 * MINUTE_NS;
    open_it();
    add(NOON_NS + 20 * MINUTE_NS, 100, 1000);
    look(since_ns, until_ns, 5 * MINUTE_NS); /* no hour: not taken back to one */
}

static void head_and_rows_agree_where_only_hours_are_left(void **state)
{
    json_t *document;
    const int64_t old_ns = NOON_NS - 31 * DAY_NS;
    open_it();
    for (int i = 0; i < 60; i++)
        add(old_ns + i * MINUTE_NS, 100, 1000);
    add(NOON_NS - 30 * DAY_NS, 100, 1000);
    assert_int_equal(st_history_retain(history, NOON_NS, 400, INT64_C(1000000000)), 0);
    assert_int_equal(
        read_it(old_ns + 10 * MINUTE_NS, old_ns + 20 * MINUTE_NS, MINUTE_NS, &document), 0);
    check_times(document, old_ns + 10 * MINUTE_NS, old_ns + 20 * MINUTE_NS);
    assert_int_equal(json_array_size(rows_of(document)), 1);
    assert_int_equal(st_json_integer(document, "since_ns"), old_ns);
    assert_int_equal(st_json_integer(document, "until_ns"), old_ns + HOUR_NS);
    assert_int_equal(figure(rows_of(document), 0, "measured_ns"), HOUR_NS);
    json_decref(document);
    /* seven minutes are no part of an hour: minutes begin where the hours end */
    assert_int_equal(read_it(old_ns, NOON_NS - 30 * DAY_NS + HOUR_NS, 7 * MINUTE_NS, &document), 0);
    check_times(document, old_ns, NOON_NS - 30 * DAY_NS + HOUR_NS);
    assert_int_equal(figure(rows_of(document), 1, "to_ns"),
                     figure(rows_of(document), 2, "from_ns"));
    json_decref(document);
}

static void the_last_step_ends_where_the_file_does(void **state)
{
    open_it();
    for (int i = 0; i < 20; i++)
        add(NOON_NS + i * MINUTE_NS, 100, 1000);
    static const struct {
        int minutes, end_minutes; /* asked up to; said */
    } rows[] = {{10, 20}, {20, 20}, {30, 30}, {60, 60}};
    ST_EACH (row, rows) {
        const int64_t until_ns = NOON_NS + row->minutes * MINUTE_NS;
        look(NOON_NS, until_ns, HOUR_NS);
    }
}

static void a_minute_over_the_end_of_its_step_has_room_in_it(void **state)
{
    open_it();
    for (int i = 0; i < 5; i++)
        add(NOON_NS + i * MINUTE_NS, 100, 1000);
    add(NOON_NS + 5 * MINUTE_NS - ST_NS_PER_S, 100, 1000); /* six minutes began in five */
    for (int hours = 0; hours < 2; hours++) {
        const int64_t until_ns = NOON_NS + 10 * MINUTE_NS;
        look(NOON_NS, until_ns, hours ? HOUR_NS : 5 * MINUTE_NS);
    }
}

static void where_only_hours_are_left_rows_are_hours(void **state)
{
    open_it();
    add(NOON_NS - 31 * DAY_NS, 100, 1000);
    add(NOON_NS - 31 * DAY_NS + MINUTE_NS, 100, 1000);
    add(NOON_NS - 30 * DAY_NS, 100, 1000);
    assert_int_equal(st_history_retain(history, NOON_NS, 400, INT64_C(1000000000)), 0);
    look(NOON_NS - 31 * DAY_NS, NOON_NS - 30 * DAY_NS + 10 * MINUTE_NS, 10 * MINUTE_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(minutes_are_read_one_by_one_and_summed_by_longer_steps),
        TEST(dropouts_of_a_minute_that_goes_on_are_in_its_hour),
        TEST(steps_that_no_row_has_are_summed_when_they_are_asked_for),
        TEST(what_was_not_measured_is_a_gap_and_no_zero),
        TEST(no_row_begins_before_the_history),
        TEST(too_many_rows_are_refused),
        TEST(rows_of_the_file_are_counted_not_the_time_that_was_asked_for),
        TEST(head_and_rows_agree_on_a_young_file),
        TEST(head_and_rows_agree_where_only_hours_are_left),
        TEST(the_last_step_ends_where_the_file_does),
        TEST(a_minute_over_the_end_of_its_step_has_room_in_it),
        TEST(where_only_hours_are_left_rows_are_hours),
    };
    return shown_run(tests);
}
