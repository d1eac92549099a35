/* Reads the rows of a history by steps of time. */
#include "store/history/history_read.h"

#include "core/text/json.h"
#include "core/when.h"
#include "store/history/history_private.h"

/* most rows if no step was asked for: a day by hours, including the current hour */
#define ROWS_WANTED 25
#define JOIN_NS     (2 * ST_NS_PER_S) /* a shorter time between two minutes is not a gap */
#define STEP_MAX_NS (3650 * ST_NS_PER_DAY)

struct walk {
    struct st_sql *sql;         /* the reader's database */
    json_t *rows;               /* rows of the answer */
    int64_t since_ns, until_ns; /* time that the answer covers */
    int64_t end_ns;             /* end of the last row in the file */
    int64_t at_ns;              /* end of the last row or gap, where the next one begins */
};

/* --- rows of the answer --- */

static void append(struct walk *walk, json_t *row)
{
    if (walk->sql->r == 0 && json_array_size(walk->rows) == ST_HISTORY_ROWS_MAX)
        walk->sql->r = -E2BIG;
    if (json_array_append_new(walk->rows, row) != 0 && walk->sql->r == 0)
        walk->sql->r = -ENOMEM;
}

/* Adds one row without figures, from the end of the last row to to_ns. @param nothing_played true:
 * nothing was measured because nothing played; false: the reason is unknown. */
static void append_blank(struct walk *walk, int64_t to_ns, bool nothing_played)
{
    const int64_t from_ns = walk->at_ns;
    if (to_ns <= from_ns)
        return;
    const int64_t dropouts_n =
        st_history_read_count(walk->sql, from_ns, to_ns, (to_ns - from_ns) / 2);
    walk->at_ns = to_ns;
    append(walk,
           st_json_object("from_ns:i to_ns:i measured_ns:u idle_ns:i cycles misses "
                          "skipped_periods late_wakes own_dropouts dropouts:n lateness_max_ns "
                          "conditions",
                          from_ns, to_ns, 0, (to_ns - from_ns) * nothing_played, dropouts_n));
}

/* Adds rows without figures up to to_ns, with separate rows for the times in which nothing played.
 * Such a time is extended over the last two minutes of an answer, which may not be written yet.
 * Short times in which nothing played are ignored, for example the first seconds of a daemon that
 * starts. */
static void append_gap(struct walk *walk, int64_t to_ns)
{
    const int64_t end_ns =
        to_ns >= walk->until_ns ? 2 * ST_NS_PER_MINUTE : ST_HISTORY_WATCH_JOIN_NS;
    int64_t from_ns = walk->at_ns, idle_to_ns = walk->at_ns;
    while (idle_to_ns < to_ns && walk->at_ns < to_ns &&
           st_history_read_idle(walk->sql, idle_to_ns, to_ns, &from_ns, &idle_to_ns)) {
        if (idle_to_ns - from_ns < ST_MIN(ST_NS_PER_MINUTE, (to_ns - walk->at_ns) / 2))
            continue;
        if (from_ns - walk->at_ns > ST_HISTORY_WATCH_JOIN_NS)
            append_blank(walk, from_ns, false);
        append_blank(walk, to_ns - idle_to_ns > end_ns ? idle_to_ns : to_ns, true);
    }
    append_blank(walk, to_ns, false);
}

/* --- rows of the file --- */

/* Sums the rows that begin in each step of ?1 ns. */
static const char steps[] =
    "SELECT from_ns - (from_ns % ?1 + ?1) % ?1 AS step, max(min(to_ns, max(?2, from_ns))), "
    "sum(measured_ns) AS measured_ns, sum(cycles) AS cycles, sum(misses) AS misses, "
    "sum(miss_events) AS miss_events, sum(skipped_periods) AS skipped_periods, sum(late_wakes) AS "
    "late_wakes, sum(dropouts_own) AS own_dropouts, max(lateness_max_ns) AS lateness_max_ns, CASE "
    "min(conditions) WHEN max(conditions) THEN min(conditions) END AS conditions FROM span WHERE "
    "level = ?3 AND from_ns >= ?4 AND from_ns < ?5 GROUP BY step ORDER BY step";

/* Reads the rows of [since, until) by steps. A minute may begin at any time; an hour is not
 * split. */
static void walk_part(struct walk *walk, int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    struct st_sql *sql = walk->sql;
    const bool minutes = step_ns == ST_NS_PER_MINUTE;
    int64_t step_from_ns, to_ns, measured_ns;
    sqlite3_stmt *rows = st_sql_rows(
        sql, steps, "iiiii", minutes ? 1 : step_ns, walk->end_ns,
        step_ns % ST_NS_PER_HOUR == 0 ? ST_HISTORY_HOUR : ST_HISTORY_MINUTE, since_ns, until_ns);
    while (st_sql_next(sql, rows, "iii", &step_from_ns, &to_ns, &measured_ns)) {
        const int64_t from_ns = ST_MAX(step_from_ns, since_ns), rows_to_ns = to_ns;
        json_t *row = st_history_read_object(rows, 2);
        if (from_ns > (minutes ? st_ns_add(walk->at_ns, JOIN_NS) : walk->at_ns))
            append_gap(walk, from_ns);
        if (!minutes)
            to_ns = ST_MIN(ST_MAX(walk->until_ns, to_ns), step_from_ns + step_ns);
        /* A minute belongs to the step in which it begins, so a row may end after its step. If it
         * would end more than a minute later, the clock was set back. */
        to_ns = ST_MAX(ST_MIN(st_ns_add(from_ns, measured_ns),
                              ST_MAX(st_ns_add(to_ns, ST_NS_PER_MINUTE), rows_to_ns)),
                       to_ns);
        walk->since_ns = ST_MIN(from_ns, walk->since_ns);
        walk->until_ns = ST_MAX(to_ns, walk->until_ns);
        /* Counts dropouts from the end of the last row on, as rows can overlap or be some seconds
         * apart. */
        append(walk, st_json_add(row, "from_ns:i to_ns:i dropouts:n", from_ns, to_ns,
                                 st_history_read_count(sql, walk->at_ns, to_ns, measured_ns / 2)));
        walk->at_ns = ST_MAX(to_ns, walk->at_ns);
    }
}

/* --- the document --- */

/* The test conditions of all hours in the answer. */
static json_t *conditions_of(const struct walk *walk)
{
    json_t *list = json_array();
    sqlite3_stmt *rows = st_sql_rows(
        walk->sql,
        "SELECT id, " ST_HISTORY_CONDITIONS " FROM conditions WHERE id IN (SELECT conditions FROM "
        "span WHERE level = ? AND from_ns > ? AND "
        "from_ns < ?) ORDER BY id",
        "iii", ST_HISTORY_HOUR, st_ns_sub(walk->since_ns, ST_NS_PER_HOUR), walk->until_ns);
    while (st_sql_next(walk->sql, rows, ""))
        (void)json_array_append_new(list, st_history_read_object(rows, 0));
    return list;
}

/* Rounds a step up: to whole minutes, above an hour to whole hours. */
static int64_t usable_step(int64_t step_ns)
{
    if (step_ns > STEP_MAX_NS)
        step_ns =
            STEP_MAX_NS; /* times are before the year 2200, so adding a step cannot overflow */
    const int64_t unit_ns = step_ns > ST_NS_PER_HOUR ? ST_NS_PER_HOUR : ST_NS_PER_MINUTE;
    if (step_ns % unit_ns != 0)
        step_ns += unit_ns - step_ns % unit_ns;
    return step_ns;
}

/* Chooses the step: step_ns, rounded up, or if it is 0, one with which the answer has at most
 * ROWS_WANTED rows. */
static int64_t choose_step(struct walk *walk, int64_t since_ns, int64_t step_ns)
{
    if (step_ns > 0)
        return usable_step(step_ns);
    const int64_t hour_ns = st_sql_oldest(walk->sql, ST_HISTORY_HOUR, INT64_MIN),
                  minute_ns = st_sql_oldest(walk->sql, ST_HISTORY_MINUTE, INT64_MIN),
                  from_ns = st_ns_sub(minute_ns, hour_ns) < ST_NS_PER_HOUR
                                ? ST_MAX(minute_ns, hour_ns)
                                : hour_ns;
    /* Counts one more row if the answer begins before the first row of the file. */
    const bool before = from_ns > since_ns;
    return usable_step(st_when_step(ST_MAX(walk->until_ns - ST_MAX(from_ns, since_ns), 0),
                                    before ? ROWS_WANTED - 1 : ROWS_WANTED));
}

/* Reads minutes where the file still has them, and hours before that time. */
static void walk_all(struct walk *walk, int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    const int64_t hours_ns = st_history_floor(since_ns, ST_NS_PER_HOUR),
                  minutes_ns =
                      ST_MIN(st_history_floor(st_sql_oldest(walk->sql, ST_HISTORY_MINUTE, until_ns),
                                              ST_NS_PER_HOUR),
                             until_ns);
    int64_t hour_ns = INT64_MAX;
    if (step_ns < ST_NS_PER_HOUR && minutes_ns > since_ns)
        hour_ns = st_sql_number(
            walk->sql, INT64_MAX,
            "SELECT min(from_ns) FROM span WHERE level = ? AND from_ns >= ? AND from_ns < ?", "iii",
            ST_HISTORY_HOUR, hours_ns, minutes_ns);
    walk->since_ns = ST_MIN(hour_ns, since_ns);
    /* No row begins before the first minute, hour or event of the history. The hour of the first
     * minute began before it. */
    const int64_t minute_ns = st_sql_oldest(walk->sql, ST_HISTORY_MINUTE, INT64_MAX);
    walk->at_ns = ST_MAX(
        st_sql_number(walk->sql, walk->since_ns,
                      "SELECT min(t) FROM (SELECT min(wall_ns) AS t FROM event UNION ALL SELECT "
                      "min(from_ns) FROM span WHERE level = ? OR from_ns <= ?)",
                      "ii", ST_HISTORY_MINUTE, st_ns_sub(minute_ns, ST_NS_PER_HOUR)),
        walk->since_ns);
    if (hour_ns != INT64_MAX)
        walk_part(walk, hours_ns, minutes_ns, ST_NS_PER_HOUR);
    walk_part(walk, hour_ns != INT64_MAX ? minutes_ns : since_ns, until_ns, step_ns);
}

json_t *st_history_read_steps(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                              int64_t step_ns)
{
    struct st_sql *sql = &reader->sql;
    struct walk walk = {.sql = sql, .rows = json_array(), .until_ns = until_ns};
    /* Sets end_ns to the end of the last minute in the file, or to until_ns if that is
     * later. */
    walk.end_ns =
        ST_MAX(st_sql_number(sql, INT64_MAX,
                             "SELECT to_ns FROM span WHERE level = ? ORDER BY from_ns DESC LIMIT 1",
                             "i", ST_HISTORY_MINUTE),
               until_ns);
    step_ns = choose_step(&walk, since_ns, step_ns);
    walk_all(&walk, st_history_floor(since_ns, step_ns), until_ns, step_ns);
    if (until_ns > st_ns_add(walk.at_ns, step_ns == ST_NS_PER_MINUTE ? 2 * ST_NS_PER_MINUTE : 0))
        append_gap(&walk, until_ns);
    return st_json_object(
        "schema:t since_ns:i until_ns:i step_ns:i rows:o conditions:o watched:o changes:o",
        "sleeptune-history/1", walk.since_ns, walk.until_ns, step_ns, walk.rows,
        conditions_of(&walk), st_history_read_watched(sql, walk.since_ns, walk.until_ns),
        st_history_read_changes(reader));
}
