/* The history's file: what is written is read, summed, kept as long as it should, and what is no
 * history is told. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "store/history/history_private.h"
#include "tests/unit/history_fixture.h"
#include "tests/unit/unit.h"

static void check_same(const struct st_event *a, const struct st_event *b)
{
#define SAME(field) assert_int_equal(a->field, b->field)
    SAME(wall_ns), SAME(span_ns), SAME(kind), SAME(count_n), SAME(certainty), SAME(reason),
        SAME(cycle.busy_ns);
    SAME(cycle.error_ns), SAME(cycle.wait_ns), SAME(cycle.period_ns), SAME(spare_ns),
        SAME(culprit_plays), SAME(cause), SAME(lateness_ns);
    SAME(explained_ns), SAME(culprit_n), SAME(culprit_ns), SAME(loop_cpu), SAME(slowed),
        SAME(mixed);
    SAME(place), SAME(cycles_n), SAME(lost_ns), SAME(longest_ns);
#undef SAME
    assert_string_equal(a->detail, b->detail);
    assert_string_equal(a->source, b->source);
    assert_string_equal(a->device, b->device);
    assert_string_equal(a->client, b->client);
    assert_string_equal(a->culprit, b->culprit);
    assert_memory_equal(&a->pressure, &b->pressure, sizeof(a->pressure));
}

static void events_are_read_by_time_and_by_kind(void **state)
{
    struct st_event event;
    int64_t id;
    bool more;
    open_it();
    for (int i = 0; i < 5; i++)
        add_event(NOON_NS + i, i % 2 == 0 ? "late-wake" : "suspend");
    struct st_history_reader *reader = open_reader();
    struct st_history_asked wish = {INT64_MIN, INT64_MAX, 2, ""};
    sqlite3_stmt *events = st_history_read_events(reader, &wish, &more);
    assert_true(more);
    assert_true(st_history_read_next(reader, events, &id, &event));
    assert_int_equal(id, 4); /* the last two, oldest first */
    struct st_event wanted = st_event_make(NOON_NS + 3, ST_EVENT_SUSPEND, "words of suspend");
    wanted.lateness_ns = 7;
    ST_PRINT(wanted.device, "hw:\xff");
    wanted.pressure.pressure_cpu_permille = 125;
    wanted.pressure.cpu_khz = 3600000;
    check_same(&event, &wanted);
    assert_true(st_history_read_next(reader, events, &id, &event));
    assert_int_equal(id, 5);
    assert_false(st_history_read_next(reader, events, &id, &event));
    wish = (struct st_history_asked){NOON_NS + 1, NOON_NS + 4, 100, "late-wake"};
    events = st_history_read_events(reader, &wish, &more);
    assert_false(more);
    assert_true(st_history_read_next(reader, events, &id, &event));
    assert_false(st_history_read_next(reader, events, &id, &event));
    assert_int_equal(st_history_read_result(reader), 0);
    st_history_read_close(reader);
}

static void an_event_is_read_as_it_was_written(void **state)
{
    struct st_event read;
    int64_t id;
    bool more;
    struct st_event event = st_event_make(NOON_NS, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.span_ns = 9;
    event.count_n = 3;
    ST_PRINT(event.source, "pipewire");
    ST_PRINT(event.client, "HeavyReverb");
    event.certainty = ST_CERTAINTY_EXACT;
    event.reason = ST_DROPOUT_WOKEN_LATE;
    event.cycle.busy_ns = 1;
    event.cycle.error_ns = 2;
    event.cycle.wait_ns = 3;
    event.cycle.period_ns = 4;
    event.spare_ns = 5;
    event.culprit_plays = true;
    event.mixed = true;
    event.cause = ST_CAUSE_TIMER;
    event.lateness_ns = 8;
    event.explained_ns = 7;
    ST_PRINT(event.culprit, "ffmpeg");
    event.culprit_n = 2;
    event.culprit_ns = 10;
    event.loop_cpu = -1;
    event.slowed = ST_CAUSE_HEAT;
    event.pressure = (struct st_event_pressure){1, 2, 3, 4, 5, 6};
    open_it();
    put_all(&event, 1);
    struct st_history_reader *reader = open_reader();
    const struct st_history_asked wish = {INT64_MIN, INT64_MAX, 2, ""};
    sqlite3_stmt *events = st_history_read_events(reader, &wish, &more);
    assert_true(st_history_read_next(reader, events, &id, &read));
    check_same(&read, &event);
    assert_false(st_history_read_next(reader, events, &id, &read));
    st_history_read_close(reader);
}

static void what_is_rolled_back_was_never_there(void **state)
{
    const struct st_event event = st_event_make(NOON_NS, ST_EVENT_PAUSE, "%s", "");
    open_it();
    history->sql.r = -EIO; /* of a size that was asked for */
    st_history_begin(history);
    st_history_add_event(history, &event);
    st_history_rollback(history);
    assert_int_equal(query("SELECT count(*) FROM event"), 0);
}

static void write_file(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void set_version(int version)
{
    char sql[64];
    ST_PRINT(sql, "PRAGMA user_version = %d", version);
    assert_int_equal(query(sql), -1);
}

static void what_is_no_history_is_told_and_left_as_it_was(void **state)
{
    struct st_history_reader *reader;
    write_file("This is a letter, not a database, and long enough.\n", 51);
    assert_int_equal(st_history_open(path, &history, &error), -EBADMSG);
    assert_int_equal(st_history_read_open(path, &reader, &error), -EBADMSG);
    assert_int_equal(unlink(path), 0);
    open_it();
    st_history_close(history);
    assert_int_equal(query("PRAGMA application_id = 1"), -1);
    assert_int_equal(st_history_open(path, &history, &error), -EPROTO);
    assert_has(error, "another program");
    assert_int_equal(query("PRAGMA application_id = 1397511248"), -1);
    set_version(ST_HISTORY_VERSION + 1);
    assert_int_equal(st_history_open(path, &history, &error), -EPROTONOSUPPORT);
    assert_has(error, ", made by a newer sleeptune; this sleeptune reads version ");
    set_version(ST_HISTORY_VERSION - 1);
    assert_int_equal(st_history_open(path, &history, &error), -EBADMSG);
    assert_has(error, ", made by an early sleeptune; this sleeptune reads version ");
    set_version(ST_HISTORY_VERSION);
    assert_int_equal(query("DROP TABLE event"), -1);
    assert_int_equal(st_history_open(path, &history, &error), -EBADMSG);
    history = NULL;
}

static void damaged_pages_are_found_when_it_is_opened(void **state)
{
    open_it();
    for (int i = 0; i < 200; i++)
        add(NOON_NS + i * MINUTE_NS, 1000, 1000 + i * 1000);
    st_history_close(history);
    history = NULL;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    char junk[4096 * 4];
    memset(junk, 0x5a, sizeof(junk));
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, junk, sizeof(junk), 4096 * 10), sizeof(junk));
    close(fd);
    assert_int_equal(st_history_open(path, &history, &error), -EBADMSG);
    assert_has(error, "the history is damaged: ");
    assert_lacks(error, "***"); /* a heading is no reason */
    assert_lacks(error, "SQLite does not say");
}

static void nothing_but_files_is_opened(void **state)
{
    struct st_history_reader *reader;
    assert_int_equal(mkfifo(path, 0600), 0); /* an open would wait for ever */
    assert_int_equal(st_history_open(path, &history, &error), -EINVAL);
    assert_int_equal(st_history_read_open(path, &reader, &error), -EINVAL);
    ST_PRINT(path, "%s/none/history.db", folder);
    assert_int_equal(st_history_open(path, &history, &error), -ENOENT);
    assert_int_equal(st_history_read_open(path, &reader, &error), -ENOENT);
    assert_string_equal(error, strerror(ENOENT));
}

static void a_link_or_no_file_beside_it_is_named(void **state)
{
    static const char *const beside[] = {"-wal", "-shm", "-journal", ".lock"};
    char name[128], target[128], wanted[128];
    struct stat status;
    open_it();
    st_history_close(history);
    history = NULL;
    for (size_t i = 0; i < ST_ARRAY_LEN(beside); i++) {
        ST_PRINT(name, "%s%s", path, beside[i]);
        assert_int_equal(symlink("elsewhere", name), 0);
        assert_int_equal(st_history_open(path, &history, &error), -ELOOP);
        ST_PRINT(wanted, "history.db%s in the same folder is a symbolic link", beside[i]);
        assert_string_equal(error, wanted);
        assert_int_equal(unlink(name), 0);
        assert_int_equal(mkdir(name, 0700), 0);
        assert_int_equal(st_history_open(path, &history, &error), -EINVAL);
        ST_PRINT(wanted, "history.db%s in the same folder is not a file", beside[i]);
        assert_string_equal(error, wanted);
        assert_int_equal(rmdir(name), 0);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0); /* which would be made there */
    assert_int_equal(st_history_open(path, &history, &error), -ELOOP);
    assert_string_equal(error, "it is a symbolic link");
    assert_int_equal(st_history_look(path, &error), -ELOOP);
    ST_PRINT(target, "%s/elsewhere", folder);
    assert_int_equal(access(target, F_OK), -1);
    assert_int_equal(st_history_put_aside(path, NOON_NS, name, sizeof(name)), -EINVAL);
    assert_int_equal(lstat(path, &status), 0);
}

static void whose_file_it_is_is_told_by_its_first_bytes(void **state)
{
    assert_int_equal(st_history_look(path, &error), 0); /* none */
    assert_int_equal(access(path, F_OK), -1);
    write_file("", 0);
    assert_int_equal(st_history_look(path, &error), 0);
    write_file("x", 1);
    assert_int_equal(st_history_look(path, &error), -EPROTO);
    assert_string_equal(error, "not a database");
    assert_int_equal(unlink(path), 0);
    open_it();
    st_history_abandon(history); /* the log is not moved into the file */
    assert_int_equal(st_history_look(path, &error), 0);
    open_it();
    st_history_close(history);
    history = NULL;
    assert_int_equal(st_history_look(path, &error), 0);
    assert_int_equal(truncate(path, 200), 0); /* damaged, ours all the same */
    assert_int_equal(st_history_look(path, &error), 0);
    assert_int_equal(unlink(path), 0);
    open_it();
    st_history_close(history);
    history = NULL;
    assert_int_equal(query("PRAGMA application_id = 1"), -1);
    assert_int_equal(st_history_look(path, &error), -EPROTO);
    assert_string_equal(error, "the database of another program");
    struct rlimit files, none;
    getrlimit(RLIMIT_NOFILE, &files);
    none = files;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    const int r = st_history_look(path, &error);
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(r, 0); /* who opens it is told that it cannot be read */
}

static void what_is_put_aside_is_never_overwritten(void **state)
{
    char aside[3][128], log[640];
    for (int i = 0; i < 3; i++) {
        write_file("x", 1);
        ST_PRINT(log, "%s-wal", path);
        FILE *file = fopen(log, "w");
        assert_non_null(file);
        fclose(file);
        assert_int_equal(st_history_put_aside(path, NOON_NS, aside[i], sizeof(aside[i])), 0);
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(access(log, F_OK), -1);
    }
    assert_has(aside[0], "history.db.aside-20261120T120000Z");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(access(aside[i], F_OK), 0);
        ST_PRINT(log, "%s-wal", aside[i]);
        assert_int_equal(access(log, F_OK), 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(aside[i], aside[j]);
    }
}

static void old_minutes_go_first_then_old_hours(void **state)
{
    open_it();
    add(NOON_NS - 401 * DAY_NS, 100, 1000);
    add(NOON_NS - 40 * DAY_NS, 100, 1000);
    add(NOON_NS - 5 * DAY_NS, 100, 1000);
    add_event(NOON_NS - 401 * DAY_NS, "late-wake");
    add_event(NOON_NS - 40 * DAY_NS, "late-wake");
    for (int call = 0; call < 2; call++) /* two days with minutes that are too old */
        assert_int_equal(st_history_retain(history, NOON_NS, 400, INT64_C(1000000000)), 0);
    assert_int_equal(query("SELECT count(*) FROM span WHERE level = 60"), 1);
    assert_int_equal(query("SELECT count(*) FROM span WHERE level = 3600"), 2);
    assert_int_equal(query("SELECT count(*) FROM event"), 1);
}

static void a_clock_years_ahead_costs_a_day_a_call(void **state)
{
    open_it();
    for (int day = 0; day < 5; day++)
        add(NOON_NS + day * DAY_NS, 100, 1000);
    add_event(NOON_NS, "late-wake");
    add_event(NOON_NS + 2 * DAY_NS, "late-wake");
    const int64_t ahead_ns = NOON_NS + 10 * 365 * DAY_NS;
    for (int day = 4; day >= 0; day--) {
        assert_int_equal(st_history_retain(history, ahead_ns, 400, INT64_C(1000000000)), 0);
        assert_int_equal(query("SELECT count(*) FROM span WHERE level = 60"), day);
        assert_int_equal(query("SELECT count(*) FROM span WHERE level = 3600"), day);
        assert_int_equal(query("SELECT count(*) FROM event"), day >= 3);
    }
}

static void a_bound_of_size_is_kept_and_events_take_half_of_it(void **state)
{
    open_it();
    st_history_begin(history);
    const struct st_event event = st_event_make(NOON_NS, ST_EVENT_LATE_WAKE, "%s", "");
    for (int i = 0; i < 3000; i++)
        st_history_add_event(history, &event);
    assert_int_equal(st_history_commit(history), 0);
    for (int day = 0; day < 8; day++)
        for (int i = 0; i < 100; i++)
            add(NOON_NS + day * DAY_NS + i * MINUTE_NS, 1000, 1000 + i * 1000);
    const int64_t bound = 120 * 1024;
    assert_true(st_history_bytes(history) > bound);
    assert_int_equal(st_history_retain(history, NOON_NS + 8 * DAY_NS, 400, bound), 0);
    assert_in_range(st_history_bytes(history), 1, bound);
    assert_in_range(query("SELECT count(*) FROM event"), 1, bound / 2 / 512);
    assert_in_range(query("SELECT count(*) FROM span WHERE level = 60"), 100, 799);
    /* the newest day is whole, and hours reach further back than minutes */
    assert_int_equal(query("SELECT max(from_ns) FROM span WHERE level = 60"),
                     NOON_NS + 7 * DAY_NS + 99 * MINUTE_NS);
    assert_true(query("SELECT min(from_ns) FROM span WHERE level = 3600") <
                query("SELECT min(from_ns) FROM span WHERE level = 60"));
}

static void where_dropouts_were_removed_nothing_was_watched(void **state)
{
    const struct st_history_watched watched = {
        .from_wall_ns = NOON_NS,
        .to_wall_ns = NOON_NS + HOUR_NS,
        .watches = {{.source = "pipewire", .watched_ns = HOUR_NS, .playing = 1}},
        .watches_n = 1};
    open_it();
    st_history_begin(history);
    for (int i = 0; i < 1000; i++) {
        const struct st_event event =
            dropout(NOON_NS + i * ST_NS_PER_S, "Heavy", ST_DROPOUT_TOO_SLOW, 1, 30);
        st_history_add_event(history, &event);
    }
    st_history_add_watched(history, &watched);
    assert_int_equal(st_history_commit(history), 0);
    assert_int_equal(st_history_retain(history, NOON_NS + HOUR_NS, 400, INT64_C(140) * 1024), 0);
    assert_in_range(query("SELECT count(*) FROM event"), 50, 900);
    assert_true(query("SELECT min(from_ns) FROM watch") > NOON_NS);
    assert_int_equal(query("SELECT min(from_ns) FROM watch"),
                     query("SELECT min(wall_ns) FROM event"));
    assert_int_equal(query("SELECT max(to_ns) FROM watch"), NOON_NS + HOUR_NS);
}

static void a_file_that_was_moved_away_is_noticed(void **state)
{
    char elsewhere[128];
    open_it();
    assert_int_equal(st_history_look_again(history), ST_HISTORY_OURS);
    ST_PRINT(elsewhere, "%s/moved.db", folder);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(st_history_look_again(history), ST_HISTORY_GONE);
}

static void a_history_without_writers_is_read_where_nothing_can_be_written(void **state)
{
    json_t *document;
    open_it();
    add(NOON_NS, 100, 1000);
    st_history_close(history);
    history = NULL;
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(read_it(NOON_NS, NOON_NS + MINUTE_NS, MINUTE_NS, &document), 0);
    assert_int_equal(figure(rows_of(document), 0, "cycles"), 100);
    json_decref(document);
    assert_int_equal(chmod(folder, 0755), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_are_read_by_time_and_by_kind),
        TEST(an_event_is_read_as_it_was_written),
        TEST(what_is_rolled_back_was_never_there),
        TEST(what_is_no_history_is_told_and_left_as_it_was),
        TEST(damaged_pages_are_found_when_it_is_opened),
        TEST(nothing_but_files_is_opened),
        TEST(a_link_or_no_file_beside_it_is_named),
        TEST(whose_file_it_is_is_told_by_its_first_bytes),
        TEST(what_is_put_aside_is_never_overwritten),
        TEST(old_minutes_go_first_then_old_hours),
        TEST(a_clock_years_ahead_costs_a_day_a_call),
        TEST(a_bound_of_size_is_kept_and_events_take_half_of_it),
        TEST(where_dropouts_were_removed_nothing_was_watched),
        TEST(a_file_that_was_moved_away_is_noticed),
        TEST(a_history_without_writers_is_read_where_nothing_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
