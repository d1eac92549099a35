/* Histories that somebody made to harm who reads them. */
#include <zlib.h>

#include "store/history/history_private.h"
#include "tests/unit/cannot.h"
#include "tests/unit/history_fixture.h"
#include "tests/unit/unit.h"

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "

/* A history of two minutes and an event, then changed. */
static void make(const char *const sql[], size_t sql_n)
{
    open_it();
    add(NOON_NS, 100, 2000);
    add(NOON_NS + MINUTE_NS, 100, 2000); /* in one step with the other: histograms are added up */
    add_event(NOON_NS, "late-wake");
    st_history_close(history);
    history = NULL;
    for (size_t i = 0; i < sql_n; i++)
        assert_int_equal(query(sql[i]), -1);
}

static void check_refused(void)
{
    struct st_history_reader *reader;
    assert_int_equal(st_history_read_open(path, &reader, &error), -EPROTO);
    assert_string_equal(error, "this is no history of sleeptune: the file has a view, a trigger or "
                               "a virtual table, which sleeptune never makes");
    assert_int_equal(st_history_open(path, &history, &error), -EPROTO);
    assert_string_equal(error, "this is no history of sleeptune: the file has a view, a trigger or "
                               "a virtual table, which sleeptune never makes");
}

static void an_endless_view_is_refused_not_read(void **state)
{
    static const char *const sql[] = {"ALTER TABLE event RENAME TO was",
                                      "CREATE VIEW event AS " ENDLESS "SELECT was.* FROM n, was"};
    make(sql, ST_ARRAY_LEN(sql));
    check_refused();
}

static void a_trigger_is_refused(void **state)
{
    static const char *const sql[] = {
        "CREATE TRIGGER harm AFTER INSERT ON event BEGIN DELETE FROM span; END"};
    make(sql, ST_ARRAY_LEN(sql));
    check_refused();
    assert_int_equal(query("SELECT count(*) FROM span"), 3);
}

static void a_virtual_table_is_refused(void **state)
{
    sqlite3 *db;
    make(NULL, 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    const int code =
        sqlite3_exec(db, "CREATE VIRTUAL TABLE other USING rtree(id, a, b)", NULL, NULL, NULL);
    sqlite3_close(db);
    if (code != SQLITE_OK)
        ST_CANNOT("an SQLite without rtree has no virtual table at hand");
    check_refused();
}

/* What a reader says of the file. */
static int read_both(char *buf, size_t buf_bytes)
{
    struct st_history_reader *reader;
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, 10, ""};
    struct st_event event;
    int64_t id;
    bool more;
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    json_decref(st_history_read_steps(reader, NOON_NS - HOUR_NS, NOON_NS + HOUR_NS, 2 * MINUTE_NS));
    sqlite3_stmt *events = st_history_read_events(reader, &wish, &more);
    while (st_history_read_next(reader, events, &id, &event)) {
    }
    const int r = st_history_read_result(reader);
    snprintf(buf, buf_bytes, "%s", r < 0 ? st_history_read_error(reader, r) : "");
    st_history_read_close(reader);
    return r;
}

static void a_text_that_is_too_large_is_not_loaded(void **state)
{
    char said[256];
    static const char *const sql[] = {"UPDATE event SET detail = CAST(zeroblob(20000000) AS TEXT)"};
    make(sql, ST_ARRAY_LEN(sql));
    sqlite3_int64 now_bytes, most_bytes;
    assert_int_equal(sqlite3_status64(SQLITE_STATUS_MEMORY_USED, &now_bytes, &most_bytes, 1),
                     SQLITE_OK);
    assert_int_equal(read_both(said, sizeof(said)), -EBADMSG);
    assert_string_equal(said,
                        "the history is damaged: a value is larger than any that sleeptune writes");
    assert_int_equal(sqlite3_status64(SQLITE_STATUS_MEMORY_USED, &now_bytes, &most_bytes, 0),
                     SQLITE_OK);
    assert_in_range(most_bytes, 1, 4 * 1024 * 1024);
}

/* A column of integers can have any value. */
static void what_is_no_integer_makes_no_row_more(void **state)
{
    static const char *const sql[] = {
        "INSERT INTO event (wall_ns, kind) " ENDLESS "SELECT 1e15 + 0.5, 'heard' FROM n LIMIT 50",
        "INSERT INTO fact (from_ns, at_ns, change_n, kind, name, value) " ENDLESS
        "SELECT 1, 2, i || 'x', 'kernel', 'k', 'v' FROM n LIMIT 100"};
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, 10, "heard"};
    struct st_history_reader *reader;
    struct st_event event;
    int64_t id;
    bool more;
    int n = 0;
    make(sql, ST_ARRAY_LEN(sql));
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    sqlite3_stmt *events = st_history_read_events(reader, &wish, &more);
    while (st_history_read_next(reader, events, &id, &event))
        n++;
    assert_int_equal(n, 10);
    json_t *changes = st_history_read_changes(reader);
    assert_int_equal(json_array_size(changes), 0);
    json_decref(changes);
    st_history_read_close(reader);
}

static void what_takes_too_long_is_ended(void **state)
{
    struct st_sql sql = {0};
    assert_int_equal(sqlite3_open(":memory:", &sql.db), SQLITE_OK);
    st_sql_distrust(&sql);
    st_sql_limit_time(&sql, 20 * ST_NS_PER_MS);
    assert_int_equal(st_sql_number(&sql, -1, ENDLESS "SELECT count(*) FROM n", ""), -1);
    assert_int_equal(sql.r, -ETIMEDOUT);
    assert_string_equal(
        st_sql_sentence(&sql, sql.r),
        "reading the history took more than 10 s of CPU time: sleeptune probably did not write it");
    sqlite3_close(sql.db);
}

static void the_largest_histogram_is_no_value_that_is_too_large(void **state)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, ST_HISTORY_DIGITS), 0);
    assert_true(compressBound(st_hist_deflate_room(&hist)) + 4096 < ST_SQL_VALUE_BYTES);
    st_hist_finish(&hist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_endless_view_is_refused_not_read),
        TEST(a_trigger_is_refused),
        TEST(a_virtual_table_is_refused),
        TEST(a_text_that_is_too_large_is_not_loaded),
        TEST(what_is_no_integer_makes_no_row_more),
        TEST(what_takes_too_long_is_ended),
        TEST(the_largest_histogram_is_no_value_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
