/* A flood of events of one source beside the events that matter: what is logged, listed and kept of
 * both. */
#include <sqlite3.h>
#include <sys/stat.h>

#include "core/ns.h"
#include "daemon/observe/observed.h"
#include "store/history/history.h"

#include "tests/unit/history_writer_fixture.h"
#include "tests/unit/unit.h"

#define MINUTES  10
#define CLIENTS  60
#define MAX_MB   4
#define MB       1000000
#define FILLED_N (5 * MAX_MB * MB / 1000) /* rows, more than the file has room for */

/* --- the flood: a source that has sightings at a rate --- */

static int64_t to_see_n, client;

static int open_flood(struct st_xrun_watch *w)
{
    return st_xrun_because(w, 0, "a hostile client");
}

static int poll_flood(struct st_xrun_watch *w)
{
    struct st_xrun_seen one = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                         .device = "card",
                                         .certainty = ST_CERTAINTY_EXACT,
                                         .count_n = 1}};
    for (; to_see_n > 0; to_see_n--) {
        ST_PRINT(one.event.client, "hostile %d", (int)(client++ % CLIENTS));
        w->seen(w->ctx, &one);
    }
    return st_xrun_because(w, 0, "a hostile client");
}

static void close_flood(struct st_xrun_watch *w) {}

static const struct st_xrun_ops ops = {
    .open = open_flood, .poll = poll_flood, .close = close_flood};
static const struct st_xrun_source source = {
    .name = "pipewire", .summary = "scripted", .poll_ns = ST_NS_PER_S / 4, .ops = &ops};

/* --- the time --- */

static int64_t db_number(const char *sql)
{
    char path[128];
    sqlite3 *db;
    sqlite3_stmt *statement;
    in_folder(path, sizeof(path), "history.db");
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}

/* The file and its log, as they are now. */
static int64_t bytes_on_disk(void)
{
    static const char *const names[] = {"history.db", "history.db-wal"};
    int64_t bytes = 0;
    ST_EACH (name, names) {
        char path[128];
        struct stat status;
        in_folder(path, sizeof(path), *name);
        if (stat(path, &status) == 0)
            bytes += status.st_size;
    }
    return bytes;
}

/* Rows of before: the file is as large as it may be, and the oldest of them are the ones that
 * matter. */
static void fill_history(void)
{
    char path[128];
    const char *error;
    struct st_history *history;
    struct st_event event =
        st_event_make(ST_NS_PER_S, ST_EVENT_DEMOTED, "the loop lost real-time priority");
    in_folder(path, sizeof(path), "history.db");
    assert_int_equal(st_history_open(path, &history, &error), 0);
    st_history_begin(history);
    st_history_add_event(history, &event);
    event = st_event_make(ST_NS_PER_S, ST_EVENT_CLIENT_DROPOUT, "%200d", 1);
    ST_PRINT(event.source, "pipewire");
    for (int i = 0; i < FILLED_N; i++)
        st_history_add_event(history, &event);
    assert_int_equal(st_history_commit(history), 0);
    st_history_close(history);
}

static void end_minute(void)
{
    struct st_hist lateness;
    const int64_t wall_ns = st_platform_wall_ns(fake);
    const struct st_history_minute minute = {.from_wall_ns = wall_ns - 60 * ST_NS_PER_S,
                                             .to_wall_ns = wall_ns,
                                             .measured_ns = 60 * ST_NS_PER_S,
                                             .cycles = 2000,
                                             .lateness_max_ns = 5000};
    static const struct st_cause_sums none_late;
    static const struct st_history_watched nothing;
    assert_int_equal(st_hist_init(&lateness, ST_HISTORY_DIGITS), 0);
    st_hist_add_n(&lateness, 5000, 2000);
    st_history_writer_add(writer, &minute, &lateness, &none_late, &nothing);
    st_hist_finish(&lateness);
}

static int64_t in_list(const char *name, const char *of)
{
    int64_t n = 0;
    for (size_t i = 0; i < events.events_n; i++)
        n += strcmp(st_event_kind_name(events.events[i].event.kind), name) == 0 &&
             strcmp(events.events[i].event.source, of) == 0;
    return n;
}

/* Ten minutes with so many sightings a second, one event of each of the other kinds a minute. */
static void flood(int64_t rate_hz)
{
    static struct st_observed o;
    static const struct st_xrun_setting setting;
    client = 0;
    config.history.max_mb = MAX_MB;
    fill_history();
    events.platform = fake;
    start();
    st_observed_init(&o, fake, &events, &source);
    st_observed_set(&o, ST_OBSERVED_ON, &setting);
    for (int minute = 0; minute < MINUTES; minute++) {
        for (int quarter = 0; quarter < 240; quarter++) {
            st_fake_advance(fake, ST_NS_PER_S / 4);
            to_see_n = rate_hz / 4;
            st_observed_turn(&o);
            if (quarter % 4 == 0)
                st_events_log(&events, st_platform_wall_ns(fake), false);
        }
        st_events_add(&events, ST_LOG_DBG, st_platform_wall_ns(fake), ST_EVENT_LOOP_STALLED,
                      "a real one");
        struct st_event real = st_event_make(st_platform_wall_ns(fake), ST_EVENT_DEVICE_DROPOUT,
                                             "a real xrun of jack");
        ST_PRINT(real.source, "jack");
        st_events_put(&events, ST_LOG_DBG, &real);
        real = st_event_make(st_platform_wall_ns(fake), ST_EVENT_LATE_WAKE, "a real late wake-up");
        ST_PRINT(real.source, "loop");
        st_events_put(&events, ST_LOG_DBG, &real);
        end_minute();
        wait_for_other(writer, ST_HISTORY_WRITER_WRITING, (uint64_t)minute + 1);
        assert_in_range(bytes_on_disk(), 1,
                        MAX_MB * MB + ST_HISTORY_LOG_BYTES + (minute == 0 ? 4 * MB : 0));
    }
    st_observed_finish(&o);
    st_events_log(&events, st_platform_wall_ns(fake), true);
    assert_int_equal(o.view.seen.sum.n, rate_hz * 60 * MINUTES); /* counts are exact */
    assert_int_equal(in_list("loop-stalled", ""), MINUTES);
    assert_int_equal(in_list("device-dropout", "jack"), MINUTES);
    assert_int_equal(in_list("late-wake", "loop"), MINUTES);
    st_history_writer_stop(writer);
    writer = NULL;
    assert_in_range(bytes_on_disk(), 1, MAX_MB * MB);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'demoted'"), 1);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'loop-stalled'"), MINUTES);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'device-dropout'"),
                     MINUTES);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'late-wake'"), MINUTES);
    assert_in_range(db_number("SELECT count(*) FROM event WHERE client IS NOT NULL"), 1,
                    2 * (ST_OBSERVED_PENDING_MAX + 1) * 6 * (MINUTES + 1));
    assert_int_equal(db_number("SELECT sum(count_n) FROM event WHERE source = 'pipewire'"),
                     rate_hz * 60 * MINUTES); /* and so is the sum of the events */
    assert_in_range(
        db_number("SELECT count(*) FROM event WHERE source = 'pipewire' AND client IS NULL"
                  " AND device = 'card' AND span_ns > 0"),
        6 * MINUTES - 2, 6 * MINUTES + 1); /* all others, each 10 s */
    assert_int_equal(db_number("SELECT count(*) FROM span WHERE level = 60"), MINUTES);
}

static void ten_minutes_of_240_a_second_leave_the_real_events_and_the_limit(void **state)
{
    flood(240);
}

static void ten_minutes_of_5000_a_second_leave_the_real_events_and_the_limit(void **state)
{
    flood(5000);
}

/* --- its parts --- */

static void a_burst_passes_then_one_a_second(void **state)
{
    static struct st_event_limit limit;
    limit = (struct st_event_limit){0};
    const struct st_event event =
        st_event_make(1, ST_EVENT_OBSERVE_LOST, "a helper that ends at once");
    const struct st_event other =
        st_event_make(1, ST_EVENT_DEMOTED, "the loop lost real-time priority");
    int64_t now_ns = 5 * ST_NS_PER_S, passed_n = 0;
    for (int i = 0; i < 1000; i++)
        passed_n += st_event_limit_passes(&limit, now_ns, ST_LOG_WARN, &event);
    assert_int_equal(passed_n, ST_EVENT_LIMIT_BURST_N);
    assert_true(
        st_event_limit_passes(&limit, now_ns, ST_LOG_WARN, &other)); /* a bucket of its own */
    for (int i = 0; i < 100; i++, now_ns += ST_NS_PER_S / 10)
        passed_n += st_event_limit_passes(&limit, now_ns, ST_LOG_WARN, &event);
    assert_in_range(passed_n, ST_EVENT_LIMIT_BURST_N + 9, ST_EVENT_LIMIT_BURST_N + 10);
    struct st_event sum;
    enum st_log_level level;
    assert_false(
        st_event_limit_sum(&limit, now_ns, 7, false, &sum, &level)); /* no minute has gone by */
    assert_true(st_event_limit_sum(&limit, 65 * ST_NS_PER_S, 7, false, &sum, &level));
    assert_int_equal(sum.kind, ST_EVENT_OBSERVE_LOST);
    assert_int_equal(sum.count_n, 1100 - passed_n);
    assert_int_equal(sum.span_ns, 60 * ST_NS_PER_S);
    assert_string_equal(sum.detail, event.detail);
    assert_false(st_event_limit_sum(&limit, INT64_MAX, 7, true, &sum, &level)); /* once */
}

static void late_wake_ups_and_dropouts_all_pass(void **state)
{
    static const enum st_event_kind kinds[] = {ST_EVENT_LATE_WAKE, ST_EVENT_CLIENT_DROPOUT,
                                               ST_EVENT_DEVICE_DROPOUT};
    static struct st_event_limit limit;
    limit = (struct st_event_limit){0};
    for (size_t i = 0; i < ST_ARRAY_LEN(kinds) * 100; i++) {
        const struct st_event event = st_event_make(1, kinds[i % ST_ARRAY_LEN(kinds)], "%s", "");
        assert_true(st_event_limit_passes(&limit, 0, ST_LOG_WARN, &event));
    }
}

/* Without a limit of the rate: what list and queue drop is of the kind that floods. */
static void a_full_list_and_a_full_queue_drop_the_most_frequent_kind(void **state)
{
    ST_PRINT(config.history.path, "%s/no-folder/history.db", folder);
    start();
    st_events_add(&events, ST_LOG_DBG, 1, ST_EVENT_DEMOTED, "a real one");
    for (int i = 0; i < 3 * ST_HISTORY_WRITER_EVENTS_MAX; i++)
        st_events_add(&events, ST_LOG_DBG, 2, ST_EVENT_PAUSE, "flood %d", i);
    assert_int_equal(in_list("demoted", ""), 1);
    assert_int_equal(events.events_n, ST_EVENTS_MAX);
    wait_for(ST_HISTORY_WRITER_FAILING);
    char path[128];
    in_folder(path, sizeof(path), "no-folder");
    assert_int_equal(mkdir(path, 0700), 0);
    st_history_writer_set(writer, &config);
    wait_for(ST_HISTORY_WRITER_WRITING);
    st_history_writer_stop(writer);
    writer = NULL;
    char command[160];
    ST_PRINT(command, "mv '%s/no-folder/history.db' '%s/'", folder, folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'demoted'"), 1);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'history-lost'"), 1);
    assert_int_equal(db_number("SELECT count(*) FROM event"), ST_HISTORY_WRITER_EVENTS_MAX + 1);
}

/* Without a limit of the rate, within an hour: five times what there is room for. */
static void the_size_is_kept_as_rows_are_written(void **state)
{
    config.history.max_mb = MAX_MB;
    start();
    st_events_add(&events, ST_LOG_DBG, 1, ST_EVENT_DEMOTED, "a real one");
    for (uint64_t round = 1; round <= 20; round++) {
        for (int i = 0; i < ST_HISTORY_WRITER_EVENTS_MAX - 1; i++)
            st_events_add(&events, ST_LOG_DBG, 2, ST_EVENT_PAUSE, "%250d", i);
        end_minute();
        wait_for_other(writer, ST_HISTORY_WRITER_WRITING, round);
        assert_in_range(bytes_on_disk(), 1,
                        (MAX_MB + 2) * MB); /* 2: what is written at once, and its log */
    }
    st_history_writer_stop(writer);
    writer = NULL;
    assert_in_range(bytes_on_disk(), 1, MAX_MB * MB);
    assert_int_equal(db_number("SELECT count(*) FROM event WHERE kind = 'demoted'"), 1);
    assert_in_range(db_number("SELECT count(*) FROM event"), 1000, MAX_MB * MB / 2 / 250);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_burst_passes_then_one_a_second),
        TEST(late_wake_ups_and_dropouts_all_pass),
        TEST(a_full_list_and_a_full_queue_drop_the_most_frequent_kind),
    };
    /* Seconds of simulations: a test of their own (simulated_cases in meson.build). */
    const struct CMUnitTest simulated[] = {
        TEST(the_size_is_kept_as_rows_are_written),
        TEST(ten_minutes_of_240_a_second_leave_the_real_events_and_the_limit),
        TEST(ten_minutes_of_5000_a_second_leave_the_real_events_and_the_limit),
    };
    if (argc > 1 && strcmp(argv[1], "simulated") == 0)
        return cmocka_run_group_tests(simulated, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
