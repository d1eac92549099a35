/* What changed on the computer, and whether dropouts changed with it. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "evidence/since.h"
#include "store/history/history_private.h"

#define CHANGES_MAX 64                   /* the last ones */
#define WHAT_MAX    20                   /* of one change */
#define RUNS_MAX    20000                /* further ones are left out */
#define PAUSE_NS    (1800 * ST_NS_PER_S) /* a shorter one does not end a session */

/* --- writing --- */

#define LAST "(SELECT kind, name, value, max(id) FROM fact GROUP BY kind, name)"

int st_history_add_facts(struct st_history *history, int64_t from_ns, int64_t wall_ns,
                         const struct st_history_fact *facts, size_t facts_n)
{
    sqlite3 *db = history->db;
    int64_t number = 1;
    int r = st_history_sql_run(
        db, "CREATE TEMP TABLE IF NOT EXISTS seen (kind TEXT, name TEXT, value TEXT, UNIQUE (kind, name))",
        "");
    if (r == 0)
        r = st_history_sql_run(db, "DELETE FROM temp.seen", "");
    for (size_t i = 0; r == 0 && i < facts_n; i++)
        r = st_history_sql_run(db, "INSERT OR IGNORE INTO temp.seen VALUES (?, ?, ?)", "ttt", facts[i].kind,
                               facts[i].name, facts[i].value);
    if (r == 0)
        r = st_history_sql_number(db, &number, "SELECT max(change_n) + 1 FROM fact", "");
    if (r == 0)
        r = st_history_sql_run(
            db,
            "INSERT INTO fact (from_ns, at_ns, change_n, kind, name, value, was)"
            " SELECT ?1, ?2, CASE WHEN kind IN (SELECT kind FROM fact) THEN ?3 ELSE 0 END, kind,"
            " name, seen.value, last.value FROM temp.seen LEFT JOIN " LAST
            " AS last USING (kind, name) WHERE seen.value IS NOT last.value ORDER BY seen.rowid",
            "iii", from_ns, wall_ns, number);
    if (r == 0) /* where none of a kind is seen, it could not be read */
        r = st_history_sql_run(db,
                               "INSERT INTO fact (from_ns, at_ns, change_n, kind, name, value, was)"
                               " SELECT ?1, ?2, ?3, kind, name, NULL, value FROM " LAST
                               " WHERE value IS NOT NULL AND kind IN ('file', 'package') AND kind IN"
                               " (SELECT kind FROM temp.seen) AND (kind, name) NOT IN"
                               " (SELECT kind, name FROM temp.seen)",
                               "iii", from_ns, wall_ns, number);
    return r;
}

/* --- reading --- */

struct changes {
    struct st_since_change changes[CHANGES_MAX];
    size_t n;
    struct st_since_session sessions[RUNS_MAX];
    size_t sessions_n;
};

static int read_facts(sqlite3 *db, struct changes *changes, json_t *list)
{
    sqlite3_stmt *rows;
    int r = st_history_sql_prepare(db, &rows,
                                   "SELECT change_n, from_ns, at_ns, kind, name, was AS before, value AS now "
                                   "FROM fact WHERE change_n > 0 AND change_n >"
                                   " (SELECT max(change_n) FROM fact) - ? ORDER BY change_n, id",
                                   "i", (int64_t)CHANGES_MAX);
    while (r >= 0 && (r = st_history_sql_step(rows)) == 1) {
        int64_t number, from_ns, at_ns;
        st_history_sql_row(rows, "iii", &number, &from_ns, &at_ns);
        struct st_since_change *last = changes->n > 0 ? &changes->changes[changes->n - 1] : NULL;
        if (last == NULL || last->number != number) {
            if (last != NULL && at_ns < last->at_ns)
                continue; /* the clock was set back */
            (void)json_array_append_new(list, json_pack("{s:I, s:I, s:[]}", "from_ns", (json_int_t)from_ns,
                                                        "at_ns", (json_int_t)at_ns, "what"));
            last = &changes->changes[changes->n++];
            *last = (struct st_since_change){.from_ns = from_ns, .at_ns = at_ns, .number = number};
        }
        json_t *what = json_object_get(json_array_get(list, changes->n - 1), "what");
        if (json_array_size(what) < WHAT_MAX)
            (void)json_array_append_new(what, st_history_read_object(rows, 3));
    }
    sqlite3_finalize(rows);
    return r;
}

/* On the source that was watched longest while something played: two sources see the same music. A session of
 * a program and buffer size ends with a pause, or with a change. */
static const char sessions[] =
    "WITH run AS (SELECT dense_rank() OVER (ORDER BY frames, rate_hz, client) AS kind, from_ns, to_ns,"
    " (SELECT sum(" ST_HISTORY_DROPOUTS_N ") FROM main.event WHERE" ST_HISTORY_DROPOUT
    " AND event.source = w.source AND wall_ns > from_ns AND wall_ns <= to_ns AND count_n > 0) AS dropouts_n"
    " FROM main.watch AS w WHERE playing IS NOT 0 AND frames > 0 AND rate_hz > 0 AND to_ns > from_ns"
    " AND source = (SELECT source FROM main.watch WHERE playing IS NOT 0 AND frames > 0"
    " GROUP BY source ORDER BY total(to_ns - from_ns) DESC LIMIT 1) ORDER BY from_ns LIMIT ?),"
    " part AS (SELECT *, lag(to_ns) OVER (PARTITION BY kind ORDER BY from_ns) AS last_ns FROM run),"
    " numbered AS (SELECT *, sum(last_ns IS NULL OR from_ns - last_ns > ? OR EXISTS (SELECT 1 FROM fact"
    " WHERE change_n > 0 AND at_ns >= last_ns AND fact.from_ns <= part.from_ns))"
    " OVER (PARTITION BY kind ORDER BY from_ns) AS number FROM part)"
    " SELECT min(from_ns) AS first_ns, max(to_ns), CAST(total(to_ns - from_ns) AS INTEGER), kind,"
    " total(dropouts_n) FROM numbered GROUP BY kind, number ORDER BY first_ns";

static int read_sessions(sqlite3 *db, struct changes *changes)
{
    sqlite3_stmt *rows;
    int r = st_history_sql_prepare(db, &rows, sessions, "ii", (int64_t)RUNS_MAX, PAUSE_NS);
    while (r >= 0 && (r = st_history_sql_step(rows)) == 1) {
        struct st_since_session *session = &changes->sessions[changes->sessions_n++];
        st_history_sql_row(rows, "iiiia", &session->from_ns, &session->to_ns, &session->played_ns,
                           &session->kind, &session->dropouts_n);
    }
    sqlite3_finalize(rows);
    return r;
}

static json_t *side_json(const struct st_since_side *side)
{
    return json_pack("{s:I, s:I, s:I}", "sessions", (json_int_t)side->sessions_n, "playing_ns",
                     (json_int_t)side->played_ns, "dropouts", (json_int_t)side->dropouts_n);
}

static void add_verdicts(const struct changes *changes, json_t *list)
{
    for (size_t i = 0; i < changes->n; i++) {
        const struct st_since_change *change = &changes->changes[i];
        json_t *object = json_array_get(list, i);
        const char *verdict = change->looks == 0 ? "too-short"
                              : !change->found   ? "none"
                              : change->worse    ? "worse"
                                                 : "better";
        st_json_set(object, "verdict", verdict);
        st_json_set(object, "before", side_json(&change->before));
        st_json_set(object, "since", side_json(&change->since));
    }
}

int st_history_read_changes(struct st_history_reader *reader, json_t **ret)
{
    struct changes *changes = calloc(1, sizeof(*changes));
    json_t *list = json_array();
    int64_t now_ns = INT64_MIN; /* sleeptuned writes what it watches each minute */
    int r = changes != NULL && list != NULL ? read_facts(reader->db, changes, list) : -ENOMEM;
    if (r == 0 && changes->n > 0)
        r = st_history_sql_number(reader->db, &now_ns, "SELECT max(to_ns) FROM main.watch", "");
    if (r == 0 && changes->n > 0)
        r = read_sessions(reader->db, changes);
    if (r == 0 && changes->n > 0)
        r = st_since_judge(changes->sessions, changes->sessions_n, changes->changes, changes->n, now_ns);
    if (r == 0) {
        add_verdicts(changes, list);
        *ret = json_incref(list);
    }
    json_decref(list);
    free(changes);
    return r;
}
