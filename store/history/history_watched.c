/* When sound servers were watched, in a history. */
#include "core/ns.h"
#include "core/text/json.h"
#include "store/history/history_private.h"

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

int st_history_read_watched(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                            json_t **ret)
{
    sqlite3_stmt *statement;
    /* frames and rate are those of the last row: max(to_ns) chooses it (sqlite.org/lang_select.html, bare
     * columns) */
    int r = st_history_sql_prepare(
        reader->db, &statement,
        "SELECT max(to_ns), source, sum(min(to_ns, ?) - max(from_ns, ?)) AS watched_ns,"
        " sum((min(to_ns, ?) - max(from_ns, ?)) * playing) AS playing_ns, frames,"
        " rate_hz FROM " ST_HISTORY_WATCHES
        " WHERE to_ns > ? AND from_ns < ? GROUP BY source ORDER BY 3 DESC LIMIT ?",
        "iiiiiii", until_ns, since_ns, until_ns, since_ns, since_ns, until_ns,
        (int64_t)ST_HISTORY_WATCHES_MAX);
    if (r < 0)
        return r;
    json_t *list = json_array();
    while ((r = st_history_sql_step(statement)) == 1)
        json_array_append_new(list, st_history_read_object(statement, 1));
    sqlite3_finalize(statement);
    if (r < 0)
        json_decref(list);
    else
        *ret = list;
    return r;
}

int st_history_read_count(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns, int64_t *ret)
{
    *ret = INT64_MIN;
    return st_history_sql_number(
        reader->db, ret,
        "SELECT (SELECT total(" ST_HISTORY_DROPOUTS_N ") FROM event WHERE" ST_HISTORY_DROPOUT
        " AND wall_ns >= ?1 AND wall_ns < ?2) WHERE EXISTS (SELECT 1 FROM " ST_HISTORY_WATCHES
        " WHERE to_ns > ?1 AND from_ns < ?2)",
        "ii", since_ns, until_ns);
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
        int64_t from_ns, to_ns;
        st_history_sql_row(statement, "ii", &from_ns, &to_ns);
        if (any && from_ns > st_ns_add(*ret_to_ns, ST_HISTORY_WATCH_JOIN_NS))
            break;
        *ret_from_ns = any ? *ret_from_ns : from_ns;
        *ret_to_ns = any && *ret_to_ns > to_ns ? *ret_to_ns : to_ns;
        any = true;
    }
    sqlite3_finalize(statement);
    return r < 0 ? r : any;
}
