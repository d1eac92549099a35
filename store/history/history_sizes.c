/* How long each buffer size was used in a history while something played, and the dropouts at each
 * one. */
#include "store/history/history_private.h"

/* The rows of `watch` that fulfil the condition `which`, cut to the time from ?1 to ?2. */
#define RUNS(which)                                                                                \
    "WITH run AS (SELECT source, max(from_ns, ?1) AS a, min(to_ns, ?2) AS b, coalesce(frames, 0) " \
    "AS frames,"                                                                                   \
    " coalesce(rate_hz, 0) AS rate_hz FROM " ST_HISTORY_WATCHES " WHERE " which                    \
    " AND to_ns > max(from_ns, ?1) AND from_ns < ?2)"
#define SIZED "frames > 0 AND rate_hz > 0 AND playing IS NOT 0"
/* PulseAudio has no buffer size of its own */
#define UNSIZED    "(source = 'pulseaudio' AND playing = 1)"
#define SIZED_RUNS RUNS(SIZED)

/* Sums playing time, dropouts and bursts by buffer size. A dropout belongs to the first row of
 * watching that ends after it, or to the current minute. If the size changed within a minute, its
 * row has the new size, so a dropout counts for the size of its own period if that size was used as
 * well. Dropouts within a slot of ?3 ns are one burst; an event that sums dropouts over several
 * slots counts once for each slot. */
static const char sizes[] = SIZED_RUNS
    ", size AS (SELECT source, frames, rate_hz, sum(b - a) AS played FROM run GROUP BY 1, 2, 3), "
    "dropout AS (SELECT event.*, frames, rate_hz FROM event JOIN main.watch ON watch.id = (SELECT "
    "id FROM main.watch WHERE source = event.source AND to_ns >= wall_ns ORDER BY to_ns LIMIT 1) "
    "WHERE" ST_HISTORY_DROPOUT
    " AND wall_ns >= ?1 AND wall_ns < ?2 AND from_ns <= wall_ns + ?4 AND frames > 0 AND rate_hz > "
    "0 AND playing IS NOT 0 AND count_n > 0 UNION ALL SELECT event.*, frames, rate_hz FROM "
    "temp.watch JOIN event ON event.source = watch.source AND" ST_HISTORY_DROPOUT
    " AND wall_ns > from_ns AND wall_ns < ?2 AND wall_ns >= ?1 WHERE frames > 0 AND rate_hz > 0 "
    "AND playing IS NOT 0 AND count_n > 0), at AS (SELECT dropout.source, coalesce(own.frames, "
    "dropout.frames) AS frames, dropout.rate_hz, " ST_HISTORY_DROPOUTS_N
    " AS n, wall_ns / ?3 AS slot, min(max(span_ns - 1, 0) / ?3, 360) AS more FROM dropout LEFT "
    "JOIN size AS own ON own.source = dropout.source AND own.rate_hz = dropout.rate_hz AND "
    "own.frames = round(period_ns / 1e9 * dropout.rate_hz)) SELECT source, frames, rate_hz, "
    "played, coalesce(sum(n), 0), count(DISTINCT slot) + coalesce(sum(min(n - 1, coalesce(more, "
    "0))), 0) FROM size LEFT JOIN at USING (source, frames, rate_hz) GROUP BY 1, 2, 3 ORDER BY "
    "source, 1.0 * frames / rate_hz LIMIT ?5";

void st_history_read_sizes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                           struct st_history_sizes *ret)
{
    struct st_sql *sql = &reader->sql;
    struct st_history_size *size = ret->sizes;
    struct st_history_run *run = ret->runs;
    sqlite3_stmt *rows =
        st_sql_rows(sql, sizes, "iiiii", since_ns, until_ns, ST_HISTORY_BURST_S * ST_NS_PER_S,
                    (int64_t)ST_HISTORY_WATCH_JOIN_NS, (int64_t)ST_HISTORY_SIZES_MAX);
    while (st_sql_next(sql, rows, "tiiiii", size->source, sizeof(size->source), &size->frames,
                       &size->rate_hz, &size->playing_ns, &size->dropouts_n, &size->bursts_n))
        size++;
    rows = st_sql_rows(
        sql,
        RUNS("(" SIZED " OR " UNSIZED
             ")") " SELECT * FROM (SELECT * FROM run ORDER BY a DESC LIMIT ?3) ORDER BY a",
        "iii", since_ns, until_ns, (int64_t)ST_HISTORY_RUNS_MAX + 1);
    while (st_sql_next(sql, rows, "tiiii", run->source, sizeof(run->source), &run->from_wall_ns,
                       &run->to_wall_ns, &run->frames, &run->rate_hz))
        run++;
    ret->n = (size_t)(size - ret->sizes);
    ret->runs_n = (size_t)(run - ret->runs);
}
