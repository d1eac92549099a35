/* Rows of a history by steps. */
#include "store/history/history_read.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text_buffer.h"
#include "core/when.h"
#include "store/history/history_private.h"

#define ROWS_WANTED 100
#define MINUTE_NS   (ST_HISTORY_MINUTE * ST_NS_PER_S)
#define HOUR_NS     (ST_HISTORY_HOUR * ST_NS_PER_S)
#define JOIN_NS     (2 * ST_NS_PER_S) /* a smaller distance between two minutes is no gap */
#define SUMMED_MAX  4000              /* rows whose histograms one answer sums, in 0.1 to 0.2 s */
#define STEP_MAX_NS (3650 * ST_HISTORY_DAY * ST_NS_PER_S)
#define HEAD_BYTES  256
#define COLUMNS                                                                                              \
    "from_ns, to_ns, measured_ns, lateness_n, lateness_p50_ns, lateness_p99_ns, lateness_max_ns, "           \
    "conditions, lateness, " ST_HISTORY_COUNTS
#define COUNTS_AT 9 /* in COLUMNS */

/* The rows of the file in one row of the answer. */
struct group {
    int64_t from_ns, to_ns, measured_ns;
    int64_t step_ns, rows_to_ns; /* the beginning of its step; the end of its last row */
    int64_t counts[ST_HISTORY_COUNTS_N];
    int64_t n, p50_ns, p99_ns, max_ns; /* the quantiles of a single row */
    int64_t conditions;
    unsigned rows_n;
    void *first; /* histogram of the first row, until there is a second one */
    size_t first_bytes, first_room;
};

struct walk {
    struct st_history_reader *reader;
    struct st_sql *sql;            /* the reader's */
    struct st_text_buffer writing; /* the document, up to its last row */
    size_t rows_n;
    json_t *used;               /* ids of the rows' conditions, each once */
    int64_t since_ns, until_ns; /* of the answer */
    int64_t end_ns;             /* end of the last row in the file */
    int64_t part_ns;            /* where the rows of this level begin */
    int64_t at_ns;              /* where the next row or gap begins */
    struct group group;
};

/* --- rows of the answer --- */

static bool has(const json_t *ids, const json_t *id)
{
    size_t i;
    const json_t *one;
    json_array_foreach(ids, i, one)
    {
        if (json_equal(one, id))
            return true;
    }
    return false;
}

/* Row by row, so that only one of them is a json_t at a time. */
static void append(struct walk *walk, json_t *row)
{
    json_t *id = json_object_get(row, "conditions");
    if (walk->sql->r == 0 && walk->rows_n++ == ST_HISTORY_ROWS_MAX)
        walk->sql->r = -E2BIG;
    if (walk->sql->r == 0 &&
        (row == NULL ||
         (json_is_integer(id) && !has(walk->used, id) && json_array_append(walk->used, id) != 0) ||
         (walk->rows_n > 1 && st_json_write(",", 1, &walk->writing) != 0) ||
         json_dump_callback(row, st_json_write, &walk->writing, JSON_COMPACT) != 0))
        walk->sql->r = -ENOMEM;
    json_decref(row);
}

/* Nothing was measured up to to_ns, because nothing played, or for a reason that is not known. */
static void append_blank(struct walk *walk, int64_t to_ns, bool nothing_played)
{
    const int64_t from_ns = walk->at_ns;
    if (to_ns <= from_ns)
        return;
    const int64_t dropouts_n = st_history_read_count(walk->sql, from_ns, to_ns);
    walk->at_ns = to_ns;
    append(walk, json_pack("{s:I, s:I, s:i, s:I, s:n, s:n, s:n, s:n, s:n, s:o, s:n, s:n}", "from_ns",
                           (json_int_t)from_ns, "to_ns", (json_int_t)to_ns, "measured_ns", 0, "idle_ns",
                           (json_int_t)(nothing_played ? to_ns - from_ns : 0), "cycles", "misses",
                           "skipped_periods", "late_wakes", "own_dropouts", "dropouts",
                           st_json_known(dropouts_n), "lateness", "conditions"));
}

/* Nothing was measured up to to_ns. The parts of it in which nothing played are rows of their own; the last
 * minute of an answer is not written yet. Seconds in which a daemon that starts has seen no one play say
 * nothing of the time before them. */
static void append_gap(struct walk *walk, int64_t to_ns)
{
    const int64_t end_ns = to_ns >= walk->until_ns ? 2 * MINUTE_NS : ST_HISTORY_WATCH_JOIN_NS;
    int64_t from_ns = walk->at_ns, idle_to_ns = walk->at_ns;
    while (idle_to_ns < to_ns && walk->at_ns < to_ns &&
           st_history_read_idle(walk->sql, idle_to_ns, to_ns, &from_ns, &idle_to_ns)) {
        if (idle_to_ns - from_ns < ST_MIN(MINUTE_NS, (to_ns - walk->at_ns) / 2))
            continue;
        if (from_ns - walk->at_ns > ST_HISTORY_WATCH_JOIN_NS)
            append_blank(walk, from_ns, false);
        append_blank(walk, to_ns - idle_to_ns > end_ns ? idle_to_ns : to_ns, true);
    }
    append_blank(walk, to_ns, false);
}

/* A minute belongs to the step in which it began, so a row may end after its step. More than a minute beyond
 * it means that the clock was set back. */
static void end_group(struct walk *walk)
{
    struct group *group = &walk->group;
    const int64_t needed_ns = st_ns_add(group->from_ns, group->measured_ns);
    int64_t room_ns = group->to_ns + MINUTE_NS;
    if (room_ns < group->rows_to_ns)
        room_ns = group->rows_to_ns;
    if (needed_ns > group->to_ns)
        group->to_ns = ST_MIN(needed_ns, room_ns);
    if (group->from_ns < walk->since_ns)
        walk->since_ns = group->from_ns;
    if (group->to_ns > walk->until_ns)
        walk->until_ns = group->to_ns;
}

static void append_group(struct walk *walk)
{
    struct group *group = &walk->group;
    if (group->rows_n == 0)
        return;
    end_group(walk);
    if (group->rows_n > 1) {
        struct st_history_sum *sum = &walk->reader->sum;
        group->p50_ns = st_history_sum_quantile(sum, 0.5, group->max_ns);
        group->p99_ns = st_history_sum_quantile(sum, 0.99, group->max_ns);
    }
    const int64_t *counts = group->counts;
    /* from the last row on: rows can overlap, or be some seconds apart */
    const int64_t dropouts_n = st_history_read_count(walk->sql, walk->at_ns, group->to_ns);
    json_t *lateness =
        json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)group->n, "p50_ns", st_json_known(group->p50_ns),
                  "p99_ns", st_json_known(group->p99_ns), "max_ns", st_json_known(group->max_ns));
    append(walk, json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "from_ns",
                           (json_int_t)group->from_ns, "to_ns", (json_int_t)group->to_ns, "measured_ns",
                           (json_int_t)group->measured_ns, "cycles", (json_int_t)counts[ST_HISTORY_CYCLES],
                           "misses", (json_int_t)counts[ST_HISTORY_MISSES], "miss_events",
                           st_json_known(counts[ST_HISTORY_MISS_EVENTS]), "skipped_periods",
                           (json_int_t)counts[ST_HISTORY_SKIPPED], "late_wakes",
                           (json_int_t)counts[ST_HISTORY_LATE], "own_dropouts",
                           (json_int_t)counts[ST_HISTORY_OWN], "dropouts", st_json_known(dropouts_n),
                           "lateness", lateness, "conditions", st_json_known(group->conditions)));
    if (group->to_ns > walk->at_ns)
        walk->at_ns = group->to_ns;
    group->rows_n = 0;
}

/* --- rows of the file --- */

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

/* Groups of one row need no histogram, because their quantiles are stored. */
static int add_histogram(struct walk *walk, sqlite3_stmt *row)
{
    struct group *group = &walk->group;
    struct st_history_sum *sum = &walk->reader->sum;
    const void *bytes = sqlite3_column_blob(row, 8);
    const size_t n = (size_t)sqlite3_column_bytes(row, 8);
    if (group->rows_n == 0)
        return keep_first(group, bytes, n);
    int r = 0;
    if (group->rows_n == 1) {
        st_hist_reset(&sum->hist);
        r = st_history_sum_add(sum, group->first, group->first_bytes);
    }
    return r < 0 ? r : st_history_sum_add(sum, bytes, n);
}

/* A row of COLUMNS. */
static int add_row(struct walk *walk, sqlite3_stmt *row)
{
    struct group *group = &walk->group;
    const int r = add_histogram(walk, row);
    const int64_t max_ns = st_sql_int(row, 6), conditions = st_sql_int(row, 7);
    if (group->rows_n == 0) {
        ST_EACH (count, group->counts)
            *count = INT64_MIN;
        group->measured_ns = 0;
        group->n = 0;
        group->max_ns = INT64_MIN;
        group->p50_ns = st_sql_int(row, 4);
        group->p99_ns = st_sql_int(row, 5);
        group->conditions = conditions;
    }
    group->measured_ns = st_sql_add(group->measured_ns, st_sql_int(row, 2));
    for (int i = 0; i < ST_HISTORY_COUNTS_N; i++)
        group->counts[i] = st_sql_add(group->counts[i], st_sql_int(row, COUNTS_AT + i));
    group->n = st_sql_add(group->n, st_sql_int(row, 3));
    if (max_ns > group->max_ns)
        group->max_ns = max_ns;
    if (group->conditions != conditions)
        group->conditions = INT64_MIN;
    group->rows_n++;
    return r;
}

static int64_t floor_to(int64_t ns, int64_t step_ns)
{
    const int64_t rest = ns % step_ns;
    return ns - (rest < 0 ? rest + step_ns : rest);
}

/* Adds a row of the file to the group of its step or begins the next group. Minutes begin at any time. An
 * hour or a day counts as a whole. */
static int take(struct walk *walk, sqlite3_stmt *row, int64_t step_ns)
{
    struct group *group = &walk->group;
    const int64_t row_from_ns = st_sql_int(row, 0);
    const bool minutes = step_ns == MINUTE_NS;
    const int64_t step_from_ns = minutes ? row_from_ns : floor_to(row_from_ns, step_ns);
    int64_t row_to_ns = st_sql_int(row, 1);
    if (row_to_ns > walk->end_ns)
        row_to_ns = ST_MAX(walk->end_ns, row_from_ns);
    if (minutes || step_from_ns != group->step_ns)
        append_group(walk);
    if (group->rows_n == 0) {
        group->step_ns = step_from_ns;
        group->from_ns = ST_MAX(step_from_ns, walk->part_ns);
        if (group->from_ns > (minutes ? st_ns_add(walk->at_ns, JOIN_NS) : walk->at_ns))
            append_gap(walk, group->from_ns);
        group->rows_to_ns = row_to_ns;
    }
    group->to_ns = group->rows_to_ns = ST_MAX(row_to_ns, group->rows_to_ns);
    if (!minutes)
        group->to_ns = ST_MIN(ST_MAX(walk->until_ns, group->to_ns), step_from_ns + step_ns);
    return walk->sql->r < 0 ? walk->sql->r : add_row(walk, row);
}

/* The level whose rows make up steps of this length. */
static int64_t level_of(int64_t step_ns)
{
    static const int64_t levels[] = {ST_HISTORY_DAY, ST_HISTORY_HOUR};
    ST_EACH (level, levels) {
        if (step_ns % (*level * ST_NS_PER_S) == 0)
            return *level;
    }
    return ST_HISTORY_MINUTE;
}

/* Rows of [since, until) by steps. */
static void walk_part(struct walk *walk, int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    struct st_sql *sql = walk->sql;
    const int64_t level = level_of(step_ns);
    const int64_t rows_max = step_ns > level * ST_NS_PER_S ? SUMMED_MAX : ST_HISTORY_ROWS_MAX;
    if (st_sql_number(sql, 0, "SELECT count(*) FROM span WHERE level = ? AND from_ns >= ? AND from_ns < ?",
                      "iii", level, since_ns, until_ns) > rows_max)
        sql->r = -E2BIG;
    sqlite3_stmt *rows =
        st_sql_rows(sql,
                    "SELECT " COLUMNS " FROM span WHERE level = ? AND from_ns >= ? AND from_ns < ?"
                    " ORDER BY from_ns, id",
                    "iii", level, since_ns, until_ns);
    walk->part_ns = since_ns;
    while (st_sql_next(sql, rows, ""))
        sql->r = take(walk, rows, step_ns);
    append_group(walk);
}

/* --- the document --- */

/* All conditions of the answer. */
static json_t *conditions(struct st_sql *sql, const json_t *used)
{
    json_t *list = json_array();
    int64_t id;
    sqlite3_stmt *rows = st_sql_rows(sql,
                                     "SELECT id, kernel, governor, policy, priority, cpu, frames, rate_hz,"
                                     " load_percent FROM conditions ORDER BY id",
                                     "");
    while (st_sql_next(sql, rows, "i", &id)) {
        json_t *given = json_integer(id);
        if (has(used, given))
            json_array_append_new(list, st_history_read_object(rows, 0));
        json_decref(given);
    }
    return list;
}

/* Whole minutes up to an hour, whole hours above. */
static int64_t usable_step(int64_t step_ns)
{
    if (step_ns > STEP_MAX_NS)
        step_ns = STEP_MAX_NS; /* times are before the year 2200, so adding a step cannot overflow */
    const int64_t unit_ns = step_ns > HOUR_NS ? HOUR_NS : MINUTE_NS;
    if (step_ns % unit_ns != 0)
        step_ns += unit_ns - step_ns % unit_ns;
    return step_ns;
}

/* The requested step, or one that fits the rows in the file. */
static int64_t choose_step(struct walk *walk, const struct st_history_span *span)
{
    if (span->step_ns > 0)
        return usable_step(span->step_ns);
    const int64_t from_ns = ST_MAX(st_sql_oldest(walk->sql, ST_HISTORY_HOUR, INT64_MIN), span->since_ns);
    return usable_step(st_when_step(walk->until_ns > from_ns ? walk->until_ns - from_ns : 0, ROWS_WANTED));
}

/* Minutes if the file still has them, hours before them. */
static void walk_all(struct walk *walk, int64_t since_ns, int64_t until_ns, int64_t step_ns)
{
    const int64_t hours_ns = floor_to(since_ns, HOUR_NS),
                  minutes_ns = ST_MIN(
                      floor_to(st_sql_oldest(walk->sql, ST_HISTORY_MINUTE, until_ns), HOUR_NS), until_ns);
    int64_t hour_ns = INT64_MAX;
    if (step_ns < HOUR_NS && minutes_ns > since_ns)
        hour_ns =
            st_sql_number(walk->sql, INT64_MAX,
                          "SELECT min(from_ns) FROM span WHERE level = ? AND from_ns >= ? AND from_ns < ?",
                          "iii", ST_HISTORY_HOUR, hours_ns, minutes_ns);
    walk->since_ns = walk->at_ns = ST_MIN(hour_ns, since_ns);
    if (hour_ns != INT64_MAX)
        walk_part(walk, hours_ns, minutes_ns, HOUR_NS);
    walk_part(walk, hour_ns != INT64_MAX ? minutes_ns : since_ns, until_ns, step_ns);
}

/* The rows decide the times in the head, so the head is written last and moved to the front. */
static int write_head(struct walk *walk, int64_t step_ns)
{
    static const char before[] = ",\"rows\":[";
    const size_t rows_bytes = walk->writing.bytes;
    json_t *head = json_pack("{s:s, s:I, s:I, s:I}", "schema", "sleeptune-history/1", "since_ns",
                             (json_int_t)walk->since_ns, "until_ns", (json_int_t)walk->until_ns, "step_ns",
                             (json_int_t)step_ns);
    const bool good =
        head != NULL && st_json_write("{", 1, &walk->writing) == 0 &&
        json_dump_callback(head, st_json_write, &walk->writing, JSON_COMPACT | JSON_EMBED) == 0 &&
        st_json_write(before, sizeof(before) - 1, &walk->writing) == 0;
    json_decref(head);
    char *text = walk->writing.text, copy[HEAD_BYTES];
    const size_t head_bytes = walk->writing.bytes - rows_bytes;
    if (!good || head_bytes > sizeof(copy))
        return -ENOMEM;
    memcpy(copy, text + rows_bytes, head_bytes);
    memmove(text + head_bytes, text, rows_bytes);
    memcpy(text, copy, head_bytes);
    return 0;
}

static int write_end(struct walk *walk, st_history_more_fn more)
{
    json_t *list = conditions(walk->sql, walk->used),
           *watched = st_history_read_watched(walk->sql, walk->since_ns, walk->until_ns),
           *changes = st_history_changes(walk->sql),
           *end = json_pack("{s:o, s:o, s:o}", "conditions", list, "watched", watched, "changes", changes);
    int r = walk->sql->r;
    if (r == 0 && end != NULL && more != NULL)
        r = more(walk->reader, walk->since_ns, walk->until_ns, end);
    const bool good =
        end != NULL && r == 0 && st_json_write("],", 2, &walk->writing) == 0 &&
        json_dump_callback(end, st_json_write, &walk->writing, JSON_COMPACT | JSON_EMBED) == 0 &&
        st_json_write("}", 1, &walk->writing) == 0;
    json_decref(end);
    return good ? 0 : r < 0 ? r : -ENOMEM;
}

int st_history_read_text(struct st_history_reader *reader, const struct st_history_span *span,
                         st_history_more_fn more, char **ret)
{
    struct st_sql *sql = &reader->sql;
    struct walk walk = {.reader = reader, .sql = sql, .used = json_array(), .until_ns = span->until_ns};
    /* the end of the file or of the request, whichever is later */
    walk.end_ns = ST_MAX(st_sql_number(sql, INT64_MAX,
                                       "SELECT to_ns FROM span WHERE level = ? ORDER BY from_ns DESC LIMIT 1",
                                       "i", ST_HISTORY_MINUTE),
                         span->until_ns);
    const int64_t step_ns = choose_step(&walk, span);
    walk_all(&walk, floor_to(span->since_ns, step_ns), span->until_ns, step_ns);
    if (span->until_ns > st_ns_add(walk.at_ns, step_ns == MINUTE_NS ? 2 * MINUTE_NS : 0))
        append_gap(&walk, span->until_ns);
    int r = sql->r < 0 ? sql->r : write_head(&walk, step_ns);
    if (r == 0)
        r = write_end(&walk, more);
    free(walk.group.first);
    json_decref(walk.used);
    if (r == 0)
        *ret = walk.writing.text;
    else
        free(walk.writing.text);
    return r;
}
