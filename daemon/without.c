/* Functions for a build without libsystemd or libmicrohttpd. They do nothing; the status says which
 * library is missing. */
#include <syslog.h>

#include "daemon/http/http.h"
#include "daemon/notify.h"
#include "daemon/systemd.h"
#include "platform/rtkit.h"
#include "st_config.h"

#pragma GCC diagnostic ignored                                                                     \
    "-Wunused-parameter" /* functions that do nothing do not use their parameters */

#if !ST_HAVE_SYSTEMD

void st_systemd_notify(const char *format, ...) {}

void st_systemd_log(enum st_log_level level, const char *module, const char *event, int64_t count,
                    int64_t lateness_ns, const char *text)
{
    static const int priorities[] = {LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG};
    syslog(LOG_DAEMON | priorities[level], event != NULL ? "%s: %s (%s)" : "%s: %s", module, text,
           event);
}

int st_rtkit_ask(struct st_platform *platform, pid_t tid, int priority, char *text,
                 size_t text_bytes)
{
    snprintf(text, text_bytes, "rtkit was not asked: this sleeptuned was built without systemd");
    return -ENOTSUP;
}

struct st_notify *st_notify_new(void)
{
    return NULL;
}

void st_notify_look(struct st_notify *notify, bool enabled, const struct st_view *view,
                    int64_t now_ns)
{
}

const char *st_notify_state(const struct st_notify *notify, bool enabled)
{
    return "no notifications: this sleeptuned was built without systemd";
}

void st_notify_wait(const struct st_notify *notify, struct st_wait *wait) {}

bool st_notify_turn(struct st_notify *notify)
{
    return false;
}

void st_notify_free(struct st_notify *notify) {}

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
