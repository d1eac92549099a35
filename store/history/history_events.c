/* Writes and reads the events of a history. */
#include "store/history/history_private.h"

/* A longer row of minutes in `span` contains a time in which the loop did not run. The late wake-up
 * at the end of that time was recorded after the row, so 0 late wake-ups in such a row prove
 * nothing. */
#define MINUTE_MAX_NS (100 * ST_NS_PER_S)

/* Replaces "@" in a statement by the columns of an event, and "*" by a "?" for each column. @return
 * buf. */
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

void st_history_make_event_table(struct st_sql *sql)
{
    /* AUTOINCREMENT: an id is never used again. */
    st_sql_exec(
        sql,
        sql_of("CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, @);CREATE INDEX "
               "event_time ON event (wall_ns);CREATE INDEX event_kind ON event (kind, wall_ns);",
               ST_ROOM(2048)));
}

/* Inserts an event. Unknown fields become NULL. */
static void insert(struct st_sql *sql, const char *format, const struct st_event *event)
{
    int i = 0, code = SQLITE_OK;
    sqlite3_stmt *rows = st_sql_rows(sql, sql_of(format, ST_ROOM(1024)), "");
    ST_EACH_OF (field, st_event_record.fields, rows != NULL ? st_event_record.n : 0) {
        if ((field->in & ST_FIELD_FILE) == 0 || code != SQLITE_OK)
            continue;
        i++;
        if (!st_record_is_known(field, event)) /* the column stays NULL */
            continue;
        if (field->form == ST_FORM_NUMBER)
            code = sqlite3_bind_int64(rows, i, st_record_number(field, event));
        else
            code = sqlite3_bind_text(rows, i, st_record_text(field, event), -1, SQLITE_STATIC);
    }
    if (code != SQLITE_OK)
        sql->r = st_sql_errno(sql, code);
    while (st_sql_next(sql, rows, "")) {
    }
}

void st_history_add_event(struct st_history *history, const struct st_event *event)
{
    insert(&history->sql, "INSERT INTO event (@) VALUES (*)", event);
}

/* Makes a temporary view `event` that joins the events in the file and the open ones, which are
 * not in the file yet. A statement that names `event` then uses this view, not the table of the
 * file. */
void st_history_read_open_events(struct st_history_reader *reader, const struct st_event *events,
                                 size_t n)
{
    static const char make[] =
        "CREATE TEMP TABLE open_event AS SELECT * FROM main.event WHERE 0;CREATE TEMP VIEW event "
        "AS SELECT * FROM main.event UNION ALL SELECT * FROM temp.open_event";
    if (n == 0)
        return;
    struct st_sql *sql = &reader->sql;
    st_sql_exec(sql, make);
    ST_EACH_OF (event, events, n)
        insert(sql, "INSERT INTO open_event (@) VALUES (*)", event);
    /* Drops an open event that was written to the file after the caller had copied it: the event in
     * the file counts. */
    st_sql_exec(
        sql,
        "DELETE FROM open_event WHERE EXISTS (SELECT 1 FROM main.event AS kept WHERE kept.kind = "
        "open_event.kind AND kept.wall_ns >= open_event.wall_ns AND kept.source IS "
        "open_event.source AND kept.client IS open_event.client AND kept.device IS "
        "open_event.device AND kept.reason IS open_event.reason AND kept.place IS open_event.place "
        "AND kept.certainty IS open_event.certainty);UPDATE open_event SET id = -rowid");
}

/* --- reading; the file is not trusted --- */

/* Reads an event. A field that is out of range keeps the value of st_event_make. @return false: no
 * version of sleeptuned wrote this row. */
static bool read_event(sqlite3_stmt *row, int64_t *id, struct st_event *event)
{
    int column = 0;
    *event = st_event_make(0, ST_EVENT_KINDS, "%s", "");
    *id = sqlite3_column_int64(row, column);
    ST_EACH_OF (field, st_event_record.fields, st_event_record.n) {
        if ((field->in & ST_FIELD_FILE) == 0)
            continue;
        column++;
        const char *text =
            field->form != ST_FORM_NUMBER ? (const char *)sqlite3_column_text(row, column) : NULL;
        if (field->form == ST_FORM_NAME)
            snprintf((char *)event + field->at, field->bytes, "%s", st_text_or(text, ""));
        else if (text != NULL)
            (void)st_record_set_text(field, text, event);
        else if (sqlite3_column_type(row, column) != SQLITE_NULL)
            (void)st_record_set_number(field, sqlite3_column_int64(row, column), event);
    }
    return event->kind != ST_EVENT_KINDS &&
           (event->kind != ST_EVENT_LATE_WAKE || event->lateness_ns != INT64_MIN);
}

bool st_history_read_next(struct st_history_reader *reader, sqlite3_stmt *events, int64_t *ret_id,
                          struct st_event *ret)
{
    while (st_sql_next(&reader->sql, events, "")) {
        if (read_event(events, ret_id, ret))
            return true;
    }
    return false;
}

sqlite3_stmt *st_history_read_late(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns)
{
    return st_sql_rows(
        &reader->sql,
        sql_of("SELECT id, @ FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ? AND "
               "wall_ns - lateness_ns - coalesce(span_ns, 0) <= ?",
               ST_ROOM(1024)),
        "tiii", st_event_kind_name(ST_EVENT_LATE_WAKE), from_ns,
        st_ns_add(to_ns, ST_HISTORY_LATE_NS), to_ns);
}

void st_history_read_loop_seen(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns,
                               int64_t *ret_from_ns, int64_t *ret_to_ns)
{
    struct st_sql *sql = &reader->sql;
    int64_t first_ns, last_ns, longest_ns, late_n;
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    "SELECT min(from_ns), max(to_ns), max(to_ns - from_ns), sum(late_wakes) FROM "
                    "span WHERE level = ? AND from_ns > ? AND from_ns <= ? AND to_ns >= ?",
                    "iiii", ST_HISTORY_MINUTE, st_ns_sub(from_ns, MINUTE_MAX_NS), to_ns, from_ns);
    while (st_sql_next(sql, rows, "iiii", &first_ns, &last_ns, &longest_ns, &late_n)) {
        if (longest_ns > MINUTE_MAX_NS ||
            (late_n != 0 &&
             st_sql_number(
                 sql, 0,
                 "SELECT 1 FROM event WHERE kind = ? AND wall_ns >= ? AND wall_ns <= ? LIMIT 1",
                 "tii", st_event_kind_name(ST_EVENT_LATE_WAKE), first_ns,
                 st_ns_add(last_ns, ST_HISTORY_LATE_NS)) == 0))
            continue;
        *ret_from_ns = first_ns;
        *ret_to_ns = last_ns;
    }
}

/* Reads the latest events in two steps, so that SQLite need not sort them: finds the oldest event
 * that is within the limit, then reads from this event on. */
sqlite3_stmt *st_history_read_events(struct st_history_reader *reader,
                                     const struct st_history_asked *wish, bool *ret_more)
{
    const char *kind = wish->kind[0] == '\0' ? "'' = ?" : "kind = ?";
    struct st_sql *sql = &reader->sql;
    int64_t first_ns = wish->since_ns, id = INT64_MIN; /* id of the first of the latest events */
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    st_text("SELECT wall_ns, id FROM event WHERE wall_ns >= ? AND wall_ns < ? AND "
                            "%s ORDER BY wall_ns DESC, id DESC LIMIT 2 OFFSET ?",
                            kind),
                    "iiti", wish->since_ns, wish->until_ns, wish->kind, wish->limit - 1);
    *ret_more = st_sql_next(sql, rows, "ii", &first_ns, &id) && st_sql_next(sql, rows, "");
    if (*ret_more)
        sqlite3_finalize(rows);
    return st_sql_rows(
        sql,
        sql_of(st_text("SELECT id, @ FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s AND "
                       "(wall_ns > ? OR id >= ?) ORDER BY wall_ns, id LIMIT ?",
                       kind),
               ST_ROOM(1280)),
        "iitiii", first_ns, wish->until_ns, wish->kind, first_ns, id, wish->limit);
}

int64_t st_history_read_last(struct st_history_reader *reader, int64_t n)
{
    return st_sql_number(&reader->sql, INT64_MIN,
                         "SELECT wall_ns FROM event ORDER BY wall_ns DESC LIMIT 1 OFFSET ?", "i",
                         n);
}

sqlite3_stmt *st_history_read_dropouts(struct st_history_reader *reader, int64_t since_ns,
                                       int64_t until_ns)
{
    return st_sql_rows(
        &reader->sql,
        sql_of("SELECT id, @ FROM event WHERE" ST_HISTORY_DROPOUT
               " AND wall_ns >= ? AND wall_ns < ? ORDER BY source, client, device, id",
               ST_ROOM(1280)),
        "ii", since_ns, until_ns);
}
