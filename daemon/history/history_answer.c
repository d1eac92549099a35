/* Answers from the history, in the writer's thread. */
#include <unistd.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "daemon/history/history_writer.h"
#include "platform/posix/posix.h"
#include "store/history/history_read.h"
#include "story/dropout_list.h"
#include "story/event_list.h"
#include "story/heard_list.h"
#include "story/size_list.h"
#include "story/trace_file.h"

#define USUAL_SPAN_NS (86400 * ST_NS_PER_S)
#define USUAL_EVENTS  500

enum { HTTP_BAD_REQUEST = 400, HTTP_NOT_FOUND = 404, HTTP_NO_STORE = 503 };

/* A file that cannot be read says nothing of what is not in it yet. */
static const char *unreadable_text(const struct st_history_writer_view *view, const char *why)
{
    return st_text("the history cannot be read: %s%s", why,
                   view->waiting_minutes_n + view->waiting_events_n == 0
                       ? ""
                       : st_text("; not yet written: %" PRIu64 " events, %" PRIu64
                                 " minutes; sleeptune status shows the last events",
                                 view->waiting_events_n, view->waiting_minutes_n));
}

static char *refuse(unsigned *http_status, unsigned status, const char *error)
{
    *http_status = status;
    return st_route_error_text(error);
}

/* @return 0, -EINVAL: it begins in the future, or as st_history_read_open. */
static int read_steps(struct st_history_reader *reader, const struct st_query *query, char **ret)
{
    struct st_history_span span = {.until_ns = query->until_wall_ns != INT64_MIN ? query->until_wall_ns
                                                                                 : st_posix_wall_ns(NULL),
                                   .step_ns = query->step_ns != INT64_MIN ? query->step_ns : 0};
    span.since_ns = query->since_wall_ns != INT64_MIN ? query->since_wall_ns : span.until_ns - USUAL_SPAN_NS;
    return span.since_ns > span.until_ns ? -EINVAL
                                         : st_history_read_text(reader, &span, st_dropout_list_add, ret);
}

static int read_events(struct st_history_reader *reader, const struct st_query *query, char **ret)
{
    const struct st_history_events_wish wish = {
        .since_ns = query->since_wall_ns,
        .until_ns = query->until_wall_ns != INT64_MIN ? query->until_wall_ns : INT64_MAX,
        .limit = query->limit != INT64_MIN ? query->limit : USUAL_EVENTS,
        .kind = query->kind};
    return st_event_list_text(reader, &wish, ret);
}

static int read_causes(struct st_history_reader *reader, const struct st_query *query,
                       struct st_causes_now *now, char **ret)
{
    json_t *document;
    int r = st_history_read_causes(reader, query->since_wall_ns, query->until_wall_ns, &now->sums, &now->span,
                                   &document);
    if (r < 0)
        return r;
    r = st_dropout_list_add(reader, query->since_wall_ns, query->until_wall_ns, document);
    *ret = r == 0 ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    return r;
}

/* The trace of the moment "until". @return 0; -ENOENT: none was kept of it; or as st_event_list_text. */
static int read_trace(struct st_history_reader *reader, const char *history, const struct st_query *query,
                      char **ret)
{
    char path[PATH_MAX], *events = NULL;
    size_t bytes_n = 0;
    struct st_trace_file file = {0};
    if (query->until_wall_ns == INT64_MIN)
        return -ENOENT;
    int r = st_trace_copy_read(history, query->until_wall_ns, path, sizeof(path), &file.copy);
    if (r < 0)
        return r == -ENOMEM ? r : -ENOENT;
    const struct st_history_events_wish wish = {.since_ns = st_ns_sub(file.copy.wall_ns, file.copy.before_ns),
                                                .until_ns =
                                                    st_ns_add(file.copy.wall_ns, ST_TRACE_COPY_AFTER_NS),
                                                .limit = USUAL_EVENTS,
                                                .kind = ""};
    r = st_event_list_text(reader, &wish, &events);
    json_t *document = r == 0 ? json_loads(events, 0, NULL) : NULL;
    FILE *out = r == 0 ? open_memstream(ret, &bytes_n) : NULL;
    if (geteuid() == 0) /* who may ask root's daemon may not learn what others run */
        file.copy.events_n = 0;
    file.happened = json_object_get(document, "events");
    if (out != NULL)
        r = st_trace_file_write(out, &file);
    if (out == NULL || fclose(out) != 0)
        r = r < 0 ? r : -ENOMEM;
    if (r < 0) {
        free(*ret);
        *ret = NULL;
    }
    free(events);
    st_trace_copy_finish(&file.copy);
    json_decref(document);
    return r;
}

char *st_history_answer(const struct st_history_writer_view *view, struct st_history_ask *ask,
                        unsigned *http_status)
{
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
    int r = st_history_read_running(reader, &ask->watched);
    if (r == 0)
        r = st_history_read_open_events(reader, ask->open, ask->open_n);
    if (r == 0)
        r = ask->which == ST_ROUTE_HISTORY  ? read_steps(reader, &ask->query, &text)
            : ask->which == ST_ROUTE_EVENTS ? read_events(reader, &ask->query, &text)
            : ask->which == ST_ROUTE_HEARD
                ? st_heard_list_text(reader, ask->query.since_wall_ns, ask->query.until_wall_ns, &text)
            : ask->which == ST_ROUTE_TRACE ? read_trace(reader, view->path, &ask->query, &text)
            : ask->which == ST_ROUTE_SIZES
                ? st_size_list_text(reader, ask->query.since_wall_ns, ask->query.until_wall_ns, &text)
                : read_causes(reader, &ask->query, &ask->now, &text);
    if (r == -EINVAL && ask->which == ST_ROUTE_HISTORY)
        text = refuse(http_status, HTTP_BAD_REQUEST, "'since' is later than 'until'");
    else if (r == -ENOENT && ask->which == ST_ROUTE_TRACE)
        text = refuse(http_status, HTTP_NOT_FOUND, "nothing was kept of that moment");
    else if (r == -E2BIG)
        text = refuse(http_status, HTTP_BAD_REQUEST,
                      "the answer would be too large: ask for a shorter time, or for longer steps");
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
    json_t *changes = NULL;
    const char *text = "", *error;
    bool worse = false;
    if (st_history_read_open(path, &reader, &error) < 0)
        return "";
    if (st_history_read_changes(reader, &changes) == 0)
        text = st_change_story_text(changes, now_wall_ns, &worse);
    json_decref(changes);
    st_history_read_close(reader);
    return worse ? text : "";
}
