/* Events of a history. */
#include "core/ns.h"
#include "core/text/text.h"
#include "store/history/history_private.h"

/* A row of `span` is a minute, or some seconds more. A longer one ends with a loop that did not run for a
 * while: its late wake-up was recorded after the minute, so that "no late wake-up in this row" proves
 * nothing. */
#define MINUTE_MAX_NS (100 * ST_NS_PER_S)

/* Replaces "@" in a statement by the columns of an event, and "*" by a mark for each. @return buf. */
static const char *sql_of(const char *format, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    while (*format != '\0') {
        const size_t plain = strcspn(format, "@*");
        const char *comma = "";
        st_text_append(buf, buf_bytes, "%.*s", (int)plain, format);
        format += plain;
        ST_EACH_OF (field, st_event_record.fields, *format != '\0' ? st_event_record.n : 0) {
            if ((field->in & ST_FIELD_FILE) == 0)
                continue;
            st_text_append(buf, buf_bytes, "%s%s", comma, *format == '@' ? field->name : "?");
            comma = ", ";
        }
        format += *format != '\0';
    }
    return buf;
}

int st_history_make_event_table(sqlite3 *db)
{
    char sql[2048];
    sql_of("CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, @);" /* never reused */
           "CREATE INDEX event_time ON event (wall_ns);"
           "CREATE INDEX event_kind ON event (kind, wall_ns);",
           sql, sizeof(sql));
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

/* Inserts an event; what is unknown is NULL. @return 0 or a negative errno value. */
static int insert(sqlite3 *db, const char *format, const struct st_event *event)
{
    sqlite3_stmt *statement;
    char sql[1024];
    int i = 0, code = SQLITE_OK;
    int r = st_history_sql_prepare(db, &statement, sql_of(format, sql, sizeof(sql)), "");
    if (r < 0)
        return r;
    ST_EACH_OF (field, st_event_record.fields, st_event_record.n) {
        if ((field->in & ST_FIELD_FILE) == 0 || code != SQLITE_OK)
            continue;
        i++;
        if (!st_record_is_known(field, event)) /* NULL */
            continue;
        if (field->form == ST_FORM_NUMBER)
            code = sqlite3_bind_int64(statement, i, st_record_number(field, event));
        else
            code = sqlite3_bind_text(statement, i, st_record_text(field, event), -1, SQLITE_STATIC);
    }
    r = code == SQLITE_OK ? st_history_sql_step(statement) : st_history_sql_errno(db, code);
    sqlite3_finalize(statement);
    return ST_MIN(r, 0);
}

int st_history_add_event(struct st_history *history, const struct st_event *event)
{
    return insert(history->db, "INSERT INTO event (@) VALUES (*)", event);
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
        r = insert(reader->db, "INSERT INTO open_event (@) VALUES (*)", &events[i]);
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

/* What is out of range stays as st_event_make has it. @return false: what no sleeptuned has written. */
static bool read_event(sqlite3_stmt *statement, int64_t *id, struct st_event *event)
{
    int column = 0;
    *event = st_event_make(0, ST_EVENT_KINDS, "%s", "");
    *id = sqlite3_column_int64(statement, column);
    ST_EACH_OF (field, st_event_record.fields, st_event_record.n) {
        if ((field->in & ST_FIELD_FILE) == 0)
            continue;
        column++;
        const char *text =
            field->form != ST_FORM_NUMBER ? (const char *)sqlite3_column_text(statement, column) : NULL;
        if (field->form == ST_FORM_NAME)
            snprintf((char *)event + field->at, field->bytes, "%s", text != NULL ? text : "");
        else if (text != NULL)
            (void)st_record_set_text(field, text, event);
        else if (sqlite3_column_type(statement, column) != SQLITE_NULL)
            (void)st_record_set_number(field, sqlite3_column_int64(statement, column), event);
    }
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
    char sql[1024];
    const int r = st_history_sql_prepare(
        reader->db, &statement,
        sql_of("SELECT id, @ FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ?"
               " AND wall_ns - lateness_ns - coalesce(span_ns, 0) <= ?",
               sql, sizeof(sql)),
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
    char sql[1280];
    int r = find_range(reader, wish, kind, &range);
    if (r < 0)
        return r;
    *ret_more = range.more;
    sql_of(st_text("SELECT id, @ FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s"
                   " AND (wall_ns > ? OR id >= ?) ORDER BY wall_ns, id",
                   kind),
           sql, sizeof(sql));
    r = st_history_sql_prepare(reader->db, &statement, sql, "iitii", range.wall_ns, wish->until_ns,
                               wish->kind, range.wall_ns, range.id);
    return r < 0 ? r : take_all(statement, take, ctx);
}

int st_history_read_last(struct st_history_reader *reader, int64_t n, int64_t *ret_wall_ns)
{
    return st_history_sql_number(reader->db, ret_wall_ns,
                                 "SELECT wall_ns FROM event ORDER BY wall_ns DESC LIMIT 1 OFFSET ?", "i", n);
}

int st_history_read_dropouts(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                             st_history_event_fn take, void *ctx)
{
    sqlite3_stmt *statement;
    char sql[1280];
    const int r =
        st_history_sql_prepare(reader->db, &statement,
                               sql_of("SELECT id, @ FROM event WHERE" ST_HISTORY_DROPOUT
                                      " AND wall_ns >= ? AND wall_ns < ? ORDER BY source, client, device, id",
                                      sql, sizeof(sql)),
                               "ii", since_ns, until_ns != INT64_MIN ? until_ns : INT64_MAX);
    return r < 0 ? r : take_all(statement, take, ctx);
}
