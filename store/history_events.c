/* Events of a history. */
#include <stdio.h>

#include "lib/ns.h"
#include "store/event.h"
#include "store/history_reader.h"

#define COLUMNS                                                                                              \
    "id, wall_ns, name, text, source, device, client, certainty, count_n, lateness_ns, explained_ns, cause," \
    " culprit"
/* since version 3 */
#define CIRCUMSTANCES                                                                                        \
    ", pressure_cpu_permille, pressure_io_permille, pressure_memory_permille, cpu_khz, throttles_n,"         \
    " temperature_mc"
#define COLUMNS_N 13

static json_t *event_json(sqlite3_stmt *statement)
{
    struct st_event event = {.wall_ns = st_sql_int(statement, 1),
                             .count_n = st_sql_int(statement, 8),
                             .lateness_ns = st_sql_int(statement, 9),
                             .explained_ns = st_sql_int(statement, 10),
                             .circumstances = ST_EVENT_CIRCUMSTANCES_UNKNOWN};
    const int64_t certainty = st_sql_int(statement, 7);
    st_sql_text(statement, 2, event.name, sizeof(event.name));
    st_sql_text(statement, 3, event.text, sizeof(event.text));
    st_sql_text(statement, 4, event.source, sizeof(event.source));
    st_sql_text(statement, 5, event.device, sizeof(event.device));
    st_sql_text(statement, 6, event.client, sizeof(event.client));
    st_sql_text(statement, 11, event.cause, sizeof(event.cause));
    st_sql_text(statement, 12, event.culprit, sizeof(event.culprit));
    if (certainty == ST_CERTAINTY_EXACT || certainty == ST_CERTAINTY_PROBABLE)
        event.certainty = (enum st_certainty)certainty;
    if (sqlite3_column_count(statement) > COLUMNS_N)
        event.circumstances = (struct st_event_circumstances){
            st_sql_int(statement, COLUMNS_N),     st_sql_int(statement, COLUMNS_N + 1),
            st_sql_int(statement, COLUMNS_N + 2), st_sql_int(statement, COLUMNS_N + 3),
            st_sql_int(statement, COLUMNS_N + 4), st_sql_int(statement, COLUMNS_N + 5)};
    json_t *document = st_event_json(&event);
    json_object_set_new(document, "id", json_integer(st_sql_int(statement, 0)));
    return document;
}

/* One row more than asked for tells whether there are more. */
static int prepare(const struct st_history_reader *reader, const struct st_history_events_wish *wish,
                   sqlite3_stmt **ret)
{
    const char *columns = reader->version >= 3 ? COLUMNS CIRCUMSTANCES : COLUMNS;
    const char *kind = wish->kind[0] != '\0' ? "name = ?" : "'' = ?";
    char sql[768];
    if (wish->after >= 0) {
        snprintf(sql, sizeof(sql),
                 "SELECT %s FROM event WHERE id > ? AND wall_ns >= ? AND wall_ns < ? AND %s ORDER BY id"
                 " LIMIT ?",
                 columns, kind);
        return st_sql_prepare(reader->db, ret, sql, "iiiti", wish->after, wish->since_ns, wish->until_ns,
                              wish->kind, wish->limit + 1);
    }
    snprintf(sql, sizeof(sql),
             "SELECT %s FROM (SELECT * FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s"
             " ORDER BY wall_ns DESC, id DESC LIMIT ?) ORDER BY wall_ns, id",
             columns, kind);
    return st_sql_prepare(reader->db, ret, sql, "iiti", wish->since_ns, wish->until_ns, wish->kind,
                          wish->limit + 1);
}

int st_history_read_events(struct st_history_reader *reader, const struct st_history_events_wish *wish,
                           json_t **ret)
{
    sqlite3_stmt *statement;
    int64_t last_id = 0;
    int r = st_sql_number(reader->db, &last_id, "SELECT max(id) FROM event", "");
    if (r == 0)
        r = prepare(reader, wish, &statement);
    if (r < 0)
        return r;
    json_t *list = json_array();
    while ((r = st_sql_step(statement)) == 1)
        json_array_append_new(list, event_json(statement));
    sqlite3_finalize(statement);
    const bool more = json_array_size(list) > (size_t)wish->limit;
    if (more)
        json_array_remove(list, wish->after >= 0 ? (size_t)wish->limit : 0);
    json_t *document =
        r < 0 ? NULL
              : json_pack("{s:s, s:o, s:b, s:I, s:O}", "schema", "sleeptune-events/1", "since_ns",
                          wish->since_ns != INT64_MIN ? json_integer(wish->since_ns) : json_null(), "more",
                          more, "last_id", (json_int_t)last_id, "events", list);
    json_decref(list);
    if (r == 0 && document == NULL)
        r = -ENOMEM;
    if (r == 0)
        *ret = document;
    return r;
}
