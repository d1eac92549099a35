/* Events of a history. */
#include "core/ns.h"
#include "store/history/history_private.h"

/* Columns of the table, in the order of bind and read. */
#define COLUMNS                                                                                              \
    "wall_ns, kind, span_ns, count_n, detail, source, device, client, certainty, reason, busy_ns, error_ns," \
    " wait_ns, period_ns, missing_ns, cause, lateness_ns, explained_ns, culprit, culprit_n,"                 \
    " culprit_ns, loop_cpu, slowed, pressure_cpu_permille, pressure_io_permille, pressure_memory_permille,"  \
    " cpu_khz, throttles_n, temperature_mc, mixed, place, cycles_n, lost_ns,"                                \
    " longest_ns"
#define COLUMNS_N 34
#define CPUS_MAX  (1 << 20)
/* A row of `span` is a minute, or some seconds more. A longer one ends with a loop that did not run for a
 * while: its late wake-up was recorded after the minute, so that "no late wake-up in this row" proves
 * nothing. */
#define MINUTE_MAX_NS (100 * ST_NS_PER_S)

/* A value that says nothing is NULL in the table. */
static int64_t or_null(int64_t value, int64_t nothing)
{
    return value != nothing ? value : INT64_MIN;
}

static const char *cause_or_null(enum st_cause cause)
{
    return cause != ST_CAUSE_UNKNOWN ? st_cause_kind_name(cause) : "";
}

int st_history_add_event(struct st_history *history, const struct st_event *event)
{
    const struct st_event_circumstances *c = &event->circumstances;
    return st_history_sql_run(
        history->db,
        "INSERT INTO event (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "itanssssnsaaaaasnnsaansnnnnnnnsaaa", event->wall_ns, st_event_kind_name(event->kind), event->span_ns,
        event->count_n, event->detail, event->source, event->device, event->client,
        or_null(event->certainty, ST_CERTAINTY_NONE),
        event->reason != ST_DROPOUT_UNKNOWN ? st_dropout_reason_name(event->reason) : "",
        event->cycle.busy_ns, event->cycle.error_ns, event->cycle.wait_ns, event->cycle.period_ns,
        event->missing_ns, cause_or_null(event->cause), event->lateness_ns, event->explained_ns,
        event->culprit, event->culprit_n, event->culprit_ns, or_null(event->loop_cpu, ST_EVENT_NO_LOOP),
        cause_or_null(event->slowed), c->pressure_cpu_permille, c->pressure_io_permille,
        c->pressure_memory_permille, c->cpu_khz, c->throttles_n, c->temperature_mc, or_null(event->mixed, 0),
        event->place != ST_DROPOUT_AT_UNKNOWN ? st_dropout_place_name(event->place) : "", event->cycles_n,
        event->lost_ns, event->longest_ns);
}

/* --- reading: the file is not trusted --- */

/* Of a later version: unknown. */
static enum st_cause cause_of(const char *name)
{
    enum st_cause cause;
    return st_cause_kind_find(name, &cause) == 0 ? cause : ST_CAUSE_UNKNOWN;
}

/* @return false: what no sleeptuned has written. */
static bool read_event(sqlite3_stmt *statement, struct st_event *ret)
{
    char kind[40], reason[40], cause[40], slowed[40], place[40];
    int64_t count_n, certainty, loop_cpu, mixed;
    struct st_event event = st_event_make(0, ST_EVENT_KINDS, "%s", "");
    struct st_event_circumstances *c = &event.circumstances;
    st_history_sql_row(statement, "itaittttitaaaaatiitaaitiiiiiiataaa", &event.wall_ns, kind, sizeof(kind),
                       &event.span_ns, &count_n, event.detail, sizeof(event.detail), event.source,
                       sizeof(event.source), event.device, sizeof(event.device), event.client,
                       sizeof(event.client), &certainty, reason, sizeof(reason), &event.cycle.busy_ns,
                       &event.cycle.error_ns, &event.cycle.wait_ns, &event.cycle.period_ns, &event.missing_ns,
                       cause, sizeof(cause), &event.lateness_ns, &event.explained_ns, event.culprit,
                       sizeof(event.culprit), &event.culprit_n, &event.culprit_ns, &loop_cpu, slowed,
                       sizeof(slowed), &c->pressure_cpu_permille, &c->pressure_io_permille,
                       &c->pressure_memory_permille, &c->cpu_khz, &c->throttles_n, &c->temperature_mc, &mixed,
                       place, sizeof(place), &event.cycles_n, &event.lost_ns, &event.longest_ns);
    event.kind = st_event_kind_of(kind);
    if (count_n >= 0 && count_n <= ST_SQL_AMOUNT_MAX)
        event.count_n = count_n;
    if (certainty == ST_CERTAINTY_EXACT || certainty == ST_CERTAINTY_PROBABLE)
        event.certainty = (enum st_certainty)certainty;
    event.reason = st_dropout_reason_of(reason);
    event.cause = cause_of(cause);
    if (loop_cpu >= -1 && loop_cpu < CPUS_MAX)
        event.loop_cpu = (int)loop_cpu;
    event.slowed = cause_of(slowed);
    event.mixed = mixed > 0;
    event.place = st_dropout_place_of(place);
    if (event.kind == ST_EVENT_KINDS || (event.kind == ST_EVENT_LATE_WAKE && event.lateness_ns == INT64_MIN))
        return false;
    *ret = event;
    return true;
}

int st_history_read_late(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns,
                         struct st_event *ret)
{
    sqlite3_stmt *statement;
    int r = st_history_sql_prepare(
        reader->db, &statement,
        "SELECT " COLUMNS " FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ?"
        " AND wall_ns - lateness_ns - coalesce(span_ns, 0) <= ?"
        " ORDER BY lateness_ns DESC LIMIT 1",
        "tiii", st_event_kind_name(ST_EVENT_LATE_WAKE), from_ns, st_ns_add(to_ns, ST_HISTORY_LATE_NS), to_ns);
    if (r < 0)
        return r;
    r = st_history_sql_step(statement);
    if (r == 1 && !read_event(statement, ret))
        r = 0;
    sqlite3_finalize(statement);
    return r;
}

int st_history_read_loop_seen(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns)
{
    sqlite3_stmt *statement;
    int64_t first_ns = 0, last_ns = INT64_MIN, longest_ns = 0, late_n = 0, listed_n = 0;
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
    if (r < 0 || last_ns < to_ns || first_ns > from_ns || longest_ns > MINUTE_MAX_NS)
        return r < 0 ? r : 0;
    if (late_n == 0)
        return 1;
    r = st_history_sql_number(
        reader->db, &listed_n, "SELECT 1 FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ? LIMIT 1",
        "tii", st_event_kind_name(ST_EVENT_LATE_WAKE), first_ns, st_ns_add(last_ns, ST_HISTORY_LATE_NS));
    return r < 0 ? r : listed_n != 0;
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

static int take_all(sqlite3_stmt *statement, st_history_event_fn take, void *ctx)
{
    struct st_event event;
    int r;
    while ((r = st_history_sql_step(statement)) == 1) {
        if (read_event(statement, &event)) /* others are not shown */
            r = take(ctx, st_history_sql_int(statement, COLUMNS_N), &event);
        if (r < 0)
            break;
    }
    sqlite3_finalize(statement);
    return r;
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
             "SELECT " COLUMNS
             ", id FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s AND (wall_ns > ? OR id >= ?)"
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
    const int r = st_history_sql_prepare(
        reader->db, &statement,
        "SELECT " COLUMNS ", id FROM event WHERE kind IN (?, ?) AND wall_ns >= ? AND wall_ns < ?"
        " ORDER BY source, client, device",
        "ttii", st_event_kind_name(ST_EVENT_DEVICE_XRUN), st_event_kind_name(ST_EVENT_CLIENT_DROPOUT),
        since_ns, until_ns != INT64_MIN ? until_ns : INT64_MAX);
    return r < 0 ? r : take_all(statement, take, ctx);
}
