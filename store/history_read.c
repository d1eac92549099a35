/* Rows of a history by steps. */
#include "store/history_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "lib/when.h"
#include "store/history_private.h"
#include "store/history_reader.h"
#include "store/json_text.h"

#define ROWS_WANTED 100
#define MINUTE_NS   (ST_HISTORY_MINUTE * ST_NS_PER_S)
#define HOUR_NS     (ST_HISTORY_HOUR * ST_NS_PER_S)
#define JOIN_NS     (2 * ST_NS_PER_S) /* between two minutes; less is no gap */
#define SUMMED_MAX  4000              /* rows of the file whose histograms one answer sums: 0.1 to 0.2 s */
#define STEP_MAX_NS (3650 * ST_HISTORY_DAY * ST_NS_PER_S)
#define COUNTS_N    8
#define COLUMNS                                                                                              \
    "from_ns, to_ns, measured_ns, cycles, misses, skipped_periods, late_wakes, xruns_simulated, xruns_own, " \
    "xruns_observed, %s, lateness_n, lateness_p50_ns, lateness_p99_ns, lateness_max_ns, circumstances, "     \
    "lateness"

/* What one row of the answer is made of. */
struct group {
    int64_t from_ns, to_ns, measured_ns; /* measured_ns INT64_MIN: nothing yet */
    int64_t counts[COUNTS_N];
    int64_t n, p50_ns, p99_ns, max_ns; /* the quantiles of a single row */
    int64_t circumstances;
    unsigned rows_n;
    void *first; /* histogram of the first row, until there is a second one */
    size_t first_bytes, first_room;
};

struct walk {
    struct st_history_reader *reader;
    json_t *rows;
    int64_t until_ns;
    int64_t at_ns; /* where the next row or gap begins */
    struct group group;
};

/* --- rows of the answer ------------------------------------------------------------------------------------
 */

static json_t *known(int64_t value)
{
    return value != INT64_MIN ? json_integer(value) : json_null();
}

static int append(struct walk *walk, json_t *row)
{
    if (json_array_size(walk->rows) >= ST_HISTORY_ROWS_MAX) {
        json_decref(row);
        return -E2BIG;
    }
    return json_array_append_new(walk->rows, row) == 0 ? 0 : -ENOMEM;
}

/* Nothing was measured up to to_ns. */
static int append_gap(struct walk *walk, int64_t to_ns)
{
    if (to_ns <= walk->at_ns)
        return 0;
    const int r = append(walk, json_pack("{s:I, s:I, s:i, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n}", "from_ns",
                                         (json_int_t)walk->at_ns, "to_ns", (json_int_t)to_ns, "measured_ns",
                                         0, "cycles", "misses", "skipped_periods", "late_wakes", "xruns",
                                         "starved_clients", "lateness", "circumstances"));
    walk->at_ns = to_ns;
    return r;
}

static int append_group(struct walk *walk)
{
    struct group *group = &walk->group;
    if (group->rows_n == 0)
        return 0;
    if (group->rows_n > 1) {
        struct st_history_sum *sum = &walk->reader->sum;
        group->p50_ns = st_history_sum_quantile(sum, 0.5, group->max_ns);
        group->p99_ns = st_history_sum_quantile(sum, 0.99, group->max_ns);
    }
    const int64_t *counts = group->counts;
    json_t *xruns = json_pack("{s:I, s:I, s:o}", "simulated", (json_int_t)counts[4], "own",
                              (json_int_t)counts[5], "observed", known(counts[6]));
    json_t *lateness =
        json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)group->n, "p50_ns", known(group->p50_ns), "p99_ns",
                  known(group->p99_ns), "max_ns", known(group->max_ns));
    const int r =
        append(walk, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "from_ns",
                               (json_int_t)group->from_ns, "to_ns", (json_int_t)group->to_ns, "measured_ns",
                               (json_int_t)group->measured_ns, "cycles", (json_int_t)counts[0], "misses",
                               (json_int_t)counts[1], "skipped_periods", (json_int_t)counts[2], "late_wakes",
                               (json_int_t)counts[3], "xruns", xruns, "starved_clients", known(counts[7]),
                               "lateness", lateness, "circumstances", known(group->circumstances)));
    if (group->to_ns > walk->at_ns)
        walk->at_ns = group->to_ns;
    group->rows_n = 0;
    return r;
}

/* --- rows of the file
 * --------------------------------------------------------------------------------------- */

static int keep_first(struct group *group, const void *bytes, size_t n)
{
    if (n > group->first_room) {
        void *room = realloc(group->first, n);
        if (room == NULL)
            return -ENOMEM;
        group->first = room;
        group->first_room = n;
    }
    if (n > 0)
        memcpy(group->first, bytes, n);
    group->first_bytes = n;
    return 0;
}

/* Most groups of one row need no histogram: their quantiles are stored. */
static int add_histogram(struct walk *walk, sqlite3_stmt *statement)
{
    struct group *group = &walk->group;
    struct st_history_sum *sum = &walk->reader->sum;
    const void *bytes = sqlite3_column_blob(statement, 16);
    const size_t n = (size_t)sqlite3_column_bytes(statement, 16);
    if (group->rows_n == 0)
        return keep_first(group, bytes, n);
    int r = 0;
    if (group->rows_n == 1) {
        st_hist_reset(&sum->hist);
        r = st_history_sum_add(sum, group->first, group->first_bytes);
    }
    return r < 0 ? r : st_history_sum_add(sum, bytes, n);
}

static int add_row(struct walk *walk, sqlite3_stmt *statement)
{
    struct group *group = &walk->group;
    const int r = add_histogram(walk, statement);
    if (r < 0)
        return r;
    const int64_t max_ns = st_sql_int(statement, 14), circumstances = st_sql_int(statement, 15);
    if (group->rows_n == 0) {
        for (int i = 0; i < COUNTS_N; i++)
            group->counts[i] = INT64_MIN;
        group->measured_ns = 0;
        group->n = 0;
        group->max_ns = INT64_MIN;
        group->p50_ns = st_sql_int(statement, 12);
        group->p99_ns = st_sql_int(statement, 13);
        group->circumstances = circumstances;
    }
    group->measured_ns = st_sql_add(group->measured_ns, st_sql_int(statement, 2));
    for (int i = 0; i < COUNTS_N; i++)
        group->counts[i] = st_sql_add(group->counts[i], st_sql_int(statement, 3 + i));
    group->n = st_sql_add(group->n, st_sql_int(statement, 11));
    if (max_ns > group->max_ns)
        group->max_ns = max_ns;
    if (group->circumstances != circumstances)
        group->circumstances = INT64_MIN;
    group->rows_n++;
    return 0;
}

static int64_t floor_to(int64_t ns, int64_t step_ns)
{
    const int64_t rest = ns % step_ns;
    return ns - (rest < 0 ? rest + step_ns : rest);
}

/* A row of the file: joins the group of its step or begins the next one. Single minutes have no grid: they
 * begin when they began. */
static int take(struct walk *walk, sqlite3_stmt *statement, int64_t step_ns)
{
    struct group *group = &walk->group;
    const int64_t row_from_ns = st_sql_int(statement, 0), row_to_ns = st_sql_int(statement, 1);
    const bool minutes = step_ns == MINUTE_NS;
    int64_t from_ns = minutes ? row_from_ns : floor_to(row_from_ns, step_ns);
    if (group->rows_n > 0 && (minutes || from_ns != group->from_ns)) {
        const int r = append_group(walk);
        if (r < 0)
            return r;
    }
    if (group->rows_n == 0) {
        if (minutes ? from_ns > st_ns_add(walk->at_ns, JOIN_NS) : from_ns > walk->at_ns) {
            const int r = append_gap(walk, from_ns);
            if (r < 0)
                return r;
        }
        group->from_ns = from_ns;
        group->to_ns = minutes ? row_to_ns : from_ns + step_ns;
        if (!minutes && group->to_ns > walk->until_ns)
            group->to_ns = walk->until_ns;
    }
    return add_row(walk, statement);
}

/* Rows of [since, until) by steps. */
static int walk_part(struct walk *walk, int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    sqlite3_stmt *statement;
    const int64_t level = st_history_reader_level(walk->reader, step_ns);
    const int64_t level_ns = level * ST_NS_PER_S;
    if (step_ns > level_ns && (until_ns - since_ns) / level_ns > SUMMED_MAX)
        return -E2BIG;
    char sql[512];
    snprintf(sql, sizeof(sql),
             "SELECT " COLUMNS " FROM span WHERE level = ? AND from_ns >= ? AND from_ns < ?"
             " ORDER BY from_ns, id",
             walk->reader->version >= 2 ? "starved" : "NULL");
    int r = st_sql_prepare(walk->reader->db, &statement, sql, "iii", level, since_ns, until_ns);
    if (r < 0)
        return r;
    while ((r = st_sql_step(statement)) == 1) {
        r = take(walk, statement, step_ns);
        if (r < 0)
            break;
    }
    if (r == 0)
        r = append_group(walk);
    sqlite3_finalize(statement);
    return r;
}

/* --- the document -----------------------------------------------------------------------------------------
 */

static json_t *text_or_null(sqlite3_stmt *statement, int i)
{
    char text[256];
    st_sql_text(statement, i, text, sizeof(text));
    return text[0] != '\0' ? st_json_text(text) : json_null();
}

/* All that rows of the answer were measured under. */
static int circumstances(struct st_history_reader *reader, const json_t *rows, json_t **ret)
{
    sqlite3_stmt *statement;
    int r = st_sql_prepare(reader->db, &statement,
                           "SELECT id, kernel, governor, policy, priority, cpu, frames, rate_hz, periods,"
                           " load_percent FROM circumstances ORDER BY id",
                           "");
    if (r < 0)
        return r;
    json_t *list = json_array();
    while ((r = st_sql_step(statement)) == 1) {
        const int64_t id = st_sql_int(statement, 0);
        bool used = false;
        size_t i;
        const json_t *row;
        json_array_foreach(rows, i, row)
        {
            const json_t *given = json_object_get(row, "circumstances");
            if (json_is_integer(given) && json_integer_value(given) == id) {
                used = true;
                break;
            }
        }
        if (used)
            json_array_append_new(
                list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "id", (json_int_t)id,
                                "kernel", text_or_null(statement, 1), "governor", text_or_null(statement, 2),
                                "policy", text_or_null(statement, 3), "priority",
                                known(st_sql_int(statement, 4)), "cpu", known(st_sql_int(statement, 5)),
                                "frames", known(st_sql_int(statement, 6)), "rate_hz",
                                known(st_sql_int(statement, 7)), "periods", known(st_sql_int(statement, 8)),
                                "load_percent", sqlite3_column_double(statement, 9)));
    }
    sqlite3_finalize(statement);
    if (r < 0) {
        json_decref(list);
        return r;
    }
    *ret = list;
    return 0;
}

/* Whole minutes up to an hour, whole hours above. */
static int64_t usable_step(const struct st_history_span *span)
{
    int64_t step_ns =
        span->step_ns > 0 ? span->step_ns : st_when_step(span->until_ns - span->since_ns, ROWS_WANTED);
    if (step_ns > STEP_MAX_NS)
        step_ns = STEP_MAX_NS; /* times are at most 2200: a step more is no overflow */
    const int64_t unit_ns = step_ns > HOUR_NS ? HOUR_NS : MINUTE_NS;
    if (step_ns % unit_ns != 0)
        step_ns += unit_ns - step_ns % unit_ns;
    return step_ns;
}

static int walk_all(struct walk *walk, int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    int64_t minutes_ns = until_ns; /* older: only hours are left */
    int r = st_sql_number(walk->reader->db, &minutes_ns, "SELECT min(from_ns) FROM span WHERE level = ?", "i",
                          ST_HISTORY_MINUTE);
    if (r < 0)
        return r;
    minutes_ns = floor_to(minutes_ns, HOUR_NS);
    if (step_ns >= HOUR_NS || minutes_ns <= since_ns)
        return walk_part(walk, since_ns, until_ns, step_ns);
    if (minutes_ns > until_ns)
        minutes_ns = until_ns;
    walk->at_ns = floor_to(since_ns, HOUR_NS);
    r = walk_part(walk, walk->at_ns, minutes_ns, HOUR_NS);
    return r < 0 ? r : walk_part(walk, minutes_ns, until_ns, step_ns);
}

int st_history_read(struct st_history_reader *reader, const struct st_history_span *span, json_t **ret)
{
    const int64_t step_ns = usable_step(span);
    struct walk walk = {.reader = reader,
                        .rows = json_array(),
                        .until_ns = span->until_ns,
                        .at_ns = floor_to(span->since_ns, step_ns)};
    const int64_t since_ns = walk.at_ns;
    json_t *used = NULL;
    int r = walk.rows == NULL ? -ENOMEM : 0;
    if (r == 0)
        r = (span->until_ns - since_ns) / step_ns > ST_HISTORY_ROWS_MAX
                ? -E2BIG
                : walk_all(&walk, since_ns, span->until_ns, step_ns);
    if (r == 0 && span->until_ns > st_ns_add(walk.at_ns, step_ns == MINUTE_NS ? 2 * MINUTE_NS : 0))
        r = append_gap(&walk, span->until_ns);
    if (r == 0)
        r = circumstances(reader, walk.rows, &used);
    free(walk.group.first);
    if (r < 0) {
        json_decref(walk.rows);
        return r;
    }
    *ret = json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "schema", "sleeptune-history/1", "since_ns",
                     (json_int_t)since_ns, "until_ns", (json_int_t)span->until_ns, "step_ns",
                     (json_int_t)step_ns, "rows", walk.rows, "circumstances", used);
    return *ret != NULL ? 0 : -ENOMEM;
}
