#include "store/history/history_predict.h"

#include "core/ns.h"
#include "store/history/history_private.h"

#define KEPT_PART  4 /* of a period: most minutes of a good machine need not be uncompressed */
#define DAY_NS     (ST_HISTORY_DAY * ST_NS_PER_S)
#define FRAMES_MAX (1 << 22) /* of st_period_init */

/* The settings of the newest minute. @return their id. */
static int read_settings(sqlite3 *db, struct st_predict_run *run, int64_t *ret)
{
    sqlite3_stmt *statement;
    struct st_period period;
    int64_t frames = 0, rate_hz = 0;
    int r = st_history_sql_prepare(db, &statement,
                                   "SELECT c.id, c.frames, c.rate_hz FROM span"
                                   " JOIN conditions AS c"
                                   " ON c.id = conditions WHERE level = ? ORDER BY from_ns DESC LIMIT 1",
                                   "i", ST_HISTORY_MINUTE);
    if (r == 0 && (r = st_history_sql_step(statement)) == 1)
        st_history_sql_row(statement, "iii", ret, &frames, &rate_hz);
    sqlite3_finalize(statement);
    if (r < 0)
        return r;
    if (frames <= 0 || frames > FRAMES_MAX || rate_hz <= 0 || rate_hz > FRAMES_MAX ||
        st_period_init(&period, (uint32_t)frames, (uint32_t)rate_hz) < 0)
        return -ENODATA;
    return st_predict_begin(run, &period, (uint32_t)frames, (uint32_t)rate_hz);
}

static int take_minute(struct st_predict_run *run, sqlite3_stmt *statement, struct st_history_sum *sum,
                       struct st_history_predict *ret)
{
    int64_t from_ns, to_ns, measured_ns, max_ns;
    st_history_sql_row(statement, "iiii", &from_ns, &to_ns, &measured_ns, &max_ns);
    if (measured_ns <= 0 || measured_ns > DAY_NS)
        return measured_ns == 0 ? 0 : -EBADMSG;
    ret->since_ns = ret->since_ns == INT64_MIN ? from_ns : ret->since_ns;
    ret->until_ns = to_ns;
    st_hist_reset(&sum->hist);
    const bool late = max_ns > run->kept_above_ns;
    const int r = late ? st_history_sum_add(sum, sqlite3_column_blob(statement, 4),
                                            (size_t)sqlite3_column_bytes(statement, 4))
                       : 0;
    if (r == 0)
        st_predict_add_span(run, st_period_index_at(&run->period, 0, measured_ns), max_ns,
                            late ? &sum->hist : NULL);
    return r;
}

int st_history_predict(struct st_history_reader *reader, struct st_predict_run *ret_run,
                       struct st_history_predict *ret)
{
    struct st_history_sum sum = {0}; /* 2 digits: a quarter of the time that 3 take */
    sqlite3_stmt *statement = NULL;
    int64_t settings = 0;
    *ret_run = (struct st_predict_run){0};
    *ret = (struct st_history_predict){.since_ns = INT64_MIN, .until_ns = INT64_MIN};
    int r = read_settings(reader->db, ret_run, &settings);
    if (r < 0)
        return r;
    ret_run->kept_above_ns = st_period_ns(&ret_run->period) / KEPT_PART;
    r = st_history_sql_number(reader->db, &ret->other_ns,
                              "SELECT CAST(total(measured_ns) AS INTEGER) FROM span"
                              " WHERE level = ? AND conditions IS NOT ?",
                              "ii", ST_HISTORY_MINUTE, settings);
    if (r == 0)
        r = st_history_sum_init(&sum, ST_HISTORY_DIGITS);
    if (r == 0)
        r = st_history_sql_prepare(reader->db, &statement,
                                   "SELECT from_ns, to_ns, measured_ns, lateness_max_ns, lateness FROM span"
                                   " WHERE level = ?1 AND conditions = ?2 AND from_ns NOT IN"
                                   " (SELECT from_ns FROM cause WHERE cause = ?3) ORDER BY from_ns, id",
                                   "iit", ST_HISTORY_MINUTE, settings, st_cause_kind_name(ST_CAUSE_STOPPED));
    while (r == 0 && (r = st_history_sql_step(statement)) == 1)
        r = take_minute(ret_run, statement, &sum, ret);
    sqlite3_finalize(statement);
    st_history_sum_finish(&sum);
    return r;
}
