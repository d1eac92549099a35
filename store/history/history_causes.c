/* The causes of late wake-ups in a history. */
#include "store/history/history_private.h"

#define MINUTES_DAYS 2 /* older causes are summed to hours */

void st_history_causes_add(struct st_sql *sql, const struct st_history_minute *minute)
{
    ST_EACH_OF (row, minute->causes, minute->causes_n)
        st_sql_run(sql,
                   "INSERT INTO cause (level, from_ns, to_ns, above_ns, cause, culprit, n, "
                   "total_ns, worst_ns, explained_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   "iiiittiiin", ST_HISTORY_MINUTE, minute->from_wall_ns, minute->to_wall_ns,
                   minute->late_above_ns, st_cause_kind_name(row->cause), row->culprit,
                   (int64_t)row->n, row->total_ns, row->worst_ns,
                   row->figures ? row->explained_ns : INT64_MIN);
}

void st_history_causes_retain(struct st_sql *sql, int64_t now_wall_ns)
{
    const int64_t hours_to_ns =
        (now_wall_ns - MINUTES_DAYS * ST_NS_PER_DAY) / ST_NS_PER_HOUR * ST_NS_PER_HOUR;
    /* Minutes in which sleeptuned was stopped stay as they are, since st_history_predict leaves out
     * such minutes. */
    const int64_t stopped_to_ns = now_wall_ns - ST_HISTORY_MINUTES_DAYS * ST_NS_PER_DAY;
    const char *stopped = st_cause_kind_name(ST_CAUSE_STOPPED);
    st_sql_run(sql,
               "INSERT INTO cause (level, from_ns, to_ns, above_ns, cause, culprit, n, total_ns, "
               "worst_ns, explained_ns) SELECT ?, min(from_ns), max(to_ns), above_ns, cause, "
               "culprit, sum(n), sum(total_ns), max(worst_ns), sum(explained_ns) FROM cause WHERE "
               "level = ? AND from_ns < ? AND (cause <> ? OR from_ns < ?) GROUP BY from_ns / ?, "
               "above_ns, cause, culprit",
               "iiitii", ST_HISTORY_HOUR, ST_HISTORY_MINUTE, hours_to_ns, stopped, stopped_to_ns,
               ST_NS_PER_HOUR);
    st_sql_run(sql,
               "DELETE FROM cause WHERE level = ? AND from_ns < ? AND (cause <> ? OR from_ns < ?)",
               "iiti", ST_HISTORY_MINUTE, hours_to_ns, stopped, stopped_to_ns);
}

/* Reads when and how long the loop ran from since_ns to until_ns, whether it woke late or not.
 * Reads minutes if the file has them for the whole time, otherwise hours. */
static void read_span(struct st_sql *sql, int64_t since_ns, int64_t until_ns,
                      struct st_cause_span *span)
{
    const int64_t minutes_from_ns = st_sql_oldest(sql, ST_HISTORY_MINUTE, INT64_MIN),
                  hours_from_ns = st_sql_oldest(sql, ST_HISTORY_HOUR, INT64_MIN);
    const bool minutes = minutes_from_ns <= since_ns ||
                         hours_from_ns >= minutes_from_ns / ST_NS_PER_HOUR * ST_NS_PER_HOUR;
    struct st_cause_span seen = *span;
    const int64_t level = minutes ? ST_HISTORY_MINUTE : ST_HISTORY_HOUR;
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    "SELECT min(from_ns), max(to_ns), sum(measured_ns), sum(cycles) FROM span "
                    "WHERE level = ? AND to_ns > ? AND from_ns < ?",
                    "iii", level, since_ns, until_ns);
    while (st_sql_next(sql, rows, "iiii", &seen.from_wall_ns, &seen.to_wall_ns, &seen.measured_ns,
                       &seen.wakes_n)) {
        if ((int64_t)seen.wakes_n != INT64_MIN)
            *span = seen;
    }
}

static void take_limit(int64_t above_ns, struct st_cause_span *span)
{
    if (above_ns > 0 && (span->above_ns == 0 || above_ns < span->above_ns))
        span->above_ns = above_ns;
    span->above_most_ns = ST_MAX(span->above_most_ns, above_ns);
}

static void read_rows(struct st_sql *sql, int64_t since_ns, int64_t until_ns,
                      struct st_cause_sums *sums, struct st_cause_span *span)
{
    char name[40];
    struct st_cause_sum row = {0};
    int64_t above_ns;
    /* sleeptuned writes no row with n = 0, so such a row is not trusted. */
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    "SELECT cause, culprit, n, total_ns, worst_ns, explained_ns, above_ns FROM "
                    "cause WHERE to_ns > ? AND from_ns < ? AND CAST(n AS INTEGER) <> 0",
                    "ii", since_ns, until_ns);
    while (st_sql_next(sql, rows, "ttiiiii", name, sizeof(name), row.culprit, sizeof(row.culprit),
                       &row.n, &row.total_ns, &row.worst_ns, &row.explained_ns, &above_ns)) {
        row.cause = 0;
        while (row.cause < ST_CAUSE_COUNT && strcmp(name, st_cause_kind_name(row.cause)) != 0)
            row.cause++;
        if (row.cause == ST_CAUSE_COUNT)
            /* A later version of sleeptune may know causes that this one does not know. */
            row.cause = ST_CAUSE_UNKNOWN;
        row.figures = row.explained_ns != INT64_MIN;
        if (!row.figures)
            row.explained_ns = 0;
        take_limit(above_ns, span);
        st_cause_sums_add(sums, &row);
    }
}

/* Adds a minute that is not in the file yet. */
static void add_unwritten(const struct st_cause_sums *from, const struct st_cause_span *minute,
                          struct st_cause_sums *sums, struct st_cause_span *span)
{
    if (span->wakes_n == 0 || minute->from_wall_ns < span->from_wall_ns)
        span->from_wall_ns = minute->from_wall_ns;
    if (minute->to_wall_ns > span->to_wall_ns)
        span->to_wall_ns = minute->to_wall_ns;
    take_limit(minute->above_ns, span);
    span->measured_ns = st_ns_add(span->measured_ns, minute->measured_ns);
    span->wakes_n += minute->wakes_n;
    memcpy(span->tracer, minute->tracer, sizeof(span->tracer));
    ST_EACH_OF (row, from->rows, from->n)
        st_cause_sums_add(sums, row);
}

json_t *st_history_read_causes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                               const struct st_cause_sums *unwritten,
                               const struct st_cause_span *minute)
{
    struct st_cause_sums sums = {.n = 0};
    struct st_cause_span span = {.asked_from_wall_ns = since_ns,
                                 .tracer = "the kernel's trace was off in that time"};
    /* a row of an hour counts whole, so what it is compared with is of the whole hour, too */
    int64_t first_ns, last_ns;
    sqlite3_stmt *rows =
        st_sql_rows(&reader->sql,
                    "SELECT min(from_ns), max(to_ns) FROM cause WHERE level = ? AND to_ns > ? AND "
                    "from_ns < ?",
                    "iii", ST_HISTORY_HOUR, since_ns, until_ns);
    while (st_sql_next(&reader->sql, rows, "ii", &first_ns, &last_ns)) {
        since_ns = first_ns == INT64_MIN ? since_ns : ST_MIN(first_ns, since_ns);
        until_ns = ST_MAX(last_ns, until_ns);
    }
    read_span(&reader->sql, since_ns, until_ns, &span);
    read_rows(&reader->sql, since_ns, until_ns, &sums, &span);
    ST_EACH_OF (row, sums.rows, sums.n) {
        if (row->culprit[0] != '\0')
            span.tracer[0] = '\0';
    }
    if (minute != NULL && minute->to_wall_ns > since_ns && minute->from_wall_ns < until_ns)
        add_unwritten(unwritten, minute, &sums, &span);
    return st_cause_sums_json(&sums, &span);
}
