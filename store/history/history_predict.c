#include "store/history/history_predict.h"

#include "store/history/hist_deflate.h"
#include "store/history/history_private.h"

/* 1 / KEPT_PART of a period: only wake-ups that are later than this are used. Most minutes of a
 * good machine have none, so their histograms need not be uncompressed */
#define KEPT_PART  4
#define FRAMES_MAX (1 << 22) /* largest values that st_period_init takes */

/* Settings of the newest minute. */
#define SETTINGS "(SELECT conditions FROM span WHERE level = ?1 ORDER BY from_ns DESC LIMIT 1)"

static int begin(struct st_predict_run *run, int64_t frames, int64_t rate_hz)
{
    struct st_period period;
    if (frames <= 0 || frames > FRAMES_MAX || rate_hz <= 0 || rate_hz > FRAMES_MAX ||
        st_period_init(&period, (uint32_t)frames, (uint32_t)rate_hz) < 0)
        return -ENODATA;
    const int r = st_predict_begin(run, &period, (uint32_t)frames, (uint32_t)rate_hz);
    run->kept_above_ns = st_period_ns(&run->period) / KEPT_PART;
    return r;
}

int st_history_predict(struct st_history_reader *reader, struct st_predict_run *run,
                       struct st_history_predict *ret)
{
    struct st_sql *sql = &reader->sql;
    struct st_hist lateness = {0};
    uint8_t *plain = NULL; /* room for an uncompressed histogram */
    int64_t from_ns, measured_ns, max_ns, frames, rate_hz;
    *run = (struct st_predict_run){0};
    *ret = (struct st_history_predict){0};
    ret->other_ns = st_sql_number(sql, 0,
                                  "SELECT CAST(total(measured_ns) AS INTEGER) FROM span WHERE "
                                  "level = ?1 AND conditions IS NOT " SETTINGS,
                                  "i", ST_HISTORY_MINUTE);
    sqlite3_stmt *rows = st_sql_rows(
        sql,
        "SELECT from_ns, to_ns, measured_ns, lateness_max_ns, c.frames, c.rate_hz, lateness FROM "
        "span JOIN conditions AS c ON c.id = conditions WHERE level = ?1 AND conditions = " SETTINGS
        " AND measured_ns <> 0 AND from_ns NOT IN (SELECT from_ns FROM cause WHERE cause = ?2) "
        "ORDER BY from_ns, span.id",
        "it", ST_HISTORY_MINUTE, st_cause_kind_name(ST_CAUSE_STOPPED));
    if (sql->r == 0)
        sql->r = st_hist_init(&lateness, ST_HISTORY_DIGITS);
    if (sql->r == 0 && (plain = malloc(st_hist_deflate_room(&lateness))) == NULL)
        sql->r = -ENOMEM;
    while (st_sql_next(sql, rows, "iiiiii", &from_ns, &ret->until_ns, &measured_ns, &max_ns,
                       &frames, &rate_hz)) {
        if (measured_ns <= 0 || measured_ns > ST_NS_PER_DAY)
            sql->r = -EBADMSG;
        else if (run->frames == 0) {
            ret->since_ns = from_ns;
            sql->r = begin(run, frames, rate_hz);
        }
        st_hist_reset(&lateness);
        const bool late = max_ns > run->kept_above_ns;
        if (sql->r == 0 && late)
            sql->r = st_hist_deflate_undo(&lateness, sqlite3_column_blob(rows, 6),
                                          (size_t)sqlite3_column_bytes(rows, 6), plain);
        if (sql->r == 0)
            st_predict_add_span(run, st_period_index_at(&run->period, 0, measured_ns), max_ns,
                                late ? &lateness : NULL);
    }
    st_hist_finish(&lateness);
    free(plain);
    return sql->r == 0 && run->frames == 0 ? -ENODATA : sql->r;
}
