/* When which source of dropouts was watched, in a history. */
#include "core/text/json.h"
#include "store/history/history_private.h"

/* Adds one minute for each source. If the source's last row ended just before with the same values,
 * extends that row instead of adding one, so that a day without changes is a few rows. */
static void add_watched(struct st_sql *sql, const struct st_history_watched *watched)
{
    ST_EACH_OF (watch, watched->watches, watched->watches_n) {
        st_sql_run(sql,
                   "UPDATE watch SET to_ns = ? WHERE id = (SELECT id FROM watch WHERE source = ? "
                   "ORDER BY to_ns DESC LIMIT 1) AND abs(to_ns - ?) <= ? AND playing IS ? AND "
                   "frames IS ? AND rate_hz IS ? AND client IS ?",
                   "itiinnns", st_ns_add(watched->from_wall_ns, watch->watched_ns), watch->source,
                   watched->from_wall_ns, ST_HISTORY_WATCH_JOIN_NS, watch->playing, watch->frames,
                   watch->rate_hz, watch->client);
        if (sqlite3_changes(sql->db) > 0)
            continue;
        st_sql_run(sql,
                   "INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz, client) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?)",
                   "tiinnns", watch->source, st_ns_sub(watched->to_wall_ns, watch->watched_ns),
                   watched->to_wall_ns, watch->playing, watch->frames, watch->rate_hz,
                   watch->client);
    }
}

void st_history_add_watched(struct st_history *history, const struct st_history_watched *watched)
{
    add_watched(&history->sql, watched);
}

void st_history_read_running(struct st_history_reader *reader,
                             const struct st_history_watched *watched)
{
    add_watched(&reader->sql, watched);
}

/* --- reading --- */

json_t *st_history_read_watched(struct st_sql *sql, int64_t since_ns, int64_t until_ns)
{
    json_t *list = json_array();
    /* frames and rate_hz are those of the last row, because max(to_ns) selects it
     * (sqlite.org/lang_select.html, bare columns). */
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    "SELECT max(to_ns), source, sum(min(to_ns, ?1) - max(from_ns, ?2)) AS "
                    "watched_ns, sum((min(to_ns, ?1) - max(from_ns, ?2)) * playing) AS playing_ns, "
                    "frames, rate_hz FROM " ST_HISTORY_WATCHES
                    " WHERE to_ns > ?2 AND from_ns < ?1 GROUP BY source ORDER BY 3 DESC LIMIT ?3",
                    "iii", until_ns, since_ns, (int64_t)ST_HISTORY_WATCHES_MAX);
    while (st_sql_next(sql, rows, ""))
        json_array_append_new(list, st_history_read_object(rows, 1));
    return list;
}

int64_t st_history_read_count(struct st_sql *sql, int64_t since_ns, int64_t until_ns,
                              int64_t least_ns)
{
    /* times of several sources overlap: each row adds what it has behind all rows before it */
    return st_sql_number(
        sql, INT64_MIN,
        "SELECT (SELECT total(" ST_HISTORY_DROPOUTS_N ") FROM event WHERE" ST_HISTORY_DROPOUT
        " AND wall_ns >= ?1 AND wall_ns < ?2) AS n FROM (SELECT sum(max(1.0 * last_ns - "
        "max(first_ns, coalesce(before_ns, first_ns)), 0)) AS watched FROM (SELECT max(from_ns, "
        "?1) AS first_ns, min(to_ns, ?2) AS last_ns, max(min(to_ns, ?2)) OVER (ORDER BY from_ns "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns FROM " ST_HISTORY_WATCHES
        " WHERE to_ns > ?1 AND from_ns < ?2)) WHERE watched >= CASE WHEN n > 0 THEN 0 ELSE ?3 END",
        "iii", since_ns, until_ns, least_ns);
}

bool st_history_read_idle(struct st_sql *sql, int64_t since_ns, int64_t until_ns,
                          int64_t *ret_from_ns, int64_t *ret_to_ns)
{
    bool any = false;
    int64_t from_ns, to_ns;
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    "SELECT max(from_ns, ?1), min(to_ns, ?2) FROM main.watch AS w WHERE "
                    "playing = 0 AND to_ns > ?1 AND from_ns < ?2 AND NOT EXISTS (SELECT 1 FROM "
                    "main.watch AS o WHERE o.playing IS NOT 0 AND o.to_ns > max(w.from_ns, ?1) "
                    "+ ?3 AND o.from_ns < min(w.to_ns, ?2) - ?3) ORDER BY from_ns",
                    "iii", since_ns, until_ns, ST_HISTORY_WATCH_JOIN_NS);
    /* rows of several sources overlap, so they are joined */
    while (st_sql_next(sql, rows, "ii", &from_ns, &to_ns)) {
        if (any && from_ns > st_ns_add(*ret_to_ns, ST_HISTORY_WATCH_JOIN_NS)) {
            sqlite3_finalize(rows);
            break;
        }
        *ret_from_ns = any ? *ret_from_ns : from_ns;
        *ret_to_ns = any && *ret_to_ns > to_ns ? *ret_to_ns : to_ns;
        any = true;
    }
    return any && sql->r == 0;
}
