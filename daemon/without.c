/* What a build without an optional library does instead: nothing, and the status says why. */
#include <syslog.h>

#include "daemon/history/history_writer.h"
#include "daemon/http/http.h"
#include "daemon/notify.h"
#include "daemon/systemd.h"
#include "platform/rtkit.h"
#include "st_config.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of functions that do nothing */

#if !ST_HAVE_SYSTEMD

void st_systemd_notify(const char *format, ...) {}

void st_systemd_log(enum st_log_level level, const char *module, const char *event, int64_t count,
                    int64_t lateness_ns, const char *text)
{
    static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    syslog(LOG_DAEMON | priorities[level], "%s: %s%s%s%s", module, text, event != NULL ? " (" : "",
           event != NULL ? event : "", event != NULL ? ")" : "");
}

int st_rtkit_ask(struct st_threads *threads, pid_t tid, int priority, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "rtkit was not asked: this sleeptuned was built without systemd");
    return -ENOTSUP;
}

struct st_notify *st_notify_new(void (*heard)(void *ctx), void *ctx)
{
    return NULL;
}

void st_notify_look(struct st_notify *notify, bool enabled, const struct st_view *view, int64_t now_ns) {}

const char *st_notify_state(const struct st_notify *notify, bool enabled, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "none: this sleeptuned was built without systemd");
    return buf;
}

void st_notify_wait(const struct st_notify *notify, struct st_wait *wait) {}

void st_notify_turn(struct st_notify *notify) {}

void st_notify_free(struct st_notify *notify) {}

#endif

#if !ST_HAVE_HISTORY

static const char no_history[] = "no history is kept: this sleeptuned was built without SQLite";

int st_history_writer_start(struct st_platform *platform, const struct st_config *config,
                            struct st_events *events, struct st_history_writer **ret)
{
    *ret = NULL;
    return 0;
}

void st_history_writer_set(struct st_history_writer *writer, const struct st_config *config) {}

void st_history_writer_add(struct st_history_writer *writer, const struct st_history_minute *minute,
                           const struct st_hist *lateness, const struct st_cause_sums *causes,
                           const struct st_history_watched *watched)
{
}

void st_history_writer_stop(struct st_history_writer *writer) {}

void st_history_writer_record(struct st_history_writer *writer, const char *cycles) {}

bool st_history_writer_wants_events(struct st_history_writer *writer)
{
    return false;
}

void st_history_writer_give_levels(struct st_history_writer *writer, const struct st_cycle_levels *levels) {}

void st_history_writer_give_events(void *ctx, const struct st_trace_event *events, size_t n) {}

void st_history_writer_look(struct st_history_writer *writer, struct st_history_writer_view *ret)
{
    *ret = (struct st_history_writer_view){.bytes = INT64_MIN};
    ST_PRINT(ret->why, "%s", no_history);
}

void st_history_writer_ask(struct st_history_writer *writer, const struct st_history_ask *ask)
{
    struct st_causes_now now = ask->now;
    free(ask->open);
    if (ask->which == ST_ROUTE_CAUSES)
        ask->answered(ask->to, st_causes_text(&now), 200);
    else
        ask->answered(ask->to, st_route_error_text(no_history), 503);
}

void st_history_writer_wait(const struct st_history_writer *writer, struct st_wait *wait) {}

void st_history_writer_turn(struct st_history_writer *writer, const struct st_wait *wait) {}

#endif

#if !ST_HAVE_HTTP

int st_http_start_fd(int fd, const struct st_http_source *source, struct st_http **ret)
{
    return -ENOTSUP;
}

int st_http_start_tcp(const char *listen, const char *names, const struct st_http_source *source,
                      struct st_http **ret)
{
    return -ENOTSUP;
}

int st_http_start_private(const struct st_http_source *source, char url[ST_HTTP_URL_BYTES],
                          struct st_http **ret)
{
    return -ENOTSUP;
}

void st_http_wait(struct st_http *http, struct st_wait *wait) {}

void st_http_turn(struct st_http *http, const struct st_wait *wait) {}

void st_http_answer(struct st_http_request *request, char *text, unsigned http_status) {}

void st_http_stop(struct st_http *http) {}

#endif
