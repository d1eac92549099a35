/* Other programs' dropouts in a history, by client and reason, and when sound servers were watched. */

#include <string.h>

#include "core/ns.h"
#include "core/text/json.h"
#include "store/history/history_private.h"

#define ROWS_MAX    64            /* of an answer */
#define DEVICE_XRUN "device-xrun" /* in the place of a reason */

/* Events that are other programs' dropouts, whose kinds the first two arguments name. */
#define DROPOUTS " FROM event WHERE kind IN (?, ?) AND wall_ns >= ? AND wall_ns < ? AND count_n >= 0"
/* the file is not trusted: a sum must not overflow */
#define COUNT "sum(min(count_n, 1000000000))"
#define LOST                                                                                                 \
    "sum(max(min(lost_ns, 1000000000000000), 0)), max(longest_ns), "                                         \
    "max(count_n > 0 AND (coalesce(lost_ns, 0) <= 0 OR coalesce(longest_ns, 0) <= 0))"

/* What the file has, and what st_history_read_running added: a temporary table is found before the file's. */
#define WATCHES "(SELECT * FROM main.watch UNION ALL SELECT * FROM temp.watch)"

/* A row is a time in which nothing about the watching changed, so a day of it is a few rows. */
static int add_watch(sqlite3 *db, const struct st_history_watched *watched,
                     const struct st_history_watch *watch)
{
    int r = st_history_sql_run(db,
                               "UPDATE watch SET to_ns = ? WHERE id = (SELECT id FROM watch WHERE source = ? "
                               "ORDER BY to_ns DESC LIMIT 1)"
                               " AND abs(to_ns - ?) <= ? AND playing IS ? AND frames IS ? AND rate_hz IS ?"
                               " AND client IS ?",
                               "itiinnns", st_ns_add(watched->from_wall_ns, watch->watched_ns), watch->source,
                               watched->from_wall_ns, ST_HISTORY_WATCH_JOIN_NS, watch->playing, watch->frames,
                               watch->rate_hz, watch->client);
    if (r == 0 && sqlite3_changes(db) == 0)
        r = st_history_sql_run(db,
                               "INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz, client)"
                               " VALUES (?, ?, ?, ?, ?, ?, ?)",
                               "tiinnns", watch->source, st_ns_sub(watched->to_wall_ns, watch->watched_ns),
                               watched->to_wall_ns, watch->playing, watch->frames, watch->rate_hz,
                               watch->client);
    return r;
}

static int add_watched(sqlite3 *db, const struct st_history_watched *watched)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < watched->watches_n; i++)
        r = add_watch(db, watched, &watched->watches[i]);
    return r;
}

int st_history_add_watched(struct st_history *history, const struct st_history_watched *watched)
{
    return add_watched(history->db, watched);
}

int st_history_read_running(struct st_history_reader *reader, const struct st_history_watched *watched)
{
    return add_watched(reader->db, watched);
}

/* --- reading --- */

static json_t *known(sqlite3_stmt *statement, int i)
{
    return st_json_known(st_history_sql_int(statement, i));
}

/* A reason of a later version is unknown. */
static json_t *dropout_json(sqlite3_stmt *statement)
{
    char name[32];
    const char *shown = DEVICE_XRUN, *text = "the device had no data in time";
    st_history_sql_text(statement, 11, name, sizeof(name));
    if (strcmp(name, st_event_kind_name(ST_EVENT_CLIENT_DROPOUT)) == 0) {
        st_history_sql_text(statement, 3, name, sizeof(name));
        const enum st_dropout_reason reason = st_dropout_reason_of(name);
        shown = st_dropout_reason_name(reason);
        text = st_dropout_reason_text(reason);
    }
    st_history_sql_text(statement, 12, name, sizeof(name));
    const char *place = st_dropout_place_name(st_dropout_place_of(name));
    if (st_dropout_place_why(st_dropout_place_of(name)) != NULL)
        text = st_dropout_place_why(st_dropout_place_of(name));
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "source",
        st_history_read_column(statement, 0), "device", st_history_read_column(statement, 1), "client",
        st_history_read_column(statement, 2), "reason", shown, "text", text, "place", place, "culprit",
        st_history_read_column(statement, 4), "count", known(statement, 5), "busy_ns", known(statement, 6),
        "busy_error_ns", known(statement, 10), "wait_ns", known(statement, 7), "period_ns",
        known(statement, 8), "last_ns", known(statement, 9), "lost_ns", known(statement, 13), "longest_ns",
        known(statement, 14), "lost_partly", st_history_sql_int(statement, 15) == 1);
}

int st_history_read_dropouts(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                             json_t **ret)
{
    sqlite3_stmt *statement;
    int64_t all_n = 0, listed_n = 0;
    const int64_t to_ns = until_ns != INT64_MIN ? until_ns : INT64_MAX;
    const char *device = st_event_kind_name(ST_EVENT_DEVICE_XRUN);
    const char *client = st_event_kind_name(ST_EVENT_CLIENT_DROPOUT);
    int r = st_history_sql_number(reader->db, &all_n, "SELECT coalesce(" COUNT ", 0)" DROPOUTS, "ttii",
                                  device, client, since_ns, to_ns);
    if (r == 0) /* by the period, too: the worst time is compared with its own */
        r = st_history_sql_prepare(
            reader->db, &statement,
            "SELECT source, device, client, reason, CASE WHEN 2 * culprit_n >= count_n THEN culprit "
            "END, " COUNT
            ", max(busy_ns), max(wait_ns), period_ns, max(wall_ns), max(error_ns), kind, place, " LOST
                DROPOUTS
            " GROUP BY source, device, client, kind, reason, 5, period_ns, place ORDER BY 6 DESC LIMIT ?",
            "ttiii", device, client, since_ns, to_ns, (int64_t)ROWS_MAX);
    if (r < 0)
        return r;
    json_t *rows = json_array();
    while ((r = st_history_sql_step(statement)) == 1) {
        listed_n = st_ns_add(listed_n, st_history_sql_int(statement, 5));
        json_array_append_new(rows, dropout_json(statement));
    }
    sqlite3_finalize(statement);
    if (r < 0) {
        json_decref(rows);
        return r;
    }
    *ret = json_pack("{s:I, s:I, s:o}", "count", (json_int_t)all_n, "others",
                     (json_int_t)st_ns_sub(all_n, listed_n), "rows", rows);
    return *ret != NULL ? 0 : -ENOMEM;
}

int st_history_read_watched(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                            json_t **ret)
{
    sqlite3_stmt *statement;
    /* frames and rate are those of the last row: max(to_ns) chooses it (sqlite.org/lang_select.html, bare
     * columns) */
    int r = st_history_sql_prepare(
        reader->db, &statement,
        "SELECT source, sum(min(to_ns, ?) - max(from_ns, ?)),"
        " sum((min(to_ns, ?) - max(from_ns, ?)) * playing), frames, rate_hz, max(to_ns) FROM " WATCHES
        " WHERE to_ns > ? AND from_ns < ? GROUP BY source ORDER BY 2 DESC LIMIT ?",
        "iiiiiii", until_ns, since_ns, until_ns, since_ns, since_ns, until_ns,
        (int64_t)ST_HISTORY_WATCHES_MAX);
    if (r < 0)
        return r;
    json_t *list = json_array();
    while ((r = st_history_sql_step(statement)) == 1)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "source",
                                              st_history_read_column(statement, 0), "watched_ns",
                                              known(statement, 1), "playing_ns", known(statement, 2),
                                              "frames", known(statement, 3), "rate_hz", known(statement, 4)));
    sqlite3_finalize(statement);
    if (r < 0)
        json_decref(list);
    else
        *ret = list;
    return r;
}

int st_history_read_was_watched(struct st_history_reader *reader, const char *source, int64_t wall_ns)
{
    sqlite3_stmt *statement;
    int r = st_history_sql_prepare(
        reader->db, &statement, "SELECT 1 FROM " WATCHES " WHERE source = ? AND from_ns <= ? AND to_ns >= ?",
        "tii", source, wall_ns, wall_ns);
    if (r < 0)
        return r;
    r = st_history_sql_step(statement);
    sqlite3_finalize(statement);
    return r;
}

int st_history_read_idle(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                         int64_t *ret_from_ns, int64_t *ret_to_ns)
{
    sqlite3_stmt *statement;
    bool any = false;
    int r = st_history_sql_prepare(reader->db, &statement,
                                   "SELECT max(from_ns, ?), min(to_ns, ?) FROM main.watch"
                                   " WHERE playing = 0 AND to_ns > ? AND from_ns < ? ORDER BY from_ns",
                                   "iiii", since_ns, until_ns, since_ns, until_ns);
    if (r < 0)
        return r;
    while ((r = st_history_sql_step(statement)) == 1) { /* rows of several sources overlap */
        const int64_t from_ns = st_history_sql_int(statement, 0), to_ns = st_history_sql_int(statement, 1);
        if (any && from_ns > st_ns_add(*ret_to_ns, ST_HISTORY_WATCH_JOIN_NS))
            break;
        *ret_from_ns = any ? *ret_from_ns : from_ns;
        *ret_to_ns = any && *ret_to_ns > to_ns ? *ret_to_ns : to_ns;
        any = true;
    }
    sqlite3_finalize(statement);
    return r < 0 ? r : any;
}
