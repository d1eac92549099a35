/* Starts and stops the loop with its watchdog, the own stream, the socket, the TCP server and the
 * tracer. */
#include "daemon/service_parts.h"

#include "core/ns.h"
#include "daemon/service_view.h"
#include "platform/rtkit.h"
#include "st_config.h"

#define LOG_MODULE "daemon"

/* --- the loop --- */

#define SYSTEM_SOCKET   ST_RUN_DIR "/sleeptune/sleeptuned.sock"
#define LOOP_ENDS_NS    (2 * ST_NS_PER_S) /* time for the loop to end, in addition to two periods */
#define LOOP_GIVE_UP_NS (8 * ST_NS_PER_S)

/* The system refused real-time priority: asks rtkit for it. Runs in the loop's thread. */
static int on_refused(void *ctx, pid_t tid, int priority)
{
    struct st_service *service = ctx;
    if (service->platform->os != ST_OS_LINUX) /* rtkit exists on Linux only */
        return -EPERM;
    const int r = st_rtkit_ask(service->platform, tid, priority, service->loop.rtkit,
                               sizeof(service->loop.rtkit));
    atomic_store(&service->loop.has_rtkit, true);
    ST_SERVICE_EVENT(service, r == 0 ? ST_LOG_INFO : ST_LOG_WARN, ST_EVENT_RTKIT, "%s",
                     service->loop.rtkit);
    /* If loop.priority is set, a lower priority from rtkit is not good enough. */
    return service->config.loop.priority == 0 ? r : -EPERM;
}

static pid_t loop_tid(void *ctx)
{
    return st_session_tid(ctx);
}

static uint64_t drains(void *ctx)
{
    return st_session_drains(ctx);
}

int st_service_parts_start_loop(struct st_service *service)
{
    const struct st_config *config = &service->config;
    const struct st_witness *witness = &service->loop.witness;
    struct st_session_config wish;
    struct st_period period;
    int r = st_period_init(&period, (uint32_t)witness->frames, (uint32_t)witness->rate_hz);
    const struct st_sink sink = st_tracer_way_sink(&service->tracer_way);
    st_session_defaults(&wish);
    wish.frames = (uint32_t)witness->frames;
    wish.rate_hz = (uint32_t)witness->rate_hz;
    wish.cpu = (int)config->loop.cpu;
    wish.policy = witness->policy;
    wish.priority = witness->priority;
    wish.duration_ns = 0;
    wish.lock_memory = true;
    wish.sink = &sink;
    wish.on_refused = on_refused;
    wish.on_refused_ctx = service;
    atomic_store(&service->loop.has_rtkit, false);
    st_causes_begin(service->causes, &wish);
    struct st_session *session;
    struct st_watchdog *watchdog;
    if (r == 0)
        r = st_session_start(service->platform, &wish, &session);
    if (r < 0) {
        ST_ERR("cannot start the timing test: %s", strerror(-r));
        return r;
    }
    const struct st_watchdog_loop watched = {.tid = loop_tid, .cheeps = drains, .ctx = session};
    r = st_watchdog_start(service->platform, wish.priority, &watched, &service->events, &watchdog);
    if (r < 0) {
        ST_ERR("cannot start the watchdog, which guards the timing test: %s", strerror(-r));
        st_session_ask_stop(session);
        st_session_join(session);
        st_session_free(session);
        return r;
    }
    service->session = session;
    service->watchdog = watchdog;
    service->view.loop_starts++;
    const int64_t now_ns = st_platform_now_ns(service->platform);
    service->loop.overdue = (struct st_overdue){
        .period_ns = st_period_ns(&period), .heard_ns = now_ns, .checked_ns = now_ns};
    return 0;
}

/* Waits for the end of the loop. A loop that gets no CPU does not end: after patience_ns its thread
 * loses real-time priority and its fixed CPU, since an ordinary thread finds a CPU as long as any
 * CPU has time for such threads. */
static bool wait_for_end(struct st_service *service)
{
    struct st_session *session = service->session;
    const int64_t patience_ns = st_ns_add(LOOP_ENDS_NS, 2 * service->loop.overdue.period_ns);
    if (st_session_wait(session, patience_ns))
        return true;
    ST_WARN(
        "the timing test did not end within %s; it now runs without real-time priority on any CPU",
        st_ns_text(patience_ns));
    st_session_release(session);
    if (st_session_wait(session, LOOP_GIVE_UP_NS)) {
        ST_INFO("the timing test has ended");
        return true;
    }
    ST_ERR("the timing test did not end within another %s: the last seconds were not recorded",
           st_ns_text(LOOP_GIVE_UP_NS));
    return false;
}

bool st_service_parts_end_loop(struct st_service *service)
{
    st_session_ask_stop(service->session);
    const bool ended = wait_for_end(service);
    service->loop.hangs = !ended;
    if (!ended)
        /* Reports the loop as overdue at once: wait_for_end has waited longer than
         * ST_OVERDUE_CHECKS checks take. */
        service->loop.overdue.checks = ST_OVERDUE_CHECKS;
    if (ended)
        st_session_join(service->session);
    st_service_parts_stop_trace(service);
    return ended;
}

void st_service_parts_stop_loop(struct st_service *service)
{
    struct st_session *session = service->session;
    struct st_watchdog *watchdog = service->watchdog;
    service->session = NULL;
    service->watchdog = NULL;
    /* before the session, since the watchdog asks it for the loop's thread */
    st_watchdog_stop(watchdog);
    if (session == NULL || service->loop.hangs)
        return;
    st_session_ask_stop(session);
    st_session_join(session);
    st_service_parts_stop_trace(service);
    st_session_free(session);
}

/* --- audio and TCP: if one of them fails, the daemon goes on --- */

int st_service_parts_start_audio(struct st_service *service)
{
    struct st_audio *audio = NULL;
    int r = 0;
    struct st_config config = service->config;
    config.loop.frames = service->loop.witness.frames;
    config.loop.rate_hz = service->loop.witness.rate_hz;
    /* While the loop rests there is no stream: the dummy device runs only together with the
     * loop. */
    if (!service->view.rests)
        r = st_audio_start(service->platform, &config, &service->events, &audio);
    if (r < 0) {
        ST_ERR("cannot start sleeptuned's own test stream: %s", strerror(-r));
        return r;
    }
    if (service->view.rests)
        service->view.audio.state = ST_AUDIO_OFF;
    service->audio = audio;
    return 0;
}

void st_service_parts_stop_audio(struct st_service *service)
{
    struct st_audio_view view = {0};
    struct st_audio *audio = service->audio;
    if (audio != NULL)
        st_audio_look(audio, &view);
    service->audio = NULL;
    service->closed_stream_dropouts_n += view.dropouts_n;
    st_audio_view_init(&service->config, &service->view.audio);
    st_audio_stop(audio);
}

void st_service_parts_restart_tcp(struct st_service *service)
{
    struct st_service_web *web = &service->web;
    st_http_stop(web->tcp);
    web->tcp = NULL;
    const char *listen_on = service->config.http.listen;
    if (listen_on[0] == '\0') {
        ST_PRINT(service->view.failed.http, "%s", "");
        return;
    }
    const struct st_http_source from = st_service_view_source(service);
    const int r = st_http_start_tcp(listen_on, service->config.http.names, &from, &web->tcp);
    char text[ST_VIEW_TEXT_BYTES];
    if (r == 0) {
        ST_PRINT(service->view.failed.http, "%s", "");
        ST_INFO("the status is also served on http://%s/", listen_on);
        return;
    }
    ST_PRINT(text, "cannot serve http.listen = \"%.100s\": %s", listen_on,
             r == -ENOTSUP ? "sleeptuned was built without libmicrohttpd" : strerror(-r));
    if (st_text_is(service->view.failed.http, text)) /* the same failure is logged once */
        return;
    ST_PRINT(service->view.failed.http, "%s", text);
    ST_SERVICE_EVENT(service, ST_LOG_WARN, ST_EVENT_HTTP_FAILED, "%s", text);
}

void st_service_parts_set_rights(struct st_service *service)
{
    if (service->web.socket.lock_fd < 0)
        return;
    const char *error = st_socket_set_rights(&service->web.socket, &service->config);
    ST_PRINT(service->view.failed.socket, "%s", st_text_or(error, ""));
    if (error != NULL)
        ST_SERVICE_EVENT(service, ST_LOG_WARN, ST_EVENT_SOCKET_RIGHTS, "%s", error);
}

int st_service_parts_open_socket(struct st_service *service)
{
    struct st_service_web *web = &service->web;
    if (!ST_HAVE_HTTP) {
        ST_WARN("sleeptuned was built without libmicrohttpd: it has no socket, so 'sleeptune "
                "status' cannot ask it; see its log");
        return 0;
    }
    const char *error = NULL, *path = st_socket_choose(&service->config, &error);
    if (path != NULL)
        error = st_socket_open(&web->socket, path, &service->config);
    if (error != NULL) {
        ST_ERR("%s", error);
        return -EIO;
    }
    const struct st_http_source from = st_service_view_source(service);
    const int r = st_http_start_fd(web->socket.fd, &from, &web->http);
    if (r < 0)
        ST_ERR("cannot start the HTTP server on %s: %s", path, strerror(-r));
    else
        web->socket.fd = -1; /* from now on the HTTP server closes this descriptor */
    return r;
}

/* --- the tracer, which runs only while the loop runs --- */

/* Is the kernel's trace wanted? A systemd unit can switch it on with $SLEEPTUNE_TRACE, without a
 * change of the configuration file (conf/trace.conf). */
static bool wishes_trace(const struct st_config *config)
{
    const char *wish = getenv("SLEEPTUNE_TRACE");
    return st_text_is(config->trace.enabled, "on") || (wish != NULL && st_text_is(wish, "on"));
}

void st_service_parts_trace(struct st_service *service)
{
    const pid_t tid = st_session_tid(service->session);
    if (service->loop.tracer_tried || tid == 0)
        return;
    service->loop.tracer_tried = true;
    const bool has_trace = st_os_rows[service->platform->os].trace != NULL;
    const bool wished = wishes_trace(&service->config);
    const bool of_system = st_text_is(service->web.socket.path, SYSTEM_SOCKET);
    struct st_tracer *tracer = NULL;
    const char *why =
        has_trace ? "trace.enabled is off in the configuration" : "this system has no kernel trace";
    if (has_trace && (wished || !of_system))
        why = st_tracer_start(service->platform, &service->config, wished ? NULL : SYSTEM_SOCKET,
                              tid, service->causes, &tracer);
    st_session_hold(service->session);
    st_tracer_way_use(&service->tracer_way, tracer, has_trace && why != NULL ? why : "");
    st_session_let_go(service->session);
    ST_PRINT(service->view.failed.trace, "%s", wished && why != NULL ? why : "");
    if (why == NULL)
        ST_INFO("%s", wished ? "the kernel's trace shows which program had the CPU when the timing "
                               "test wakes up late"
                             : "when the timing test wakes up late, the system's sleeptuned is "
                               "asked which program had the CPU");
}

void st_service_parts_stop_trace(struct st_service *service)
{
    struct st_tracer *tracer = service->tracer_way.tracer;
    st_session_hold(service->session);
    st_tracer_way_use(&service->tracer_way, NULL, "the timing test does not run");
    st_session_let_go(service->session);
    st_tracer_stop(tracer);
    service->loop.tracer_tried = false;
}
