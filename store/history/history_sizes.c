/* How long each buffer size ran in a history while something played, and what it cost. */
#include <math.h>
#include <string.h>

#include "core/ns.h"
#include "store/history/history_private.h"

#define EPISODE_NS (ST_HISTORY_EPISODE_S * ST_NS_PER_S)

struct walk {
    struct st_history_sizes *sizes;
    int64_t since_ns, until_ns;
    sqlite3_stmt *statement;
    bool has_run;                 /* below is a run, not the end of them */
    struct st_history_run run;    /* of the size that ran */
    struct st_history_size *size; /* of the run; NULL: no room for one more */
};

static struct st_history_size *find(struct st_history_sizes *sizes, const char *source, int64_t frames,
                                    int64_t rate_hz)
{
    for (size_t i = 0; i < sizes->n; i++) {
        struct st_history_size *size = &sizes->sizes[i];
        if (size->frames == frames && size->rate_hz == rate_hz && strcmp(size->source, source) == 0)
            return size;
    }
    return NULL;
}

static struct st_history_size *find_or_add(struct st_history_sizes *sizes, const struct st_history_run *run)
{
    struct st_history_size *size = find(sizes, run->source, run->frames, run->rate_hz);
    if (size != NULL || sizes->n == ST_HISTORY_SIZES_MAX)
        return size;
    size = &sizes->sizes[sizes->n++];
    *size = (struct st_history_size){
        .frames = run->frames, .rate_hz = run->rate_hz, .episode_wall_ns = INT64_MIN};
    ST_PRINT(size->source, "%s", run->source);
    return size;
}

/* @return 0 or an error. */
static int next_run(struct walk *walk)
{
    struct st_history_run *run = &walk->run;
    const int r = st_history_sql_step(walk->statement);
    walk->has_run = r == 1;
    if (r != 1)
        return r;
    st_history_sql_text(walk->statement, 0, run->source, sizeof(run->source));
    run->from_wall_ns = st_history_sql_int(walk->statement, 1);
    run->to_wall_ns = st_history_sql_int(walk->statement, 2);
    run->frames = st_history_sql_int(walk->statement, 3);
    run->rate_hz = st_history_sql_int(walk->statement, 4);
    if (run->from_wall_ns < walk->since_ns)
        run->from_wall_ns = walk->since_ns;
    if (run->to_wall_ns > walk->until_ns)
        run->to_wall_ns = walk->until_ns;
    walk->size = find_or_add(walk->sizes, run);
    if (walk->size != NULL && run->to_wall_ns > run->from_wall_ns)
        walk->size->playing_ns =
            st_ns_add(walk->size->playing_ns, st_ns_sub(run->to_wall_ns, run->from_wall_ns));
    if (walk->sizes->runs_n < ST_HISTORY_RUNS_MAX)
        walk->sizes->runs[walk->sizes->runs_n] = *run;
    walk->sizes->runs_n++;
    return 0;
}

/* The size in the minute of a change is that at its end: the period of the dropout itself says more. */
static struct st_history_size *size_of(const struct walk *walk, int64_t period_ns)
{
    const struct st_history_run *run = &walk->run;
    const double frames = round((double)period_ns * (double)run->rate_hz / 1e9);
    struct st_history_size *own = NULL;
    if (frames > 0 && frames < INT32_MAX)
        own = find(walk->sizes, run->source, (int64_t)frames, run->rate_hz);
    return own != NULL ? own : walk->size;
}

static void count(struct st_history_size *size, int64_t wall_ns, int64_t span_ns, int64_t n)
{
    const int64_t from_ns = st_ns_sub(wall_ns, span_ns);
    const int64_t parts_n = span_ns > 0 ? 1 + (span_ns - 1) / EPISODE_NS : 1;
    size->dropouts_n = st_ns_add(size->dropouts_n, n);
    if (size->episode_wall_ns != INT64_MIN && st_ns_sub(from_ns, size->episode_wall_ns) < EPISODE_NS)
        return;
    size->episodes_n += parts_n < n ? parts_n : n;
    size->episode_wall_ns = st_ns_sub(wall_ns, span_ns < EPISODE_NS ? span_ns : 0);
}

/* Runs and dropouts of one source after the other, both by time. */
static int walk_dropouts(struct walk *walk, sqlite3_stmt *dropouts)
{
    char source[sizeof(walk->run.source)];
    int r = next_run(walk);
    while (r == 0 && (r = st_history_sql_step(dropouts)) == 1) {
        const int64_t wall_ns = st_history_sql_int(dropouts, 1);
        int64_t span_ns = st_history_sql_int(dropouts, 2);
        span_ns = span_ns > 0 && span_ns < 3600 * ST_NS_PER_S ? span_ns : 0;
        st_history_sql_text(dropouts, 0, source, sizeof(source));
        r = 0;
        while (r == 0 && walk->has_run &&
               (strcmp(walk->run.source, source) < 0 ||
                (strcmp(walk->run.source, source) == 0 &&
                 st_ns_add(walk->run.to_wall_ns, ST_HISTORY_WATCH_JOIN_NS) < wall_ns)))
            r = next_run(walk);
        if (r < 0 || !walk->has_run || strcmp(walk->run.source, source) != 0 ||
            st_ns_sub(walk->run.from_wall_ns, ST_HISTORY_WATCH_JOIN_NS) > wall_ns)
            continue; /* at no size that is known */
        struct st_history_size *size = size_of(walk, st_history_sql_int(dropouts, 4));
        if (size != NULL)
            count(size, wall_ns, span_ns, st_history_sql_int(dropouts, 3));
    }
    while (r == 0 && walk->has_run)
        r = next_run(walk);
    return r;
}

int st_history_read_sizes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                          struct st_history_sizes *ret)
{
    sqlite3_stmt *dropouts;
    struct walk walk = {
        .sizes = ret, .since_ns = since_ns, .until_ns = until_ns != INT64_MIN ? until_ns : INT64_MAX};
    ret->n = ret->runs_n = 0;
    int r = st_history_sql_prepare(reader->db, &walk.statement,
                                   "SELECT source, from_ns, to_ns, frames, rate_hz FROM"
                                   " (SELECT * FROM main.watch UNION ALL SELECT * FROM temp.watch) WHERE"
                                   " frames > 0 AND rate_hz > 0 AND playing IS NOT 0 AND to_ns > ? AND"
                                   " from_ns < ? ORDER BY source, to_ns",
                                   "ii", walk.since_ns, walk.until_ns);
    if (r < 0)
        return r;
    r = st_history_sql_prepare(
        reader->db, &dropouts,
        "SELECT source, wall_ns, span_ns, min(count_n, 1000000000), period_ns FROM event"
        " WHERE kind IN (?, ?) AND wall_ns >= ? AND wall_ns < ? AND count_n > 0 ORDER BY source, wall_ns",
        "ttii", st_event_kind_name(ST_EVENT_DEVICE_XRUN), st_event_kind_name(ST_EVENT_CLIENT_DROPOUT),
        walk.since_ns, walk.until_ns);
    if (r == 0) {
        r = walk_dropouts(&walk, dropouts);
        sqlite3_finalize(dropouts);
    }
    sqlite3_finalize(walk.statement);
    return r;
}
