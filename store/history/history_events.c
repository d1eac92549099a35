/* Events of a history. */
#include <stdio.h>
#include <stdlib.h>

#include "core/text/json.h"
#include "core/text/text_buffer.h"
#include "store/history/event.h"
#include "store/history/history_private.h"

#define COLUMNS                                                                                              \
    "id, wall_ns, name, text, source, device, client, certainty, count_n, lateness_ns, explained_ns, cause," \
    " culprit, pressure_cpu_permille, pressure_io_permille, pressure_memory_permille, cpu_khz,"              \
    " throttles_n, temperature_mc"

/* A kind that no sleeptuned has written is not shown: the file is not trusted. *ret NULL: it is not. */
static int event_json(sqlite3_stmt *statement, json_t **ret)
{
    struct st_event event = {
        .wall_ns = st_history_sql_int(statement, 1),
        .count_n = st_history_sql_int(statement, 8),
        .lateness_ns = st_history_sql_int(statement, 9),
        .explained_ns = st_history_sql_int(statement, 10),
        .circumstances = {st_history_sql_int(statement, 13), st_history_sql_int(statement, 14),
                          st_history_sql_int(statement, 15), st_history_sql_int(statement, 16),
                          st_history_sql_int(statement, 17), st_history_sql_int(statement, 18)}};
    const int64_t certainty = st_history_sql_int(statement, 7);
    char name[24];
    st_history_sql_text(statement, 2, name, sizeof(name));
    event.kind = st_event_kind_of(name);
    *ret = NULL;
    if (event.kind == ST_EVENT_KINDS)
        return 0;
    st_history_sql_text(statement, 3, event.text, sizeof(event.text));
    st_history_sql_text(statement, 4, event.source, sizeof(event.source));
    st_history_sql_text(statement, 5, event.device, sizeof(event.device));
    st_history_sql_text(statement, 6, event.client, sizeof(event.client));
    st_history_sql_text(statement, 11, event.cause, sizeof(event.cause));
    st_history_sql_text(statement, 12, event.culprit, sizeof(event.culprit));
    if (certainty == ST_CERTAINTY_EXACT || certainty == ST_CERTAINTY_PROBABLE)
        event.certainty = (enum st_certainty)certainty;
    json_t *document = st_event_json(&event);
    if (document == NULL ||
        json_object_set_new(document, "id", json_integer(st_history_sql_int(statement, 0))) != 0) {
        json_decref(document);
        return -ENOMEM;
    }
    *ret = document;
    return 0;
}

/* First event of the answer, and whether there are more events than it holds. */
struct range {
    int64_t wall_ns, id; /* the first event; id INT64_MIN: the answer has all events */
    bool more;
};

/* The first of the last events is searched from the end; then they are read in order, which needs no memory
 * for sorting. */
static int find_range(const struct st_history_reader *reader, const struct st_history_events_wish *wish,
                      const char *kind, struct range *ret)
{
    sqlite3_stmt *statement;
    struct range range = {.wall_ns = wish->since_ns, .id = INT64_MIN};
    char sql[512];
    snprintf(sql, sizeof(sql),
             "SELECT wall_ns, id FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s"
             " ORDER BY wall_ns DESC, id DESC LIMIT 2 OFFSET ?",
             kind);
    int r = st_history_sql_prepare(reader->db, &statement, sql, "iiti", wish->since_ns, wish->until_ns,
                                   wish->kind, wish->limit - 1);
    if (r < 0)
        return r;
    r = st_history_sql_step(statement);
    if (r == 1) {
        range.wall_ns = st_history_sql_int(statement, 0);
        range.id = st_history_sql_int(statement, 1);
        r = st_history_sql_step(statement);
        range.more = r == 1;
    }
    sqlite3_finalize(statement);
    if (r >= 0)
        *ret = range;
    return r < 0 ? r : 0;
}

static int prepare(const struct st_history_reader *reader, const struct st_history_events_wish *wish,
                   const char *kind, const struct range *range, sqlite3_stmt **ret)
{
    char sql[768];
    snprintf(sql, sizeof(sql),
             "SELECT " COLUMNS
             " FROM event WHERE wall_ns >= ? AND wall_ns < ? AND %s AND (wall_ns > ? OR id >= ?)"
             " ORDER BY wall_ns, id",
             kind);
    return st_history_sql_prepare(reader->db, ret, sql, "iitii", range->wall_ns, wish->until_ns, wish->kind,
                                  range->wall_ns, range->id);
}

/* The answer without its events and the closing brace. */
static int write_head(const struct st_history_events_wish *wish, bool more, struct st_text_buffer *writing)
{
    int r = 0;
    json_t *head = json_pack("{s:s, s:o, s:b}", "schema", "sleeptune-events/1", "since_ns",
                             st_json_known(wish->since_ns), "more", more);
    if (head == NULL || st_json_write("{", 1, writing) != 0 ||
        json_dump_callback(head, st_json_write, writing, JSON_COMPACT | JSON_EMBED) != 0)
        r = -ENOMEM;
    json_decref(head);
    return r;
}

/* Event by event, so that only one of them is a json_t at a time. */
static int write_list(sqlite3_stmt *statement, struct st_text_buffer *writing)
{
    static const char before[] = ",\"events\":[";
    int r = st_json_write(before, sizeof(before) - 1, writing) == 0 ? 1 : -ENOMEM;
    bool first = true;
    while (r == 1 && (r = st_history_sql_step(statement)) == 1) {
        json_t *event;
        if (event_json(statement, &event) != 0) {
            r = -ENOMEM;
        } else if (event != NULL) {
            if ((!first && st_json_write(",", 1, writing) != 0) ||
                json_dump_callback(event, st_json_write, writing, JSON_COMPACT) != 0)
                r = -ENOMEM;
            first = false;
        }
        json_decref(event);
    }
    return r == 0 && st_json_write("]}", 2, writing) != 0 ? -ENOMEM : r;
}

int st_history_read_events_text(struct st_history_reader *reader, const struct st_history_events_wish *wish,
                                char **ret)
{
    const char *kind = wish->kind[0] == '\0' ? "'' = ?" : "name = ?";
    struct st_text_buffer writing = {0};
    sqlite3_stmt *statement;
    struct range range;
    int r = find_range(reader, wish, kind, &range);
    if (r == 0)
        r = write_head(wish, range.more, &writing);
    if (r == 0)
        r = prepare(reader, wish, kind, &range, &statement);
    if (r == 0) {
        r = write_list(statement, &writing);
        sqlite3_finalize(statement);
    }
    if (r == 0)
        *ret = writing.text;
    else
        free(writing.text);
    return r;
}
