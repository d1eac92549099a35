/* Adds rows to a history, sums minutes to hours, and removes old rows. */
#include "store/history/history_private.h"

/* bytes of the longest event with its indexes, in pages that are not full */
#define EVENT_BYTES 768
/* free pages that one statement gives back to the file system: as many as fit into SQLite's log */
#define VACUUM_PAGES     200
#define VACUUMS_MAX      5
#define OLDEST_STEP_NS   (7 * ST_NS_PER_DAY)
#define RETAIN_STEPS_MAX 1000

/* --- conditions --- */

/* Adds these conditions if they are new. @return their id. */
static int64_t conditions_id(struct st_sql *sql, const struct st_history_conditions *c)
{
    static const char *const statements[] = {
        "INSERT INTO conditions (" ST_HISTORY_CONDITIONS
        ") SELECT ?, ?, ?, ?, ?, ?, ?, ? EXCEPT SELECT " ST_HISTORY_CONDITIONS " FROM conditions",
        ("SELECT id FROM conditions WHERE (" ST_HISTORY_CONDITIONS
         ") IS (?, ?, ?, ?, ?, ?, ?, ?)")};
    int64_t id = 0;
    ST_EACH (statement, statements)
        id = st_sql_number(sql, 0, *statement, "sssnnnnd", c->kernel, c->governor, c->policy,
                           c->priority, c->cpu, c->frames, c->rate_hz, c->load_percent);
    return id;
}

/* --- rows --- */

/* Adds a minute to its hour. An hour has one row for each set of test conditions, since figures of
 * different periods or priorities cannot be added. */
static void add_to_hour(struct st_sql *sql, int64_t id)
{
    st_sql_run(
        sql,
        "UPDATE span SET measured_ns = span.measured_ns + m.measured_ns, cycles = span.cycles + "
        "m.cycles, misses = span.misses + m.misses, late_wakes = span.late_wakes + m.late_wakes, "
        "skipped_periods = span.skipped_periods + m.skipped_periods, dropouts_own = "
        "span.dropouts_own + m.dropouts_own, miss_events = span.miss_events + m.miss_events, "
        "lateness_max_ns = max(coalesce(span.lateness_max_ns, m.lateness_max_ns), "
        "coalesce(m.lateness_max_ns, span.lateness_max_ns)) FROM span AS m WHERE m.id = ?1 AND "
        "span.level = ?2 AND span.conditions = m.conditions AND span.from_ns = m.from_ns / ?3 * ?3",
        "iii", id, ST_HISTORY_HOUR, ST_NS_PER_HOUR);
    if (sqlite3_changes(sql->db) == 0)
        st_sql_run(sql,
                   "INSERT INTO span (level, from_ns, to_ns, conditions, measured_ns, "
                   "lateness_max_ns, " ST_HISTORY_COUNTS
                   ") SELECT ?2, from_ns / ?3 * ?3, from_ns / ?3 * ?3 + ?3, conditions, "
                   "measured_ns, lateness_max_ns, " ST_HISTORY_COUNTS " FROM span WHERE id = ?1",
                   "iii", id, ST_HISTORY_HOUR, ST_NS_PER_HOUR);
}

void st_history_add_minute(struct st_history *history, const struct st_history_minute *minute)
{
    struct st_sql *sql = &history->sql;
    const int64_t from_ns = minute->from_wall_ns,
                  to_ns = minute->to_wall_ns >= from_ns ? minute->to_wall_ns
                                                        : st_ns_add(from_ns, minute->measured_ns);
    st_sql_run(sql,
               "INSERT INTO span (conditions, level, from_ns, to_ns, measured_ns, lateness_max_ns, "
               "lateness, " ST_HISTORY_COUNTS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
               "iiiiinbiiiiii", conditions_id(sql, &minute->conditions), ST_HISTORY_MINUTE, from_ns,
               to_ns, minute->measured_ns, minute->lateness_max_ns, (const void *)minute->lateness,
               minute->lateness_bytes, (int64_t)minute->cycles, (int64_t)minute->misses,
               (int64_t)minute->skipped_periods, (int64_t)minute->late_wakes,
               (int64_t)minute->own_dropouts_n, minute->miss_events);
    add_to_hour(sql, sqlite3_last_insert_rowid(sql->db));
    st_history_causes_add(sql, minute);
}

/* --- transactions, size --- */

void st_history_begin(struct st_history *history)
{
    history->sql.r = 0; /* clears an error that st_history_bytes may have left */
    st_sql_exec(&history->sql, "BEGIN IMMEDIATE");
}

int st_history_commit(struct st_history *history)
{
    st_sql_exec(&history->sql, "COMMIT");
    return history->sql.r;
}

void st_history_rollback(struct st_history *history)
{
    if (sqlite3_get_autocommit(history->sql.db) == 0)
        (void)sqlite3_exec(history->sql.db, "ROLLBACK", NULL, NULL, NULL);
    history->sql.r = 0;
}

int64_t st_history_file_bytes(struct st_history *history)
{
    return st_sql_number(&history->sql, -EIO,
                         "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                         "");
}

int64_t st_history_bytes(struct st_history *history)
{
    return st_sql_number(&history->sql, -EIO,
                         "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                         "pragma_freelist_count, pragma_page_size",
                         "");
}

/* --- retention --- */

/* Removes all rows from before a time. */
static void remove_all(struct st_sql *sql, int64_t to_ns)
{
    /* "level IN (60, 3600)" lets SQLite use the index on (level, from_ns). Of each fact, the last
     * row stays, since later values are compared with it. */
    static const char *const deletes[] = {
        "DELETE FROM span WHERE level IN (60, 3600) AND from_ns < ?",
        "DELETE FROM event WHERE wall_ns < ?", "DELETE FROM cause WHERE from_ns < ?",
        "DELETE FROM watch WHERE to_ns < ?",
        ("DELETE FROM fact WHERE at_ns < ? AND id NOT IN (SELECT max(id) FROM fact "
         "GROUP BY kind, name)")};
    ST_EACH (statement, deletes)
        st_sql_run(sql, *statement, "i", to_ns);
}

/* Finds the time before which rows are removed: `days` ago, but at most a day after the oldest row
 * of the level. So the history survives a clock that is years ahead until the network sets it. */
static int64_t oldest_kept(struct st_sql *sql, int64_t level, int64_t now_wall_ns, int64_t days)
{
    return ST_MIN(now_wall_ns - days * ST_NS_PER_DAY,
                  st_sql_oldest(sql, level, INT64_MAX - ST_NS_PER_DAY) + ST_NS_PER_DAY);
}

/* The events, each with its number among those of its kind (name and source), from the latest on,
 * and the time of the next later one. */
#define NUMBERED                                                                                   \
    "(SELECT id, kind, source, row_number() OVER same AS number, lag(wall_ns) OVER same AS "       \
    "later_ns FROM event WINDOW same AS (PARTITION BY kind, source ORDER BY id DESC))"

/* Removes the oldest events of the most frequent kinds until at most max_n events are left. Removes
 * a tenth more, so that the next event does not make this necessary again. */
static void remove_events_above(struct st_sql *sql, int64_t max_n)
{
    if (st_sql_number(sql, 0, "SELECT count(*) FROM event", "") <= max_n)
        return;
    /* Each kind may keep events with smaller numbers. Kinds with fewer events keep all of them. */
    const int64_t from = st_sql_number(
        sql, INT64_MAX, "SELECT number FROM " NUMBERED " ORDER BY number LIMIT 1 OFFSET ?", "i",
        max_n - max_n / 10);
    /* Forgets that a source was watched before its oldest dropout that stays. Otherwise those times
     * would count as without dropouts, but their events were only removed. */
    st_sql_run(
        sql,
        "UPDATE watch SET from_ns = oldest_ns FROM (SELECT source AS of, max(later_ns) AS "
        "oldest_ns FROM " NUMBERED
        " WHERE number = ? AND kind IN ('device-dropout', 'client-dropout') GROUP BY source) "
        "WHERE source = of AND from_ns < oldest_ns",
        "i", from);
    st_sql_exec(sql, "DELETE FROM watch WHERE to_ns <= from_ns");
    st_sql_run(sql, "DELETE FROM event WHERE id IN (SELECT id FROM " NUMBERED " WHERE number >= ?)",
               "i", from);
}

static void remove_minutes(struct st_sql *sql, int64_t to_ns)
{
    st_sql_run(sql, "DELETE FROM span WHERE level = ? AND from_ns < ?", "ii", ST_HISTORY_MINUTE,
               to_ns);
}

static void remove_old(struct st_sql *sql, int64_t now_wall_ns, int64_t keep_days,
                       int64_t max_bytes)
{
    const int64_t minutes_from_ns =
        oldest_kept(sql, ST_HISTORY_MINUTE, now_wall_ns, ST_HISTORY_MINUTES_DAYS);
    remove_minutes(sql, st_history_floor(minutes_from_ns, ST_NS_PER_HOUR));
    remove_all(sql, st_history_floor(oldest_kept(sql, ST_HISTORY_HOUR, now_wall_ns, keep_days),
                                     ST_NS_PER_DAY));
    remove_events_above(sql, max_bytes / 2 / EVENT_BYTES);
    st_history_causes_retain(sql, now_wall_ns);
}

/* Removes some of the oldest and least valuable rows. @return false: nothing is left that may be
 * removed, or an error. */
static bool remove_oldest(struct st_sql *sql)
{
    const int64_t newest_ns = st_sql_number(
        sql, INT64_MIN, "SELECT max(from_ns) FROM span WHERE level = ?", "i", ST_HISTORY_MINUTE);
    const int64_t minute_ns = st_sql_oldest(sql, ST_HISTORY_MINUTE, INT64_MIN),
                  hour_ns = st_sql_oldest(sql, ST_HISTORY_HOUR, INT64_MIN);
    if (newest_ns == INT64_MIN)
        return false;
    const int64_t day_before_ns = st_history_floor(newest_ns, ST_NS_PER_DAY) - ST_NS_PER_DAY;
    if (minute_ns < newest_ns - ST_NS_PER_DAY) {
        remove_minutes(sql, st_history_floor(minute_ns + ST_NS_PER_DAY, ST_NS_PER_HOUR));
    } else if (hour_ns < day_before_ns) {
        remove_all(
            sql, ST_MIN(st_history_floor(hour_ns + OLDEST_STEP_NS, ST_NS_PER_DAY), day_before_ns));
    } else if (minute_ns + ST_NS_PER_HOUR <=
               newest_ns - ST_NS_PER_HOUR) { /* as a last resort, an hour of the last day */
        remove_minutes(sql, minute_ns + ST_NS_PER_HOUR);
        st_sql_run(sql, "DELETE FROM cause WHERE from_ns < ?", "i", minute_ns + ST_NS_PER_HOUR);
    } else {
        return false;
    }
    return sql->r == 0;
}

int st_history_retain(struct st_history *history, int64_t now_wall_ns, int64_t keep_days,
                      int64_t max_bytes)
{
    struct st_sql *sql = &history->sql;
    st_history_begin(history);
    remove_old(sql, now_wall_ns, keep_days, max_bytes);
    for (int i = 0; i < RETAIN_STEPS_MAX && st_history_bytes(history) > max_bytes; i++) {
        if (!remove_oldest(sql))
            break;
    }
    st_sql_exec(sql, "COMMIT");
    for (int i = 0; i < VACUUMS_MAX; i++)
        st_sql_run(sql, st_text("PRAGMA incremental_vacuum(%d)", VACUUM_PAGES), "");
    const int r = sql->r;
    if (r < 0)
        st_history_rollback(history);
    return r;
}
