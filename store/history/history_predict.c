#include "store/history/history_predict.h"

#include "core/ns.h"
#include "store/history/history_private.h"

#define KEPT_PART  4 /* of a period: most minutes of a good machine need not be uncompressed */
#define HOUR_NS    (ST_HISTORY_HOUR * ST_NS_PER_S)
#define DAY_NS     (ST_HISTORY_DAY * ST_NS_PER_S)
#define FRAMES_MAX (1 << 22) /* of st_period_init */

struct reading {
    struct st_history_sum minute; /* 2 digits: a quarter of the time that 3 take */
    struct st_history_reader *reader;
    struct st_predict_run *run;
    struct st_history_predict *ret;
    int64_t settings; /* id of the conditions */
};

/* The settings of the newest minute. */
static int read_settings(struct reading *reading)
{
    sqlite3_stmt *statement;
    struct st_predict_run *run = reading->run;
    int r = st_history_sql_prepare(reading->reader->db, &statement,
                                   "SELECT c.id, c.frames, c.rate_hz FROM span"
                                   " JOIN conditions AS c"
                                   " ON c.id = conditions WHERE level = ? ORDER BY from_ns DESC LIMIT 1",
                                   "i", ST_HISTORY_MINUTE);
    if (r < 0)
        return r;
    r = st_history_sql_step(statement);
    if (r == 1) {
        int64_t frames, rate_hz;
        struct st_period period;
        st_history_sql_row(statement, "iii", &reading->settings, &frames, &rate_hz);
        r = frames > 0 && frames <= FRAMES_MAX && rate_hz > 0 && rate_hz <= FRAMES_MAX ? 0 : -ENODATA;
        if (r == 0 && st_period_init(&period, (uint32_t)frames, (uint32_t)rate_hz) < 0)
            r = -ENODATA;
        if (r == 0)
            r = st_predict_begin(run, &period, (uint32_t)frames, (uint32_t)rate_hz);
    } else if (r == 0) {
        r = -ENODATA;
    }
    sqlite3_finalize(statement);
    return r;
}

static void widen(int64_t *since_ns, int64_t *until_ns, int64_t from_ns, int64_t to_ns)
{
    *since_ns = *since_ns == INT64_MIN || from_ns < *since_ns ? from_ns : *since_ns;
    *until_ns = to_ns > *until_ns ? to_ns : *until_ns;
}

static int take_span(struct reading *reading, sqlite3_stmt *statement, struct st_history_sum *sum)
{
    struct st_history_predict *ret = reading->ret;
    int64_t from_ns, to_ns, measured_ns, settings, max_ns;
    st_history_sql_row(statement, "iiiii", &from_ns, &to_ns, &measured_ns, &settings, &max_ns);
    if (measured_ns <= 0 || measured_ns > DAY_NS)
        return measured_ns == 0 ? 0 : -EBADMSG;
    if (settings != reading->settings) {
        ret->other_ns = st_ns_add(ret->other_ns, measured_ns);
        widen(&ret->other_since_ns, &ret->other_until_ns, from_ns, to_ns);
        return 0;
    }
    widen(&ret->since_ns, &ret->until_ns, from_ns, to_ns);
    const struct st_hist *lateness = NULL;
    if (max_ns > reading->run->kept_above_ns) {
        st_hist_reset(&sum->hist);
        const int r = st_history_sum_add(sum, sqlite3_column_blob(statement, 5),
                                         (size_t)sqlite3_column_bytes(statement, 5));
        if (r < 0)
            return r;
        lateness = &sum->hist;
    }
    st_predict_add_span(reading->run, st_period_index_at(&reading->run->period, 0, measured_ns), max_ns,
                        lateness);
    return 0;
}

static int read_level(struct reading *reading, int64_t level, int64_t until_ns, struct st_history_sum *sum)
{
    sqlite3_stmt *statement;
    int r = st_history_sql_prepare(
        reading->reader->db, &statement,
        "SELECT from_ns, to_ns, measured_ns, conditions, lateness_max_ns, lateness"
        " FROM span WHERE level = ? AND from_ns < ?"
        " AND from_ns NOT IN (SELECT from_ns FROM cause WHERE cause = ?) ORDER BY from_ns, id",
        "iit", level, until_ns, st_cause_kind_name(ST_CAUSE_STOPPED));
    if (r < 0)
        return r;
    while ((r = st_history_sql_step(statement)) == 1 && (r = take_span(reading, statement, sum)) == 0)
        ;
    sqlite3_finalize(statement);
    return r;
}

int st_history_predict(struct st_history_reader *reader, struct st_predict_run *ret_run,
                       struct st_history_predict *ret)
{
    int64_t minutes_ns = 0;
    struct reading reading = {.reader = reader, .run = ret_run, .ret = ret};
    *ret_run = (struct st_predict_run){0};
    *ret = (struct st_history_predict){.since_ns = INT64_MIN,
                                       .until_ns = INT64_MIN,
                                       .other_since_ns = INT64_MIN,
                                       .other_until_ns = INT64_MIN};
    int r = read_settings(&reading);
    if (r < 0)
        return r;
    ret_run->kept_above_ns = st_period_ns(&ret_run->period) / KEPT_PART;
    r = st_history_sql_oldest(reader->db, ST_HISTORY_MINUTE, &minutes_ns);
    if (r == 0)
        r = st_history_sum_init(&reading.minute, ST_HISTORY_DIGITS);
    if (r == 0)
        r = read_level(&reading, ST_HISTORY_HOUR, minutes_ns - (minutes_ns % HOUR_NS + HOUR_NS) % HOUR_NS,
                       &reader->sum);
    if (r == 0)
        r = read_level(&reading, ST_HISTORY_MINUTE, INT64_MAX, &reading.minute);
    st_history_sum_finish(&reading.minute);
    return r;
}
