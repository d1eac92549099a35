/* A history in a folder of its own, with minutes and events, and how it is read: what its tests
 * start from. */
#pragma once

#include <sqlite3.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/json.h"
#include "store/history/hist_deflate.h"
#include "store/history/history.h"
#include "store/history/history_read.h"
#include "tests/unit/unit.h"

#define MINUTE_NS (60 * ST_NS_PER_S)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)
#define NOON_NS   (INT64_C(1795176000) * ST_NS_PER_S) /* 2026-11-20 12:00 UTC */

static char folder[64], path[96];
static const char *error;
static struct st_history *history;

static inline void open_it(void)
{
    assert_int_equal(st_history_open(path, &history, &error), 0);
}

static inline int setup(void **state)
{
    ST_PRINT(folder, "/tmp/test_history.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    ST_PRINT(path, "%s/history.db", folder);
    history = NULL;
    return 0;
}

static inline int teardown(void **state)
{
    char command[128];
    st_history_close(history);
    ST_PRINT(command, "rm -rf '%s'", folder);
    return system(command);
}

static inline void put_all(const struct st_event *events, size_t n)
{
    st_history_begin(history);
    for (size_t i = 0; i < n; i++)
        st_history_add_event(history, &events[i]);
    assert_int_equal(st_history_commit(history), 0);
}

static inline void put_minute(const struct st_history_minute *minute)
{
    st_history_begin(history);
    st_history_add_minute(history, minute);
    assert_int_equal(st_history_commit(history), 0);
}

static inline void put_watched(const struct st_history_watched *watched)
{
    st_history_begin(history);
    st_history_add_watched(history, watched);
    assert_int_equal(st_history_commit(history), 0);
}

/* A minute whose n wake-ups were all as late. @param dropouts INT64_MIN: no server was watched. */
static inline void add(int64_t from_ns, uint64_t n, int64_t lateness_ns)
{
    struct st_hist hist;
    struct st_history_minute minute = {.from_wall_ns = from_ns,
                                       .to_wall_ns = from_ns + MINUTE_NS,
                                       .measured_ns = MINUTE_NS,
                                       .cycles = n,
                                       .misses = 1,
                                       .skipped_periods = 2,
                                       .late_wakes = 3,
                                       .own_dropouts_n = 5,
                                       .lateness_max_ns = lateness_ns + 1,
                                       .conditions = {"6.1", "", "fifo", 70, -1, 128, 48000, 0}};
    assert_int_equal(st_hist_init(&hist, ST_HISTORY_DIGITS), 0);
    st_hist_add_n(&hist, lateness_ns, n);
    minute.lateness = st_hist_deflate(&hist, &minute.lateness_bytes);
    st_hist_finish(&hist);
    assert_non_null(minute.lateness);
    put_minute(&minute);
    free(minute.lateness);
}

/* Minutes in which a source was watched. */
static inline void add_watches(const char *source, int64_t from_ns, int64_t minutes, int64_t frames,
                               int64_t playing)
{
    for (int64_t i = 0; i < minutes; i++) {
        struct st_history_watched watched = {.from_wall_ns = from_ns + i * MINUTE_NS,
                                             .to_wall_ns = from_ns + (i + 1) * MINUTE_NS,
                                             .watches_n = 1};
        watched.watches[0] = (struct st_history_watch){
            .watched_ns = MINUTE_NS, .playing = playing, .frames = frames, .rate_hz = 48000};
        ST_PRINT(watched.watches[0].source, "%s", source);
        st_history_add_watched(history, &watched);
    }
}

static inline void add_event(int64_t wall_ns, const char *name)
{
    struct st_event event = st_event_make(wall_ns, st_event_kind_of(name), "words of %s", name);
    event.lateness_ns = 7;
    event.pressure =
        (struct st_event_pressure){125, INT64_MIN, INT64_MIN, 3600000, INT64_MIN, INT64_MIN};
    ST_PRINT(event.device, "hw:\xff");
    put_all(&event, 1);
}

static inline struct st_event dropout(int64_t wall_ns, const char *client,
                                      enum st_dropout_reason reason, int64_t n, int64_t busy_ms)
{
    struct st_event event = st_event_make(wall_ns, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    ST_PRINT(event.source, "pipewire");
    ST_PRINT(event.device, "alsa");
    ST_PRINT(event.client, "%s", client);
    event.reason = reason;
    event.count_n = n;
    event.cycle.busy_ns = busy_ms * ST_NS_PER_MS;
    event.cycle.error_ns = busy_ms * ST_NS_PER_MS / 10;
    event.cycle.wait_ns = 100;
    event.cycle.period_ns = 21 * ST_NS_PER_MS;
    return event;
}

static inline struct st_history_reader *open_reader(void)
{
    struct st_history_reader *reader;
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    return reader;
}

/* All reads succeeded. */
static inline void close_reader(struct st_history_reader *reader)
{
    assert_int_equal(st_history_read_result(reader), 0);
    st_history_read_close(reader);
}

static inline int read_it(int64_t since_ns, int64_t until_ns, int64_t step_ns, json_t **ret)
{
    struct st_history_reader *reader = open_reader();
    *ret = st_history_read_steps(reader, since_ns, until_ns, step_ns);
    const int r = st_history_read_result(reader);
    st_history_read_close(reader);
    if (r < 0)
        json_decref(*ret);
    return r;
}

static inline json_t *rows_of(json_t *document)
{
    return json_object_get(document, "rows");
}

static inline int64_t figure(const json_t *rows, size_t i, const char *key)
{
    return st_json_integer(json_array_get(rows, i), key);
}

static inline int64_t query(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    const int64_t value =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return value;
}
