/* Owns the parts; the mutex guards what HTTP threads look at. */
#include "daemon/service.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/clockwatch.h"
#include "daemon/http.h"
#include "daemon/laststate.h"
#include "daemon/notify.h"
#include "daemon/rtkit.h"
#include "daemon/socket.h"
#include "daemon/view.h"
#include "daemon/waittest.h"
#include "lib/ns.h"
#include "st_config.h"

#define LOG_MODULE "daemon"
#include "daemon/log.h"

#define TICKS_A_MINUTE 60
#define TICKS_A_LOOK   5 /* at the loop's CPU share; a look copies the histograms */

struct st_service {
    struct st_platform *platform;
    struct st_config config;
    struct st_events events;
    struct st_minute_sink sink;
    struct st_socket socket;
    struct st_http *http, *http_tcp;
    struct st_clockwatch clockwatch;

    pthread_mutex_t mutex;      /* all below, for HTTP threads; the main thread writes */
    struct st_session *session; /* NULL between two runs */
    struct st_audio *audio;     /* likewise */
    struct st_watchdog *watchdog;
    struct st_view view;       /* its texts and times; the rest is filled when somebody looks */
    uint64_t own_xruns_before; /* of streams that were closed */
    int64_t started_ns;

    /* main thread */
    uint64_t heartbeat, tick;
    int64_t minute_from_wall_ns;
    struct st_minute_counts counts;
    double cpu_ns;
    int64_t cpu_at_ns;
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX]; /* as told last */
    size_t degraded_n;
    bool has_state_path;
    char state_path[ST_LASTSTATE_PATH_BYTES];
};

static int64_t wall_ns(struct st_service *service)
{
    return service->platform->wall_ns(service->platform);
}

/* --- looking
 * --------------------------------------------------------------------------------------------------- */

/* Fills a view. *result holds what view->loop points to: finish it when has_result. */
static bool look(struct st_service *service, struct st_view *view, struct st_result *result)
{
    pthread_mutex_lock(&service->mutex);
    *view = service->view;
    const bool has_result = service->session != NULL && st_session_result(service->session, 0, result) == 0;
    if (service->audio != NULL)
        st_audio_look(service->audio, &view->audio);
    view->audio.underflows_n += service->own_xruns_before;
    if (service->watchdog != NULL)
        st_watchdog_look(service->watchdog, &view->watchdog);
    pthread_mutex_unlock(&service->mutex);
    view->loop = has_result ? result : NULL;
    view->now_wall_ns = wall_ns(service);
    view->uptime_ns = service->platform->now_ns(service->platform) - service->started_ns;
    return has_result;
}

static json_t *status_document(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    const bool has_result = look(service, &view, &result);
    view.events = st_events_json(&service->events);
    json_t *document = st_view_json(&view);
    json_decref(view.events);
    if (has_result)
        st_result_finish(&result);
    return document;
}

static char *status_text(void *ctx)
{
    json_t *document = status_document(ctx);
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    return text;
}

static char *metrics_text(void *ctx)
{
    struct st_view view;
    struct st_result result;
    const bool has_result = look(ctx, &view, &result);
    char *text = st_view_metrics(&view);
    if (has_result)
        st_result_finish(&result);
    return text;
}

static void set_text(struct st_service *service, char *to, const char *text)
{
    pthread_mutex_lock(&service->mutex);
    snprintf(to, ST_VIEW_TEXT_BYTES, "%s", text);
    pthread_mutex_unlock(&service->mutex);
}

/* --- the loop
 * -------------------------------------------------------------------------------------------------- */

static int on_refused(void *ctx, pid_t tid, int priority)
{
    struct st_service *service = ctx;
    char text[ST_VIEW_TEXT_BYTES];
    const int r = st_rtkit_ask(service->platform, tid, priority, text, sizeof(text));
    set_text(service, service->view.rtkit, text);
    st_events_add(&service->events, r == 0 ? ST_LOG_INFO : ST_LOG_WARN, wall_ns(service), "rtkit", NULL, 0,
                  "%s", text);
    return r;
}

static pid_t loop_tid(void *ctx)
{
    return st_session_tid(ctx, 0);
}

static int start_loop(struct st_service *service)
{
    const struct st_config *config = &service->config;
    struct st_session_config wish;
    const struct st_sink sink = st_minute_sink_functions(&service->sink);
    st_session_defaults(&wish);
    wish.frames = (uint32_t)config->loop.frames;
    wish.rate_hz = (uint32_t)config->loop.rate_hz;
    wish.periods = (uint32_t)config->loop.periods;
    wish.cpus[0] = (int)config->loop.cpu;
    wish.cpus_n = 1;
    wish.policy = ST_POLICY_FIFO;
    wish.priority = (int)config->loop.priority;
    wish.load_percent = config->loop.load_percent;
    wish.duration_ns = 0;
    wish.timer_slack_ns = config->loop.timer_slack_ns;
    wish.precise_wait = strcmp(config->loop.wait, "precise") == 0;
    wish.lock_memory = true;
    wish.sinks = &sink;
    wish.on_refused = on_refused;
    wish.on_refused_ctx = service;
    set_text(service, service->view.rtkit, "");
    struct st_session *session;
    struct st_watchdog *watchdog;
    int r = st_session_start(service->platform, &wish, &session);
    if (r < 0) {
        ST_ERR("the loop cannot be started: %s", strerror(-r));
        return r;
    }
    r = st_watchdog_start(service->platform, wish.priority, loop_tid, session, &service->events, &watchdog);
    if (r < 0) {
        ST_ERR("the watchdog cannot be started: %s", strerror(-r));
        st_session_ask_stop(session);
        st_session_join(session);
        st_session_free(session);
        return r;
    }
    service->heartbeat = 0;
    service->cpu_ns = 0;
    service->cpu_at_ns = 0;
    pthread_mutex_lock(&service->mutex);
    service->session = session;
    service->watchdog = watchdog;
    service->view.loop_starts++;
    pthread_mutex_unlock(&service->mutex);
    return 0;
}

static void stop_loop(struct st_service *service)
{
    pthread_mutex_lock(&service->mutex);
    struct st_session *session = service->session;
    struct st_watchdog *watchdog = service->watchdog;
    service->session = NULL;
    service->watchdog = NULL;
    pthread_mutex_unlock(&service->mutex);
    st_watchdog_stop(watchdog); /* it asks the session for its thread */
    if (session == NULL)
        return;
    st_session_ask_stop(session);
    st_session_join(session);
    st_session_free(session);
}

/* --- audio and TCP, which may fail
 * ----------------------------------------------------------------------------- */

static int start_audio(struct st_service *service)
{
    struct st_audio *audio;
    const int r = st_audio_start(service->platform, &service->config, &service->events, &audio);
    if (r < 0) {
        ST_ERR("the audio thread cannot be started: %s", strerror(-r));
        return r;
    }
    pthread_mutex_lock(&service->mutex);
    service->audio = audio;
    pthread_mutex_unlock(&service->mutex);
    return 0;
}

static void stop_audio(struct st_service *service)
{
    struct st_audio_view view = {0};
    pthread_mutex_lock(&service->mutex);
    struct st_audio *audio = service->audio;
    if (audio != NULL)
        st_audio_look(audio, &view);
    service->audio = NULL;
    service->own_xruns_before += view.underflows_n;
    pthread_mutex_unlock(&service->mutex);
    st_audio_stop(audio);
}

static struct st_http_source source(struct st_service *service)
{
    return (struct st_http_source){.status = status_text, .metrics = metrics_text, .ctx = service};
}

static void restart_tcp(struct st_service *service)
{
    st_http_stop(service->http_tcp);
    service->http_tcp = NULL;
    set_text(service, service->view.http_error, "");
    const char *listen_on = service->config.http.listen;
    if (listen_on[0] == '\0')
        return;
    const struct st_http_source from = source(service);
    const int r = st_http_start_tcp(listen_on, &from, &service->http_tcp);
    char text[ST_VIEW_TEXT_BYTES];
    if (r == 0) {
        ST_INFO("serving on http://%s/v1/status too", listen_on);
        return;
    }
    snprintf(text, sizeof(text), "http.listen = \"%.100s\" cannot be served: %s", listen_on,
             r == -ENOTSUP ? "built without libmicrohttpd" : strerror(-r));
    set_text(service, service->view.http_error, text);
    st_events_add(&service->events, ST_LOG_WARN, wall_ns(service), "http-failed", NULL, 0, "%s", text);
}

static int open_socket(struct st_service *service)
{
    char error[ST_SOCKET_PATH_BYTES + 256], path[ST_SOCKET_PATH_BYTES];
    if (!ST_HAVE_HTTP) {
        ST_WARN("built without libmicrohttpd: status is only logged");
        return 0;
    }
    int r = st_socket_choose(&service->config, path, sizeof(path), error, sizeof(error));
    if (r == 0)
        r = st_socket_open(&service->socket, path, &service->config, error, sizeof(error));
    if (r < 0) {
        ST_ERR("%s", error);
        return r;
    }
    const struct st_http_source from = source(service);
    r = st_http_start_fd(service->socket.fd, &from, &service->http);
    if (r < 0) {
        ST_ERR("no HTTP server on %s: %s", path, strerror(-r));
        return r;
    }
    service->socket.fd = -1; /* the server closes it */
    return 0;
}

/* --- minutes
 * --------------------------------------------------------------------------------------------------- */

static void store_state(struct st_service *service)
{
    if (!service->has_state_path)
        return;
    json_t *document = status_document(service);
    const int r = document != NULL ? st_laststate_write(service->state_path, document) : -ENOMEM;
    json_decref(document);
    char text[ST_VIEW_TEXT_BYTES] = "";
    if (r < 0)
        snprintf(text, sizeof(text), "%.300s cannot be written: %s", service->state_path, strerror(-r));
    if (strcmp(text, service->view.state_error) == 0)
        return;
    set_text(service, service->view.state_error, text);
    if (r < 0)
        st_events_add(&service->events, ST_LOG_WARN, wall_ns(service), "state-not-stored", NULL, 0, "%s",
                      text);
}

static void end_minute(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    if (!look(service, &view, &result))
        return;
    const struct st_minute_counts now = {.cycles = result.cycles,
                                         .misses = result.misses,
                                         .skipped_periods = result.skipped_periods,
                                         .simulated_xruns = result.simulated_xruns,
                                         .own_xruns = view.audio.underflows_n};
    st_result_finish(&result);
    const struct st_minute minute = st_minute_take(&service->sink, &service->counts, &now,
                                                   service->minute_from_wall_ns, view.now_wall_ns);
    service->minute_from_wall_ns = view.now_wall_ns;
    char text[256];
    st_minute_text(&minute, text, sizeof(text));
    const struct st_log_field fields[] = {
        {"CYCLES", (int64_t)minute.cycles},
        {"MISSES", (int64_t)minute.misses},
        {"LATENESS_NS", minute.lateness_max_ns == INT64_MIN ? 0 : minute.lateness_max_ns}};
    st_log_event(ST_LOG_INFO, LOG_MODULE, "minute", fields, ST_ARRAY_LEN(fields), text);
    st_notify_status(text);
    pthread_mutex_lock(&service->mutex);
    service->view.has_minute = true;
    service->view.minute = minute;
    pthread_mutex_unlock(&service->mutex);
    store_state(service);
}

/* The demoting watchdog hears what share of a CPU the loop used. */
static void tell_share(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    if (!look(service, &view, &result))
        return;
    const double cpu_ns = result.cpu_ns_per_cycle * (double)result.cycles;
    const bool real_time = result.policy != ST_POLICY_OTHER && result.cpu_ns_per_cycle >= 0;
    st_result_finish(&result);
    const int64_t now_ns = service->platform->now_ns(service->platform);
    if (real_time && service->cpu_at_ns != 0 && now_ns > service->cpu_at_ns)
        st_watchdog_tell_share(service->watchdog,
                               (cpu_ns - service->cpu_ns) / (double)(now_ns - service->cpu_at_ns));
    service->cpu_ns = cpu_ns;
    service->cpu_at_ns = now_ns;
}

/* Each change of what is degraded is an event. */
static void tell_degraded(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    const bool has_result = look(service, &view, &result);
    const size_t n = st_view_degraded(&view, degraded);
    if (has_result)
        st_result_finish(&result);
    for (size_t i = 0; i < n; i++) {
        bool told = false;
        for (size_t j = 0; j < service->degraded_n && !told; j++)
            told = strcmp(degraded[i].why, service->degraded[j].why) == 0;
        if (!told)
            st_events_add(&service->events, ST_LOG_WARN, view.now_wall_ns, "degraded", NULL, 0,
                          "degraded, %s: %s", degraded[i].what, degraded[i].why);
    }
    if (n == 0 && service->degraded_n > 0)
        st_events_add(&service->events, ST_LOG_INFO, view.now_wall_ns, "recovered", NULL, 0,
                      "nothing is degraded any more");
    memcpy(service->degraded, degraded, n * sizeof(degraded[0]));
    service->degraded_n = n;
}

/* --- start, tick, reload, stop
 * --------------------------------------------------------------------------------- */

static void test_waits(struct st_service *service)
{
    struct st_period period;
    int64_t plain_ns, precise_ns;
    service->view.wait_plain_ns = INT64_MIN;
    service->view.wait_precise_ns = INT64_MIN;
    if (st_period_init(&period, (uint32_t)service->config.loop.frames,
                       (uint32_t)service->config.loop.rate_hz) != 0 ||
        st_waittest_run(service->platform, &period, (int)service->config.loop.priority, &plain_ns,
                        &precise_ns) != 0)
        return;
    service->view.wait_plain_ns = plain_ns;
    service->view.wait_precise_ns = precise_ns;
    char plain[32], precise[32];
    ST_INFO("median lateness of the plain wait %s, of the precise wait %s",
            st_ns_format(plain_ns, plain, sizeof(plain)), st_ns_format(precise_ns, precise, sizeof(precise)));
}

static void start_state(struct st_service *service)
{
    service->has_state_path = st_laststate_path(service->state_path, sizeof(service->state_path));
    if (!service->has_state_path) {
        ST_INFO("no state folder that can be written: the last minute is only logged");
        return;
    }
    char text[ST_VIEW_TEXT_BYTES];
    if (st_laststate_previous(service->state_path, text, sizeof(text))[0] == '\0')
        return;
    snprintf(service->view.previous_run, sizeof(service->view.previous_run), "%s", text);
    st_events_add(&service->events, ST_LOG_WARN, wall_ns(service), "unclean-end", NULL, 0, "%s", text);
}

static int start_parts(struct st_service *service)
{
    int r = open_socket(service);
    if (r < 0)
        return r;
    start_state(service);
    /* the last line of defence; rtkit may ask for less */
    r = service->platform->set_rttime_limit_ns(service->platform, ST_WATCHDOG_RTTIME_NS);
    if (r < 0 && r != -ENOTSUP)
        ST_WARN("RLIMIT_RTTIME cannot be set: %s; the watchdog alone stands guard", strerror(-r));
    test_waits(service);
    r = start_audio(service);
    if (r == 0)
        r = start_loop(service);
    if (r < 0)
        return r;
    restart_tcp(service);
    st_clockwatch_tick(&service->clockwatch, service->platform, &service->events);
    return 0;
}

/* Frees what is there; parts that were not started are NULL. */
static void free_service(struct st_service *service)
{
    st_http_stop(service->http_tcp);
    st_http_stop(service->http);
    stop_loop(service);
    stop_audio(service);
    st_socket_close(&service->socket);
    st_minute_sink_finish(&service->sink);
    st_events_finish(&service->events);
    pthread_mutex_destroy(&service->mutex);
    free(service);
}

int st_service_start(struct st_platform *platform, const struct st_config *config, const char *config_path,
                     struct st_service **ret)
{
    struct st_service *service = calloc(1, sizeof(*service));
    if (service == NULL)
        return -ENOMEM;
    service->platform = platform;
    service->config = *config;
    service->socket.fd = -1;
    service->socket.lock_fd = -1;
    service->started_ns = platform->now_ns(platform);
    service->minute_from_wall_ns = wall_ns(service);
    service->view.started_wall_ns = wall_ns(service);
    service->view.config_read_wall_ns = wall_ns(service);
    service->view.pid = (long)getpid();
    snprintf(service->view.config_file, sizeof(service->view.config_file), "%s",
             config_path != NULL ? config_path : "");
    int r = -pthread_mutex_init(&service->mutex, NULL);
    if (r == 0)
        r = st_events_init(&service->events);
    if (r == 0)
        r = st_minute_sink_init(&service->sink, platform, &service->events);
    if (r < 0) {
        free(service);
        return r;
    }
    r = start_parts(service);
    if (r < 0) {
        free_service(service);
        return r;
    }
    ST_INFO("sleeptuned " ST_VERSION ": %lld frames at %lld Hz, status on %s", (long long)config->loop.frames,
            (long long)config->loop.rate_hz, ST_HAVE_HTTP ? service->socket.path : "no socket");
    st_notify_ready();
    *ret = service;
    return 0;
}

int st_service_tick(struct st_service *service)
{
    service->tick++;
    st_clockwatch_tick(&service->clockwatch, service->platform, &service->events);
    if (st_session_ended(service->session)) {
        ST_ERR("the loop ended by itself: its sleep failed");
        return -EIO;
    }
    const uint64_t heartbeat = st_session_heartbeat(service->session, 0);
    if (heartbeat != service->heartbeat) /* a loop that hangs lets the service manager act */
        st_notify_watchdog();
    service->heartbeat = heartbeat;
    if (service->tick % TICKS_A_LOOK == 1)
        tell_degraded(service);
    if (service->tick % TICKS_A_LOOK == 0)
        tell_share(service);
    if (service->tick % TICKS_A_MINUTE == 0)
        end_minute(service);
    return 0;
}

void st_service_too_long(struct st_service *service)
{
    if (service->watchdog != NULL)
        st_watchdog_demote(service->watchdog, "it used a CPU too long without a sleep (RLIMIT_RTTIME)");
}

/* First message of a bad file is kept for the status; all are logged. */
static void on_config_error(void *ctx, const char *message)
{
    char *first = ctx;
    if (first[0] == '\0')
        snprintf(first, ST_VIEW_TEXT_BYTES, "%s", message);
    ST_ERR("%s", message);
}

static int apply(struct st_service *service, const struct st_config *config)
{
    const unsigned applies = st_config_difference(&service->config, config);
    service->config = *config;
    char error[ST_SOCKET_PATH_BYTES + 256];
    int r = 0;
    if ((applies & ST_CONFIG_APPLIES_START) != 0)
        ST_WARN("socket.path was changed: it is used when sleeptuned starts the next time");
    if ((applies & ST_CONFIG_APPLIES_SOCKET) != 0 && service->socket.lock_fd >= 0 &&
        st_socket_set_rights(&service->socket, config, error, sizeof(error)) < 0)
        ST_WARN("%s", error);
    if ((applies & ST_CONFIG_APPLIES_HTTP) != 0)
        restart_tcp(service);
    if ((applies & (ST_CONFIG_APPLIES_AUDIO | ST_CONFIG_APPLIES_LOOP)) !=
        0) { /* its buffer follows the loop's */
        stop_audio(service);
        r = start_audio(service);
    }
    if (r == 0 && (applies & ST_CONFIG_APPLIES_LOOP) != 0) {
        end_minute(service);
        stop_loop(service);
        service->counts = (struct st_minute_counts){.own_xruns = service->counts.own_xruns};
        st_events_add(&service->events, ST_LOG_INFO, wall_ns(service), "loop-restart", NULL, 0,
                      "the loop starts again with %lld frames at %lld Hz; its counts begin at zero",
                      (long long)config->loop.frames, (long long)config->loop.rate_hz);
        r = start_loop(service);
    }
    return r < 0 ? -EIO : 0;
}

int st_service_reload(struct st_service *service)
{
    st_notify_reloading(service->platform->now_ns(service->platform));
    struct st_config config;
    char error[ST_VIEW_TEXT_BYTES] = "", file[ST_VIEW_TEXT_BYTES];
    snprintf(file, sizeof(file), "%s", service->view.config_file);
    int r = 0;
    if (file[0] == '\0') {
        ST_INFO("reload: there is no configuration file");
    } else if (st_config_load(service->platform, file, &config, on_config_error, error) < 0) {
        st_events_add(&service->events, ST_LOG_ERR, wall_ns(service), "config-rejected", NULL, 0,
                      "reload: %.100s was not taken, the old settings are kept", file);
    } else {
        r = apply(service, &config);
        st_events_add(&service->events, ST_LOG_INFO, wall_ns(service), "config-read", NULL, 0,
                      "reloaded: %.100s was read", file);
    }
    set_text(service, service->view.config_error, error);
    if (error[0] == '\0') {
        pthread_mutex_lock(&service->mutex);
        service->view.config_read_wall_ns = wall_ns(service);
        pthread_mutex_unlock(&service->mutex);
    }
    st_notify_ready();
    return r;
}

/* The final figures are taken after the loop has ended, so that the books are closed. */
static void close_books(struct st_service *service)
{
    if (service->session == NULL)
        return;
    st_session_ask_stop(service->session);
    st_session_join(service->session);
    pthread_mutex_lock(&service->mutex);
    service->view.ended = true;
    pthread_mutex_unlock(&service->mutex);
    end_minute(service);
    struct st_view view;
    struct st_result result;
    if (!look(service, &view, &result))
        return;
    char verdict[ST_VIEW_TEXT_BYTES];
    ST_INFO("ended after %llu cycles: %s", (unsigned long long)result.cycles,
            st_result_verdict(&result, verdict, sizeof(verdict)));
    st_result_finish(&result);
}

void st_service_stop(struct st_service *service)
{
    st_notify_stopping();
    close_books(service);
    free_service(service);
}
