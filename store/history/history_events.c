/* Events of a history. */
#include "core/ns.h"
#include "store/history/history_private.h"

/* The columns of the table behind wall_ns and kind, a row each: its name, and the member. NUMBER: INT64_MIN
 * is NULL; AMOUNT, a length of time or a number of occurrences: 0 is; TEXT: "" is. */
#define COLUMNS(NUMBER, AMOUNT, TEXT)                                                                        \
    AMOUNT(span_ns, event->span_ns)                                                                          \
    NUMBER(count_n, event->count_n)                                                                          \
    TEXT(detail, event->detail)                                                                              \
    TEXT(source, event->source)                                                                              \
    TEXT(device, event->device)                                                                              \
    TEXT(client, event->client)                                                                              \
    NUMBER(certainty, kept->certainty)                                                                       \
    TEXT(reason, kept->reason)                                                                               \
    AMOUNT(mixed, kept->mixed)                                                                               \
    TEXT(place, kept->place)                                                                                 \
    AMOUNT(cycles_n, event->cycles_n)                                                                        \
    AMOUNT(lost_ns, event->lost_ns)                                                                          \
    AMOUNT(longest_ns, event->longest_ns)                                                                    \
    AMOUNT(busy_ns, event->cycle.busy_ns)                                                                    \
    AMOUNT(error_ns, event->cycle.error_ns)                                                                  \
    AMOUNT(wait_ns, event->cycle.wait_ns)                                                                    \
    AMOUNT(period_ns, event->cycle.period_ns)                                                                \
    AMOUNT(missing_ns, event->missing_ns)                                                                    \
    TEXT(cause, kept->cause)                                                                                 \
    NUMBER(lateness_ns, event->lateness_ns)                                                                  \
    NUMBER(explained_ns, event->explained_ns)                                                                \
    TEXT(culprit, event->culprit)                                                                            \
    AMOUNT(culprit_n, event->culprit_n)                                                                      \
    AMOUNT(culprit_ns, event->culprit_ns)                                                                    \
    NUMBER(loop_cpu, kept->loop_cpu)                                                                         \
    TEXT(slowed, kept->slowed)                                                                               \
    NUMBER(pressure_cpu_permille, event->pressure.pressure_cpu_permille)                                     \
    NUMBER(pressure_io_permille, event->pressure.pressure_io_permille)                                       \
    NUMBER(pressure_memory_permille, event->pressure.pressure_memory_permille)                               \
    NUMBER(cpu_khz, event->pressure.cpu_khz)                                                                 \
    NUMBER(throttles_n, event->pressure.throttles_n)                                                         \
    NUMBER(temperature_mc, event->pressure.temperature_mc)
#define NAME(name, member)     ", " #name
#define INTEGER(name, member)  ", " #name " INTEGER"
#define WORDS(name, member)    ", " #name " TEXT"
#define MARK(name, member)     ", ?"
#define LETTER_N(name, member) "n"
#define LETTER_A(name, member) "a"
#define LETTER_S(name, member) "s"
#define VALUE(name, member)    , member
#define PLACE(name, member)    , &member
#define ARRAY(name, member)    , member, sizeof(member)

#define TYPES    COLUMNS(INTEGER, INTEGER, WORDS)
#define NAMES    "wall_ns, kind" COLUMNS(NAME, NAME, NAME)
#define LETTERS  "it" COLUMNS(LETTER_N, LETTER_A, LETTER_S)
#define CPUS_MAX (1 << 20)
/* A row of `span` is a minute, or some seconds more. A longer one ends with a loop that did not run for a
 * while: its late wake-up was recorded after the minute, so that "no late wake-up in this row" proves
 * nothing. */
#define MINUTE_MAX_NS (100 * ST_NS_PER_S)

const char st_history_event_table[] = "CREATE TABLE event ("
                                      " id INTEGER PRIMARY KEY AUTOINCREMENT," /* never reused */
                                      " wall_ns INTEGER NOT NULL, kind TEXT NOT NULL" TYPES ");"
                                      "CREATE INDEX event_time ON event (wall_ns);"
                                      "CREATE INDEX event_kind ON event (kind, wall_ns);";

/* Members that the table has in another form: words for a value of an enum. */
struct kept {
    int64_t certainty, mixed, loop_cpu;
    char reason[40], place[40], cause[40], slowed[40];
};

static int insert(sqlite3 *db, const char *table, const struct st_event *event)
{
    char sql[1024];
    struct kept kept[] = {
        /* an array of one: COLUMNS says kept->x here and where it is read */
        {.certainty = event->certainty != ST_CERTAINTY_NONE ? (int64_t)event->certainty : INT64_MIN,
         .mixed = event->mixed,
         .loop_cpu = event->loop_cpu != ST_EVENT_NO_LOOP ? event->loop_cpu : INT64_MIN}};
    if (event->reason != ST_DROPOUT_UNKNOWN)
        ST_PRINT(kept->reason, "%s", st_dropout_reason_name(event->reason));
    if (event->place != ST_DROPOUT_AT_UNKNOWN)
        ST_PRINT(kept->place, "%s", st_dropout_place_name(event->place));
    if (event->cause != ST_CAUSE_UNKNOWN)
        ST_PRINT(kept->cause, "%s", st_cause_kind_name(event->cause));
    if (event->slowed != ST_CAUSE_UNKNOWN)
        ST_PRINT(kept->slowed, "%s", st_cause_kind_name(event->slowed));
    ST_PRINT(sql, "INSERT INTO %s (" NAMES ") VALUES (?, ?" COLUMNS(MARK, MARK, MARK) ")", table);
    return st_history_sql_run(db, sql, LETTERS, event->wall_ns,
                              st_event_kind_name(event->kind) COLUMNS(VALUE, VALUE, VALUE));
}

int st_history_add_event(struct st_history *history, const struct st_event *event)
{
    return insert(history->db, "event", event);
}

/* A temporary view is found before the file's table. */
int st_history_read_open_events(struct st_history_reader *reader, const struct st_event *events, size_t n)
{
    static const char make[] = "CREATE TEMP TABLE open_event AS SELECT * FROM main.event WHERE 0;"
                               "CREATE TEMP VIEW event AS"
                               " SELECT * FROM main.event UNION ALL SELECT * FROM temp.open_event";
    if (n == 0)
        return 0;
    int r = st_history_sql_errno(reader->db, sqlite3_exec(reader->db, make, NULL, NULL, NULL));
    for (size_t i = 0; r == 0 && i < n; i++)
        r = insert(reader->db, "open_event", &events[i]);
    if (r == 0) /* what has become a record since it was copied */
        r = st_history_sql_run(
            reader->db,
            "DELETE FROM open_event WHERE EXISTS (SELECT 1 FROM main.event AS kept"
            " WHERE kept.kind = open_event.kind AND kept.wall_ns >= open_event.wall_ns"
            " AND kept.source IS open_event.source AND kept.client IS open_event.client"
            " AND kept.device IS open_event.device AND kept.reason IS open_event.reason"
            " AND kept.place IS open_event.place AND kept.certainty IS open_event.certainty)",
            "");
    return r < 0 ? r : st_history_sql_run(reader->db, "UPDATE open_event SET id = -rowid", "");
}

/* --- reading: the file is not trusted --- */

/* Of a later version: unknown. */
static enum st_cause cause_of(const char *name)
{
    enum st_cause cause;
    return st_cause_kind_find(name, &cause) == 0 ? cause : ST_CAUSE_UNKNOWN;
}

/* @return false: what no sleeptuned has written. */
static bool read_event(sqlite3_stmt *statement, int64_t *id, struct st_event *event)
{
    struct kept kept[1];
    char kind[40];
    *event = st_event_make(0, ST_EVENT_KINDS, "%s", "");
    st_history_sql_row(statement, "n" LETTERS, id, &event->wall_ns, kind,
                       sizeof(kind) COLUMNS(PLACE, PLACE, ARRAY));
    event->kind = st_event_kind_of(kind);
    if (event->count_n < 0 || event->count_n > ST_SQL_AMOUNT_MAX)
        event->count_n = INT64_MIN;
    if (kept->certainty == ST_CERTAINTY_EXACT || kept->certainty == ST_CERTAINTY_PROBABLE)
        event->certainty = (enum st_certainty)kept->certainty;
    event->reason = st_dropout_reason_of(kept->reason);
    event->mixed = kept->mixed > 0;
    event->place = st_dropout_place_of(kept->place);
    event->cause = cause_of(kept->cause);
    if (kept->loop_cpu >= -1 && kept->loop_cpu < CPUS_MAX)
        event->loop_cpu = (int)kept->loop_cpu;
    event->slowed = cause_of(kept->slowed);
    return event->kind != ST_EVENT_KINDS &&
           (event->kind != ST_EVENT_LATE_WAKE || event->lateness_ns != INT64_MIN);
}

static int take_all(sqlite3_stmt *statement, st_history_event_fn take, void *ctx)
{
    struct st_event event;
    int64_t id;
    int r;
    while ((r = st_history_sql_step(statement)) == 1) {
        if (read_event(statement, &id, &event)) /* others are not shown */
            r = take(ctx, id, &event);
        if (r < 0)
            break;
    }
    sqlite3_finalize(statement);
    return r;
}

int st_history_read_late(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns,
                         st_history_event_fn take, void *ctx)
{
    sqlite3_stmt *statement;
    const int r = st_history_sql_prepare(
        reader->db, &statement,
        "SELECT id, " NAMES " FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ?"
        " AND wall_ns - lateness_ns - coalesce(span_ns, 0) <= ?",
        "tiii", st_event_kind_name(ST_EVENT_LATE_WAKE), from_ns, st_ns_add(to_ns, ST_HISTORY_LATE_NS), to_ns);
    return r < 0 ? r : take_all(statement, take, ctx);
}

int st_history_read_loop_seen(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns,
                              int64_t *ret_from_ns, int64_t *ret_to_ns)
{
    sqlite3_stmt *statement;
    int64_t first_ns = 0, last_ns = 0, longest_ns = 0, late_n = 0, listed_n = 0;
    int r = st_history_sql_prepare(
        reader->db, &statement,
        "SELECT min(from_ns), max(to_ns), max(to_ns - from_ns), sum(late_wakes) FROM span"
        " WHERE level = ? AND from_ns > ? AND from_ns <= ? AND to_ns >= ?",
        "iiii", ST_HISTORY_MINUTE, st_ns_sub(from_ns, MINUTE_MAX_NS), to_ns, from_ns);
    if (r < 0)
        return r;
    r = st_history_sql_step(statement);
    if (r == 1)
        st_history_sql_row(statement, "iiii", &first_ns, &last_ns, &longest_ns, &late_n);
    sqlite3_finalize(statement);
    if (r >= 0 && late_n != 0)
        r = st_history_sql_number(
            reader->db, &listed_n,
            "SELECT 1 FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ? LIMIT 1", "tii",
            st_event_kind_name(ST_EVENT_LATE_WAKE), first_ns, st_ns_add(last_ns, ST_HISTORY_LATE_NS));
    if (r >= 0 && longest_ns <= MINUTE_MAX_NS && (late_n == 0 || listed_n != 0)) {
        *ret_from_ns = first_ns;
        *ret_to_ns = last_ns;
    }
    return ST_MIN(r, 0);
}

/* First event of the answer, and whether there are more events than it holds. */
struct range {
    int64_t wall_ns, id; /* the first event; id INT64_MIN: the answer has all events */
    bool more;
};

/* The first of the last events is searched from the end; then they are read in order, which needs no memory
 * for sorting. */
static int find_range(const struct st_history_reader *reader, const struct st_history_events_wish *wish,
                      const char *kind, struct range *ret)
{
    sqlite3_stmt *statement;
    struct range range = {.wall_ns = wish->since_ns, .id = INT64_MIN};
    char sql[512];
    ST_PRINT(sql,
             "SELECT wall_ns, id FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s"
             " ORDER BY wall_ns DESC, id DESC LIMIT 2 OFFSET ?",
             kind);
    int r = st_history_sql_prepare(reader->db, &statement, sql, "iiti", wish->since_ns, wish->until_ns,
                                   wish->kind, wish->limit - 1);
    if (r < 0)
        return r;
    r = st_history_sql_step(statement);
    if (r == 1) {
        st_history_sql_row(statement, "ii", &range.wall_ns, &range.id);
        r = st_history_sql_step(statement);
        range.more = r == 1;
    }
    sqlite3_finalize(statement);
    if (r >= 0)
        *ret = range;
    return r < 0 ? r : 0;
}

int st_history_read_events(struct st_history_reader *reader, const struct st_history_events_wish *wish,
                           st_history_event_fn take, void *ctx, bool *ret_more)
{
    const char *kind = wish->kind[0] == '\0' ? "'' = ?" : "kind = ?";
    sqlite3_stmt *statement;
    struct range range;
    char sql[1024];
    int r = find_range(reader, wish, kind, &range);
    if (r < 0)
        return r;
    *ret_more = range.more;
    ST_PRINT(sql,
             "SELECT id, " NAMES
             " FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s AND (wall_ns > ? OR id >= ?)"
             " ORDER BY wall_ns, id",
             kind);
    r = st_history_sql_prepare(reader->db, &statement, sql, "iitii", range.wall_ns, wish->until_ns,
                               wish->kind, range.wall_ns, range.id);
    return r < 0 ? r : take_all(statement, take, ctx);
}

int st_history_read_dropouts(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                             st_history_event_fn take, void *ctx)
{
    sqlite3_stmt *statement;
    const int r =
        st_history_sql_prepare(reader->db, &statement,
                               "SELECT id, " NAMES " FROM event WHERE" ST_HISTORY_DROPOUT
                               " AND wall_ns >= ? AND wall_ns < ? ORDER BY source, client, device, id",
                               "ii", since_ns, until_ns != INT64_MIN ? until_ns : INT64_MAX);
    return r < 0 ? r : take_all(statement, take, ctx);
}
