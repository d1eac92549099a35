/* Rows of a history: added, summed, removed. */
#include "core/ns.h"
#include "store/history/hist_deflate.h"
#include "store/history/history_private.h"

#define DAY_NS           (INT64_C(86400) * ST_NS_PER_S)
#define EVENT_BYTES      768 /* the longest event with its indexes, in pages that are not full */
#define KINDS_MAX        64  /* of events: their names and sources are about 40 */
#define VACUUM_PAGES     200 /* pages returned to the file system at once: as many as the log holds */
#define VACUUMS_MAX      5
#define OLDEST_STEP_NS   (7 * DAY_NS)
#define RETAIN_STEPS_MAX 1000

/* Levels to which a minute is summed. */
static const int64_t levels[] = {ST_HISTORY_HOUR, ST_HISTORY_DAY};

/* A row of `span`. */
struct row {
    int64_t id, from_ns, to_ns, measured_ns;
    int64_t counts[ST_HISTORY_COUNTS_N]; /* INT64_MIN: not known */
    int64_t max_ns;                      /* INT64_MIN: none */
    int64_t conditions;
};

/* --- conditions --- */

static int conditions_id(struct st_history *history, const struct st_history_conditions *c, int64_t *ret)
{
    int64_t id = INT64_MIN;
    int r =
        st_history_sql_number(history->db, &id,
                              "SELECT id FROM conditions WHERE kernel IS ? AND governor IS ? AND policy IS ?"
                              " AND priority IS ? AND cpu IS ? AND frames IS ? AND rate_hz IS ?"
                              " AND load_percent IS ?",
                              "sssnnnnd", c->kernel, c->governor, c->policy, c->priority, c->cpu, c->frames,
                              c->rate_hz, c->load_percent);
    if (r == 0 && id == INT64_MIN) {
        r = st_history_sql_run(
            history->db,
            "INSERT INTO conditions (kernel, governor, policy, priority, cpu, frames, rate_hz,"
            " load_percent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "sssnnnnd", c->kernel, c->governor, c->policy, c->priority, c->cpu, c->frames, c->rate_hz,
            c->load_percent);
        id = sqlite3_last_insert_rowid(history->db);
    }
    if (r == 0)
        *ret = id;
    return r;
}

/* --- rows --- */

/* Inserts, or replaces the row with this id. The histogram is in history->sum. */
static int put(struct st_history *history, int64_t level, const struct row *row, const uint8_t *lateness,
               size_t lateness_bytes)
{
    struct st_history_sum *sum = &history->sum;
    return st_history_sql_run(
        history->db,
        "INSERT OR REPLACE INTO span (id, level, from_ns, to_ns, measured_ns, " ST_HISTORY_COUNTS
        ", lateness_n, lateness_p50_ns, lateness_p99_ns, lateness_max_ns, conditions,"
        " lateness) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "niiiiiiiiiiinnnnb", row->id, level, row->from_ns, row->to_ns, row->measured_ns, row->counts[0],
        row->counts[1], row->counts[2], row->counts[3], row->counts[4], row->counts[5],
        (int64_t)sum->hist.total_n, st_history_sum_quantile(sum, 0.5, row->max_ns),
        st_history_sum_quantile(sum, 0.99, row->max_ns), row->max_ns, row->conditions, (const void *)lateness,
        lateness_bytes);
}

#define GET                                                                                                  \
    "SELECT id, from_ns, measured_ns, lateness_max_ns, conditions, lateness, " ST_HISTORY_COUNTS " FROM "    \
    "span"
#define COUNTS_AT 6 /* in GET */

/* Reads a row of GET and adds its histogram to history->sum. */
static int get(struct st_history *history, sqlite3_stmt *statement, struct row *ret)
{
    st_history_sql_row(statement, "iiiii", &ret->id, &ret->from_ns, &ret->measured_ns, &ret->max_ns,
                       &ret->conditions);
    for (int i = 0; i < (int)ST_ARRAY_LEN(ret->counts); i++)
        ret->counts[i] = st_history_sql_int(statement, COUNTS_AT + i);
    const void *lateness = sqlite3_column_blob(statement, 5);
    return st_history_sum_add(&history->sum, lateness, (size_t)sqlite3_column_bytes(statement, 5));
}

/* An empty row for the hour or day of a row. */
static struct row level_of(const struct row *row, int64_t level)
{
    const int64_t level_ns = level * ST_NS_PER_S;
    int64_t from_ns = row->from_ns / level_ns * level_ns;
    if (from_ns > row->from_ns)
        from_ns -= level_ns;
    return (struct row){.id = INT64_MIN,
                        .from_ns = from_ns,
                        .to_ns = from_ns + level_ns,
                        .max_ns = INT64_MIN,
                        .conditions = row->conditions};
}

static void add_figures(struct row *sum, const struct row *row)
{
    sum->measured_ns += row->measured_ns;
    for (size_t i = 0; i < ST_ARRAY_LEN(sum->counts); i++)
        sum->counts[i] = st_history_sql_add(sum->counts[i], row->counts[i]);
    if (row->max_ns > sum->max_ns)
        sum->max_ns = row->max_ns;
}

/* Stores a sum whose histogram is in history->sum. */
static int put_sum(struct st_history *history, int64_t level, const struct row *sum)
{
    size_t bytes;
    uint8_t *stored = st_hist_deflate(&history->sum.hist, &bytes);
    const int r = stored != NULL ? put(history, level, sum, stored, bytes) : -ENOMEM;
    free(stored);
    return r;
}

/* Adds a minute to the row of its hour or day, which has the same conditions: figures of another period or
 * priority are another row. */
static int sum_up(struct st_history *history, int64_t level, const struct row *row, const uint8_t *lateness,
                  size_t lateness_bytes)
{
    sqlite3_stmt *statement;
    struct row sum = level_of(row, level);
    int r = st_history_sql_prepare(history->db, &statement,
                                   GET " WHERE level = ? AND from_ns = ? AND conditions IS ?", "iin", level,
                                   sum.from_ns, row->conditions);
    if (r < 0)
        return r;
    st_hist_reset(&history->sum.hist);
    r = st_history_sql_step(statement);
    if (r == 1)
        r = get(history, statement, &sum);
    sqlite3_finalize(statement);
    if (r == 0)
        r = st_history_sum_add(&history->sum, lateness, lateness_bytes);
    if (r < 0)
        return r;
    add_figures(&sum, row);
    return put_sum(history, level, &sum);
}

int st_history_add_minute(struct st_history *history, const struct st_history_minute *minute)
{
    struct row row = {.id = INT64_MIN,
                      .from_ns = minute->from_wall_ns,
                      .to_ns = minute->to_wall_ns >= minute->from_wall_ns
                                   ? minute->to_wall_ns
                                   : st_ns_add(minute->from_wall_ns, minute->measured_ns),
                      .measured_ns = minute->measured_ns,
                      .counts = {[ST_HISTORY_CYCLES] = (int64_t)minute->cycles,
                                 [ST_HISTORY_MISSES] = (int64_t)minute->misses,
                                 [ST_HISTORY_SKIPPED] = (int64_t)minute->skipped_periods,
                                 [ST_HISTORY_LATE] = (int64_t)minute->late_wakes,
                                 [ST_HISTORY_OWN] = (int64_t)minute->own_dropouts_n,
                                 [ST_HISTORY_MISS_EVENTS] = minute->miss_events},
                      .max_ns = minute->lateness_max_ns};
    int r = conditions_id(history, &minute->conditions, &row.conditions);
    st_hist_reset(&history->sum.hist);
    if (r == 0)
        r = st_history_sum_add(&history->sum, minute->lateness, minute->lateness_bytes);
    if (r == 0)
        r = put(history, ST_HISTORY_MINUTE, &row, minute->lateness, minute->lateness_bytes);
    for (size_t i = 0; r == 0 && i < ST_ARRAY_LEN(levels); i++)
        r = sum_up(history, levels[i], &row, minute->lateness, minute->lateness_bytes);
    return r == 0 ? st_history_causes_add(history, minute) : r;
}

/* --- transactions, size --- */

int st_history_begin(struct st_history *history)
{
    return st_history_sql_run(history->db, "BEGIN IMMEDIATE", "");
}

int st_history_commit(struct st_history *history)
{
    return st_history_sql_run(history->db, "COMMIT", "");
}

void st_history_rollback(struct st_history *history)
{
    if (sqlite3_get_autocommit(history->db) == 0)
        (void)sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Bytes of all pages except those that `free_pages` counts. */
static int64_t page_bytes(struct st_history *history, const char *free_pages)
{
    int64_t pages_n = 0, free_n = 0, a_page_bytes = 0;
    int r = st_history_sql_number(history->db, &pages_n, "PRAGMA page_count", "");
    if (r == 0 && free_pages != NULL)
        r = st_history_sql_number(history->db, &free_n, free_pages, "");
    if (r == 0)
        r = st_history_sql_number(history->db, &a_page_bytes, "PRAGMA page_size", "");
    return r < 0 ? r : (pages_n - free_n) * a_page_bytes;
}

int64_t st_history_bytes(struct st_history *history)
{
    return page_bytes(history, "PRAGMA freelist_count");
}

int64_t st_history_file_bytes(struct st_history *history)
{
    return page_bytes(history, NULL);
}

/* --- retention --- */

static int64_t floor_to(int64_t wall_ns, int64_t step_ns)
{
    return wall_ns / step_ns * step_ns;
}

/* Everything from before that time. */
static int remove_all(struct st_history *history, int64_t to_ns)
{
    /* of facts, the last row of each is what later ones are compared with */
    static const char *const deletes[] = {
        "DELETE FROM event WHERE wall_ns < ?", "DELETE FROM cause WHERE from_ns < ?",
        "DELETE FROM watch WHERE to_ns < ?",
        "DELETE FROM fact WHERE at_ns < ? AND id NOT IN (SELECT max(id) FROM fact GROUP BY kind, name)"};
    /* all levels are named, so that SQLite uses the index on (level, from_ns) */
    int r = st_history_sql_run(history->db, "DELETE FROM span WHERE level IN (?, ?, ?) AND from_ns < ?",
                               "iiii", ST_HISTORY_MINUTE, ST_HISTORY_HOUR, ST_HISTORY_DAY, to_ns);
    ST_EACH (sql, deletes)
        r = r == 0 ? st_history_sql_run(history->db, *sql, "i", to_ns) : r;
    return r;
}

/* Lowers *from_ns to a day after the oldest row of the level, so that a clock that is years ahead until the
 * network sets it does not delete the history. */
static int not_faster(struct st_history *history, int64_t level, int64_t *from_ns)
{
    int64_t oldest_ns = INT64_MIN;
    const int r = st_history_sql_oldest(history->db, level, &oldest_ns);
    if (r == 0 && oldest_ns != INT64_MIN && *from_ns > oldest_ns + DAY_NS)
        *from_ns = oldest_ns + DAY_NS;
    return r;
}

struct kind {
    char name[24];
    char source[sizeof(((struct st_event *)NULL)->source)];
    int64_t n;
};

/* The kinds of events, the most frequent one first. @return how many, or an error. */
static int read_kinds(struct st_history *history, struct kind kinds[KINDS_MAX])
{
    sqlite3_stmt *statement;
    int n = 0, r = st_history_sql_prepare(history->db, &statement,
                                          "SELECT kind, source, count(*) FROM event GROUP BY kind, source"
                                          " ORDER BY 3 DESC LIMIT ?",
                                          "i", (int64_t)KINDS_MAX);
    if (r < 0)
        return r;
    while ((r = st_history_sql_step(statement)) == 1) {
        struct kind *kind = &kinds[n++];
        st_history_sql_row(statement, "tti", kind->name, sizeof(kind->name), kind->source,
                           sizeof(kind->source), &kind->n);
    }
    sqlite3_finalize(statement);
    return r < 0 ? r : n;
}

/* The number of events that each kind may keep, so that there are at most max_n; rare kinds keep all. */
static int64_t share_of(const struct kind kinds[], int kinds_n, int64_t max_n)
{
    int64_t left_n = max_n;
    for (int i = kinds_n - 1; i >= 0; i--) {
        if (kinds[i].n > left_n / (i + 1))
            return left_n / (i + 1);
        left_n -= kinds[i].n;
    }
    return max_n;
}

/* From when on is all known that a source reported? Before, its dropouts are unknown, and not 0. */
static int forget_watching(struct st_history *history, const struct kind *kind)
{
    int64_t from_ns = INT64_MIN;
    int r = st_history_sql_number(history->db, &from_ns,
                                  "SELECT min(wall_ns) FROM event WHERE kind = ? AND source IS ?", "ts",
                                  kind->name, kind->source);
    if (r == 0)
        r = st_history_sql_run(history->db, "DELETE FROM watch WHERE source = ? AND to_ns <= ?", "ti",
                               kind->source, from_ns);
    if (r == 0)
        r = st_history_sql_run(history->db, "UPDATE watch SET from_ns = ? WHERE source = ? AND from_ns < ?",
                               "iti", from_ns, kind->source, from_ns);
    return r;
}

/* The most frequent kind loses its oldest events. A tenth more is removed than necessary, so that the next
 * event does not need it again. */
static int remove_events_above(struct st_history *history, int64_t max_n)
{
    struct kind kinds[KINDS_MAX];
    int64_t all_n = 0;
    int r = st_history_sql_number(history->db, &all_n, "SELECT count(*) FROM event", "");
    if (r < 0 || all_n <= max_n)
        return r;
    const int kinds_n = read_kinds(history, kinds);
    if (kinds_n < 0)
        return kinds_n;
    const int64_t share_n = share_of(kinds, kinds_n, max_n - max_n / 10);
    for (int i = 0; r == 0 && i < kinds_n && kinds[i].n > share_n; i++) {
        r = st_history_sql_run(
            history->db,
            "DELETE FROM event WHERE +kind = ? AND source IS ? AND id <= (SELECT id FROM event"
            " WHERE +kind = ? AND source IS ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
            "tstsi", kinds[i].name, kinds[i].source, kinds[i].name, kinds[i].source, share_n);
        if (r == 0 && st_event_kind_is_dropout(st_event_kind_of(kinds[i].name)))
            r = forget_watching(history, &kinds[i]);
    }
    return r;
}

static int remove_minutes(struct st_history *history, int64_t to_ns)
{
    return st_history_sql_run(history->db, "DELETE FROM span WHERE level = ? AND from_ns < ?", "ii",
                              ST_HISTORY_MINUTE, to_ns);
}

static int remove_old(struct st_history *history, int64_t now_wall_ns, int64_t keep_days, int64_t max_bytes)
{
    int64_t minutes_from_ns = now_wall_ns - ST_HISTORY_MINUTES_DAYS * DAY_NS;
    int64_t all_from_ns = now_wall_ns - keep_days * DAY_NS;
    int r = not_faster(history, ST_HISTORY_MINUTE, &minutes_from_ns);
    if (r == 0)
        r = not_faster(history, ST_HISTORY_DAY, &all_from_ns);
    minutes_from_ns = floor_to(minutes_from_ns, ST_HISTORY_HOUR * ST_NS_PER_S);
    all_from_ns = floor_to(all_from_ns, DAY_NS);
    if (r == 0)
        r = remove_minutes(history, minutes_from_ns);
    if (r == 0)
        r = remove_all(history, all_from_ns);
    if (r == 0)
        r = remove_events_above(history, max_bytes / 2 / EVENT_BYTES);
    return r == 0 ? st_history_causes_retain(history, now_wall_ns) : r;
}

/* Last resort: removes the oldest hour of the last day, except the newest hour. @return as remove_oldest. */
static int remove_oldest_hour(struct st_history *history, int64_t minute_ns, int64_t newest_ns)
{
    const int64_t hour_ns = ST_HISTORY_HOUR * ST_NS_PER_S, to_ns = minute_ns + hour_ns;
    if (to_ns > newest_ns - hour_ns)
        return 0;
    int r = remove_minutes(history, to_ns);
    if (r == 0)
        r = st_history_sql_run(history->db, "DELETE FROM cause WHERE from_ns < ?", "i", to_ns);
    return r < 0 ? r : 1;
}

/* Removes the oldest of the least valuable rows. @return 1, 0 if nothing is left to remove, or an error. */
static int remove_oldest(struct st_history *history)
{
    int64_t newest_ns = INT64_MIN, minute_ns = INT64_MIN, hour_ns = INT64_MIN;
    int r = st_history_sql_number(history->db, &newest_ns, "SELECT max(from_ns) FROM span WHERE level = ?",
                                  "i", ST_HISTORY_MINUTE);
    if (r == 0)
        r = st_history_sql_oldest(history->db, ST_HISTORY_MINUTE, &minute_ns);
    if (r == 0)
        r = st_history_sql_oldest(history->db, ST_HISTORY_HOUR, &hour_ns);
    if (r < 0 || newest_ns == INT64_MIN)
        return r;
    if (minute_ns < newest_ns - DAY_NS) {
        const int64_t to_ns = floor_to(minute_ns + DAY_NS, ST_HISTORY_HOUR * ST_NS_PER_S);
        r = remove_minutes(history, to_ns);
        return r < 0 ? r : 1;
    }
    if (hour_ns >= floor_to(newest_ns, DAY_NS) - DAY_NS)
        return remove_oldest_hour(history, minute_ns, newest_ns);
    int64_t to_ns = floor_to(hour_ns + OLDEST_STEP_NS, DAY_NS);
    if (to_ns > floor_to(newest_ns, DAY_NS) - DAY_NS)
        to_ns = floor_to(newest_ns, DAY_NS) - DAY_NS;
    r = remove_all(history, to_ns);
    return r < 0 ? r : 1;
}

int st_history_retain(struct st_history *history, int64_t now_wall_ns, int64_t keep_days, int64_t max_bytes)
{
    int r = st_history_begin(history);
    if (r == 0)
        r = remove_old(history, now_wall_ns, keep_days, max_bytes);
    for (int i = 0; r == 0 && i < RETAIN_STEPS_MAX; i++) {
        const int64_t bytes = st_history_bytes(history);
        if (bytes >= 0 && bytes <= max_bytes)
            break;
        r = bytes < 0 ? (int)bytes : remove_oldest(history);
        if (r <= 0)
            break;
        r = 0;
    }
    if (r == 0)
        r = st_history_commit(history);
    if (r < 0) {
        st_history_rollback(history);
        return r;
    }
    char sql[64];
    ST_PRINT(sql, "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES);
    for (int i = 0; r == 0 && i < VACUUMS_MAX; i++)
        r = st_history_sql_run(history->db, sql, "");
    return r;
}
