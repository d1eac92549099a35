/* The changes of the computer in a history, and whether dropouts changed with them. */
#include "core/text/json.h"
#include "evidence/since.h"
#include "store/history/history_private.h"

#define CHANGES_MAX 64                   /* changes in an answer, the latest ones */
#define WHAT_MAX    20                   /* facts listed for one change */
#define RUNS_MAX    20000                /* times of playing that are read: the latest ones */
#define PAUSE_NS    (1800 * ST_NS_PER_S) /* a session of playing ends with a longer pause */

/* --- writing --- */

#define LAST "(SELECT kind, name, value, max(id) FROM fact GROUP BY kind, name)"

void st_history_add_facts(struct st_history *history, int64_t from_ns, int64_t wall_ns,
                          const struct st_history_fact *facts, size_t facts_n)
{
    struct st_sql *sql = &history->sql;
    st_sql_exec(sql, "CREATE TEMP TABLE IF NOT EXISTS seen (kind TEXT, name TEXT, value TEXT, "
                     "UNIQUE (kind, name));DELETE FROM temp.seen");
    ST_EACH_OF (fact, facts, facts_n)
        st_sql_run(sql, "INSERT OR IGNORE INTO temp.seen VALUES (?, ?, ?)", "ttt", fact->kind,
                   fact->name, fact->value);
    const int64_t number = st_sql_number(sql, 1, "SELECT max(change_n) + 1 FROM fact", "");
    st_sql_run(sql,
               "INSERT INTO fact (from_ns, at_ns, change_n, kind, name, value, was) SELECT ?1, ?2, "
               "CASE WHEN kind IN (SELECT kind FROM fact) THEN ?3 ELSE 0 END, kind, name, "
               "seen.value, last.value FROM temp.seen LEFT JOIN " LAST
               " AS last USING (kind, name) WHERE seen.value IS NOT last.value ORDER BY seen.rowid",
               "iii", from_ns, wall_ns, number);
    /* Adds a row with the value NULL for each file or package that is gone. If no file (or no
     * package) was found at all, they could not be read, so none is marked as gone. */
    st_sql_run(sql,
               "INSERT INTO fact (from_ns, at_ns, change_n, kind, name, value, was) SELECT ?1, ?2, "
               "?3, kind, name, NULL, value FROM " LAST
               " WHERE value IS NOT NULL AND kind IN ('file', 'package') AND kind IN (SELECT kind "
               "FROM temp.seen) AND (kind, name) NOT IN (SELECT kind, name FROM temp.seen)",
               "iii", from_ns, wall_ns, number);
}

/* --- reading --- */

struct changes {
    struct st_since_change changes[CHANGES_MAX];
    size_t n;
    struct st_since_session sessions[RUNS_MAX];
    size_t sessions_n;
};

static void read_facts(struct st_sql *sql, struct changes *changes, json_t *list)
{
    int64_t number, from_ns, at_ns;
    sqlite3_stmt *rows = st_sql_rows(
        sql,
        "SELECT change_n, from_ns, at_ns, kind, name, was AS before, value AS now FROM fact WHERE "
        "typeof(change_n) = 'integer' AND change_n > 0 AND change_n > (SELECT max(change_n) FROM "
        "fact WHERE typeof(change_n) = 'integer') - ? ORDER BY change_n, id",
        "i", (int64_t)CHANGES_MAX);
    while (st_sql_next(sql, rows, "iii", &number, &from_ns, &at_ns)) {
        struct st_since_change *last = changes->n > 0 ? &changes->changes[changes->n - 1] : NULL;
        if (last == NULL || last->number != number) {
            if (last != NULL && at_ns < last->at_ns)
                continue; /* the clock was set back before this change, so it is left out */
            (void)json_array_append_new(
                list, st_json_object("from_ns:i at_ns:i what:o", from_ns, at_ns, json_array()));
            last = &changes->changes[changes->n++];
            *last = (struct st_since_change){.from_ns = from_ns, .at_ns = at_ns, .number = number};
        }
        json_t *what = json_object_get(json_array_get(list, changes->n - 1), "what");
        if (json_array_size(what) < WHAT_MAX)
            (void)json_array_append_new(what, st_history_read_object(rows, 3));
    }
}

/* Reads the sessions: times in which one program played with one buffer size, without a long pause.
 * Uses only the source that was watched longest while something played, since several sources see
 * the same music. */
static const char sessions[] =
    "WITH run AS (SELECT dense_rank() OVER (ORDER BY frames, rate_hz, client) AS kind, from_ns, "
    "to_ns, (SELECT sum(" ST_HISTORY_DROPOUTS_N ") FROM main.event WHERE" ST_HISTORY_DROPOUT
    " AND event.source = w.source AND wall_ns > from_ns AND wall_ns <= to_ns AND count_n > 0) AS "
    "dropouts_n FROM main.watch AS w WHERE playing IS NOT 0 AND frames > 0 AND rate_hz > 0 AND "
    "to_ns > from_ns AND source = (SELECT source FROM main.watch WHERE playing IS NOT 0 AND frames "
    "> 0 GROUP BY source ORDER BY total(to_ns - from_ns) DESC LIMIT 1) ORDER BY from_ns DESC LIMIT "
    "?), "
    "part AS (SELECT *, lag(to_ns) OVER (PARTITION BY kind ORDER BY from_ns) AS last_ns FROM run), "
    "numbered AS (SELECT *, sum(last_ns IS NULL OR from_ns - last_ns > ? OR EXISTS (SELECT 1 FROM "
    "fact WHERE change_n > 0 AND at_ns >= last_ns AND fact.from_ns <= part.from_ns)) OVER "
    "(PARTITION BY kind ORDER BY from_ns) AS number FROM part) SELECT min(from_ns) AS first_ns, "
    "max(to_ns), CAST(total(to_ns - from_ns) AS INTEGER), kind, total(dropouts_n) FROM numbered "
    "GROUP BY kind, number ORDER BY first_ns";

static void read_sessions(struct st_sql *sql, struct changes *changes)
{
    struct st_since_session *session = changes->sessions;
    sqlite3_stmt *rows = st_sql_rows(sql, sessions, "ii", (int64_t)RUNS_MAX, PAUSE_NS);
    while (st_sql_next(sql, rows, "iiiia", &session->from_ns, &session->to_ns, &session->played_ns,
                       &session->kind, &session->dropouts_n))
        session++;
    changes->sessions_n = (size_t)(session - changes->sessions);
}

static json_t *side_json(const struct st_since_side *side)
{
    return st_json_object("sessions:i playing_ns:i dropouts:i", (int64_t)side->sessions_n,
                          side->played_ns, side->dropouts_n);
}

static void add_verdicts(const struct changes *changes, json_t *list)
{
    for (size_t i = 0; i < changes->n; i++) {
        const struct st_since_change *change = &changes->changes[i];
        json_t *object = json_array_get(list, i);
        const char *verdict = change->worse ? "worse" : "better";
        if (change->looks == 0)
            verdict = "too-short";
        else if (!change->found)
            verdict = "none";
        st_json_add(object, "verdict:t before:o since:o", verdict, side_json(&change->before),
                    side_json(&change->since));
    }
}

json_t *st_history_read_changes(struct st_history_reader *reader)
{
    struct st_sql *sql = &reader->sql;
    struct changes *changes = calloc(1, sizeof(*changes));
    json_t *list = json_array();
    if (changes != NULL && list != NULL)
        read_facts(sql, changes, list);
    else
        sql->r = -ENOMEM;
    if (sql->r == 0 && changes->n > 0) {
        /* Takes the end of the newest row of `watch` as the current time: sleeptuned writes such a
         * row each minute. */
        const int64_t now_ns =
            st_sql_number(sql, INT64_MIN, "SELECT max(to_ns) FROM main.watch", "");
        read_sessions(sql, changes);
        if (sql->r == 0)
            sql->r = st_since_judge(changes->sessions, changes->sessions_n, changes->changes,
                                    changes->n, now_ns);
    }
    if (sql->r == 0)
        add_verdicts(changes, list);
    free(changes);
    return list;
}
