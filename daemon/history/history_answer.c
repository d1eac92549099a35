/* Makes the answers to requests from the history file, in the writer's thread. */
#include <unistd.h>

#include "core/text/json.h"
#include "daemon/history/history_writer.h"
#include "platform/posix/posix.h"
#include "story/heard_list.h"
#include "story/history_document.h"
#include "story/trace_file.h"

enum { HTTP_BAD_REQUEST = 400, HTTP_NOT_FOUND = 404, HTTP_NO_STORE = 503 };

/* The error message for a history that cannot be read, with the number of rows not in the file
 * yet. */
static const char *unreadable_text(const struct st_history_writer_view *view, const char *why)
{
    const char *text =
        st_text("the history cannot be read: %s%s", why, st_text_with("; ", view->why));
    if (view->waiting_minutes_n + view->waiting_events_n == 0)
        return text;
    return st_text("%s; %ju events and %ju minutes are not written yet; 'sleeptune status' shows "
                   "the last events",
                   text, view->waiting_events_n, view->waiting_minutes_n);
}

static char *refuse(unsigned *http_status, unsigned status, const char *error)
{
    *http_status = status;
    return st_route_error_text(error);
}

/* Makes a trace of the moment "until" from the copy that was stored then. @return 0; -ENOENT: no
 * trace of that moment is stored; or as st_history_document_text. */
static int read_trace(struct st_history_reader *reader, const char *history,
                      const struct st_query *query, char **ret)
{
    char path[PATH_MAX], *events = NULL;
    size_t bytes_n = 0;
    struct st_trace_file file = {0};
    if (query->until_wall_ns == INT64_MIN)
        return -ENOENT;
    int r = st_trace_copy_read(history, query->until_wall_ns, path, sizeof(path), &file.copy);
    if (r < 0)
        return r == -ENOMEM ? r : -ENOENT;
    const struct st_history_asked asked = {
        .document = ST_HISTORY_OF_EVENTS,
        .since_ns = st_ns_sub(file.copy.wall_ns, file.copy.before_ns),
        .until_ns = st_ns_add(file.copy.wall_ns, ST_TRACE_COPY_AFTER_NS),
        .limit = INT64_MIN,
        .kind = ""};
    r = st_history_document_text(reader, &asked, NULL, NULL, &events);
    json_t *document = NULL;
    if (r == 0)
        r = st_json_written(events, &document);
    /* Another user who may ask root's daemon must not learn from the kernel's events which programs
     * run. */
    if (geteuid() == 0)
        file.copy.events_n = 0;
    file.happened = json_object_get(document, "events");
    FILE *out = open_memstream(ret, &bytes_n);
    if (out != NULL && r == 0)
        r = st_trace_file_write(out, &file);
    if ((out == NULL || fclose(out) != 0) && r == 0)
        r = -ENOMEM;
    if (r < 0) {
        free(*ret);
        *ret = NULL;
    }
    st_trace_copy_finish(&file.copy);
    json_decref(document);
    return r;
}

char *st_history_answer(const struct st_history_writer_view *view, struct st_history_ask *ask,
                        unsigned *http_status)
{
    static const enum st_history_document documents[] = {
        [ST_ROUTE_HISTORY] = ST_HISTORY_OF_STEPS, [ST_ROUTE_EVENTS] = ST_HISTORY_OF_EVENTS,
        [ST_ROUTE_CAUSES] = ST_HISTORY_OF_CAUSES, [ST_ROUTE_HEARD] = ST_HISTORY_OF_HEARD,
        [ST_ROUTE_SIZES] = ST_HISTORY_OF_SIZES,   [ST_ROUTE_TRACE] = ST_HISTORY_OF_EVENTS};
    const struct st_query *query = &ask->query;
    const struct st_history_asked asked = {query->since_wall_ns,  query->until_wall_ns,
                                           query->limit,          query->kind,
                                           documents[ask->which], query->step_ns};
    const char *error;
    char *text = NULL;
    struct st_history_reader *reader = NULL;
    if (view->state == ST_HISTORY_WRITER_OFF)
        error = st_text("no history is kept: %s", view->why);
    else if (st_history_read_open(view->path, &reader, &error) < 0)
        error = unreadable_text(view, error);
    if (reader == NULL && ask->which == ST_ROUTE_CAUSES)
        return st_causes_text(&ask->now);
    if (reader == NULL)
        return ask->marked ? st_heard_list_none(error) : refuse(http_status, HTTP_NO_STORE, error);
    st_history_read_running(reader, &ask->watched);
    st_history_read_open_events(reader, ask->open, ask->open_n);
    const int r =
        ask->which == ST_ROUTE_TRACE
            ? read_trace(reader, view->path, query, &text)
            : st_history_document_text(reader, &asked, &ask->now.sums, &ask->now.span, &text);
    if (r == -ENOENT && ask->which == ST_ROUTE_TRACE)
        text = refuse(http_status, HTTP_NOT_FOUND, "sleeptuned has no record of that moment");
    else if (r == -ERANGE || r == -E2BIG)
        text = refuse(http_status, HTTP_BAD_REQUEST, st_history_document_error(reader, r));
    else if (r < 0) {
        error = unreadable_text(view, st_history_read_error(reader, r));
        text = ask->marked ? st_heard_list_none(error) : refuse(http_status, HTTP_NO_STORE, error);
    }
    st_history_read_close(reader);
    return text;
}

const char *st_history_answer_changed(const char *path, int64_t now_wall_ns)
{
    struct st_history_reader *reader;
    const char *text = "", *error;
    bool worse = false;
    if (st_history_read_open(path, &reader, &error) == 0) {
        json_t *changes = st_history_read_changes(reader);
        if (st_history_read_result(reader) == 0)
            text = st_change_story_text(changes, now_wall_ns, &worse);
        json_decref(changes);
        st_history_read_close(reader);
    }
    return worse ? text : "";
}
