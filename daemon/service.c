/* Main loop actions of sleeptuned: start, tick, rest of the timing test, reload and end. */
#include "daemon/service.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/pages.h"
#include "daemon/service_parts.h"
#include "daemon/service_view.h"
#include "daemon/status/answer.h"
#include "daemon/systemd.h"
#include "st_config.h"

#define LOG_MODULE "daemon"

#define TICKS_A_MINUTE 60
#define TICKS_A_TRY    15 /* ticks (s) between two attempts to start a part that failed */
/* The loop restarts when the music's buffer size has differed from the loop's for this time. It is
 * longer than the 10 s after which a helper program reports the buffer size again. */
#define RESIZED_NS (13 * ST_NS_PER_S)
#define TICKS_A_LOOK                                                                               \
    5 /* ticks (s) between checks of the loop's CPU share; few, since each check copies the        \
         histograms */

/* Tries again to open the history if there was no state folder for it; with also_failing, also if
 * the last write failed. */
static void set_history_again(struct st_service *service, bool also_failing)
{
    struct st_history_writer_view view;
    st_history_writer_look(service->history, &view);
    if (view.missing || (also_failing && view.state == ST_HISTORY_WRITER_FAILING))
        st_history_writer_set(service->history, &service->config);
}

/* --- the loop rests while nothing plays (loop.when); daemon/loop/witness.h decides. A resting loop
 * has no threads and locks no memory; its last figures stay. --- */

/* Clears the counts at the end of the last minute, because a new loop counts from zero. Keeps the
 * dropouts of sleeptuned's own test stream, which are counted on. */
static void forget_counts(struct st_service *service)
{
    service->loop.counts =
        (struct st_history_minute){.own_dropouts_n = service->loop.counts.own_dropouts_n};
}

static void begin_rest(struct st_service *service)
{
    service->music.playing.told_ns = st_platform_now_ns(service->platform);
    service->view.rests =
        st_text_is(service->config.loop.when, "playing") && !st_config_own_stream(&service->config);
    if (service->view.rests)
        ST_INFO("the timing test rests until a program plays (loop.when)");
}

int64_t st_service_tick_ns(const struct st_service *service)
{
    return service->music.calm ? ST_SERVICE_REST_TICKS * ST_SERVICE_TICK_NS : ST_SERVICE_TICK_NS;
}

/* Keeps the figures of the ended loop, and frees its other memory. */
static void keep_figures(struct st_service *service)
{
    struct st_result result = {0};
    if (st_session_result(service->session, &result) != 0)
        ST_WARN("out of memory: the last figures of the timing test are lost");
    st_result_finish(&service->music.rested);
    service->music.rested = result;
    st_service_parts_stop_loop(service);
}

static void give_memory_back(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

static int go_to_rest(struct st_service *service)
{
    if (!st_service_parts_end_loop(service))
        return -EIO;
    st_service_view_end_minute(service); /* the minute then includes all cycles of the loop */
    forget_counts(service);
    service->music.plays = false;
    service->view.rests = true;
    keep_figures(service);
    /* Ends the daemon's own stream. That stream has no device, because the loop does not rest
     * while a stream plays on a real device. st_service_parts_start_audio starts no stream while
     * `rests` is set. */
    st_service_parts_stop_audio(service);
    const int r = st_service_parts_start_audio(service);
    (void)munlockall();
    ST_SERVICE_EVENT(service, ST_LOG_INFO, ST_EVENT_LOOP_RESTS,
                     "nothing plays: the timing test rests until a program plays (loop.when)");
    return r;
}

static int wake_up(struct st_service *service, const struct st_playing_facts *facts,
                   const char *why)
{
    struct st_service_music *music = &service->music;
    service->loop.witness = st_witness_choose(&service->config, facts);
    /* Checks the clocks now. Otherwise the next tick would report the time in which the loop rested
     * and no tick came as a pause. */
    st_clockwatch_tick(&service->clockwatch, service->platform, &service->events);
    st_service_view_end_minute(service);
    st_result_finish(&music->rested);
    music->rested = (struct st_result){0};
    service->view.rests = false;
    music->calm = false;
    int r = st_service_parts_start_audio(service);
    if (r == 0)
        r = st_service_parts_start_loop(service);
    if (r < 0)
        return -EIO;
    ST_SERVICE_EVENT(service, ST_LOG_INFO, ST_EVENT_LOOP_RUNS, "%s", why);
    return 0;
}

/* Makes the log's sentence that says why the loop runs. */
static const char *why_text(enum st_playing_answer answer, const struct st_playing_facts *facts,
                            bool always)
{
    if (always)
        return "the timing test runs, because loop.when is \"always\"";
    if (answer == ST_PLAYING_UNKNOWN && facts->blind != NULL)
        return st_text("the timing test runs all the time, because %s does not report whether a "
                       "program plays (loop.when)",
                       facts->blind);
    if (answer == ST_PLAYING_UNKNOWN)
        return "the timing test runs all the time: sleeptuned watches no sound server and no sound "
               "card, so it cannot know when a program plays (loop.when)";
    if (facts->own_stream)
        return "the timing test runs, because sleeptuned's own test stream plays";
    return st_text("%s plays: the timing test runs",
                   st_text_joined(facts->what, " on ", facts->by));
}

static int restart_loop(struct st_service *service)
{
    if (!st_service_parts_end_loop(service))
        return -EIO;
    st_service_view_end_minute(service); /* the minute then includes all cycles of the loop */
    st_service_parts_stop_loop(service);
    forget_counts(service);
    ST_SERVICE_EVENT(
        service, ST_LOG_INFO, ST_EVENT_LOOP_RESTART,
        "the timing test starts again with %lld frames at %lld Hz%s; its counts start at zero",
        (long long)service->loop.witness.frames, (long long)service->loop.witness.rate_hz,
        service->loop.witness.music ? ", the buffer size of the music" : "");
    return st_service_parts_start_loop(service);
}

/* Has the music had a buffer size other than the loop's for RESIZED_NS? A program that plays for a
 * moment must not restart the loop. */
static bool is_resized(struct st_service_music *music, const struct st_witness *now,
                       const struct st_witness *wished, int64_t now_ns)
{
    const bool other =
        wished->music && (now->frames != wished->frames || now->rate_hz != wished->rate_hz);
    if (!other || music->other_since_ns == 0)
        music->other_since_ns = other ? now_ns : 0;
    return other && now_ns - music->other_since_ns >= RESIZED_NS;
}

/* Restarts the loop with the period and priority of the music if they differ from the loop's.
 * Checks this when playback starts, until both are known, and when the buffer size has changed. */
static int follow_music(struct st_service *service, enum st_playing_answer answer,
                        const struct st_playing_facts *facts)
{
    const bool starts = answer == ST_PLAYING_YES && !service->music.plays;
    service->music.plays = answer == ST_PLAYING_YES;
    const struct st_witness wished = st_witness_choose(&service->config, facts);
    const bool resized = is_resized(&service->music, &service->loop.witness, &wished,
                                    st_platform_now_ns(service->platform));
    if (!service->music.plays || (!starts && !resized && service->loop.witness.settled))
        return 0;
    const bool differs = st_witness_differs(&service->loop.witness, &wished);
    service->loop.witness = wished;
    return differs ? restart_loop(service) : 0;
}

static int rest_or_run(struct st_service *service)
{
    struct st_service_music *music = &service->music;
    const int64_t now_ns = st_platform_now_ns(service->platform);
    const bool always = st_text_is(service->config.loop.when, "always");
    struct st_playing_facts facts = {.own_stream = st_config_own_stream(&service->config)};
    st_observe_playing(service->observe, &facts);
    const enum st_playing_answer answer = st_witness_plays(&music->playing, &facts, now_ns);
    const bool runs = always || answer != ST_PLAYING_NO;
    int r = 0;
    if (runs && service->view.rests)
        r = wake_up(service, &facts, why_text(answer, &facts, always));
    else if (!runs && !service->view.rests && service->loop.overdue.since_ns == 0)
        /* A loop that gets no CPU cannot be ended, so it does not go to rest. */
        r = go_to_rest(service);
    else if (runs && service->loop.overdue.since_ns == 0)
        r = follow_music(service, answer, &facts);
    music->calm = service->view.rests && facts.telling_n > 0 && facts.blind == NULL;
    service->clockwatch.rest_ns = st_service_tick_ns(service) - ST_SERVICE_TICK_NS;
    if (music->calm)
        give_memory_back(); /* frees what the last HTTP answers and minutes used */
    music->decided_ns = now_ns;
    return r;
}

int st_service_wait(struct st_service *service, int64_t until_ns, const sigset_t *blocked)
{
    struct st_service_web *web = &service->web;
    struct st_wait wait;
    size_t events_n;
    st_wait_init(&wait, until_ns);
    st_http_wait(web->http, &wait);
    st_http_wait(web->tcp, &wait);
    st_http_wait(web->page, &wait);
    st_history_writer_wait(service->history, &wait);
    st_observe_wait(service->observe, &wait);
    st_notify_wait(service->notify, &wait);
    st_tracer_way_wait(&service->tracer_way, &wait);
    st_wait(&wait, service->platform, blocked);
    const int64_t played_ns = st_observe_turn(service->observe, &wait);
    st_history_writer_turn(service->history, &wait);
    st_tracer_way_turn(&service->tracer_way, service->session, &wait);
    if (st_notify_turn(service->notify) && st_service_view_mark(service, "prompted", "") != 0)
        ST_WARN("a click was not marked: at most ten marks a minute are taken");
    st_http_turn(web->http, &wait);
    st_http_turn(web->tcp, &wait);
    st_http_turn(web->page, &wait);
    if (st_history_writer_wants_events(service->history)) {
        st_history_writer_give_levels(service->history, st_observe_levels(service->observe));
        const struct st_trace_event *events = st_tracer_way_freeze(&service->tracer_way, &events_n);
        st_history_writer_give_events(service->history, events, events_n);
    }
    return service->view.rests && played_ns > service->music.decided_ns ? rest_or_run(service) : 0;
}

/* --- start --- */

static int start_parts(struct st_service *service)
{
    int r = st_service_parts_open_socket(service);
    if (r < 0)
        return r;
    /* The kernel enforces this limit even if the watchdog fails. rtkit may set a lower limit. */
    r = service->platform->set_rttime_limit_ns(service->platform, ST_WATCHDOG_RTTIME_NS);
    if (r < 0 && r != -ENOTSUP)
        ST_WARN("cannot set RLIMIT_RTTIME, with which the kernel stops a timing test that never "
                "sleeps: %s. Only the watchdog guards against that now.",
                strerror(-r));
    begin_rest(service);
    service->loop.witness = st_witness_choose(&service->config, NULL);
    r = st_service_parts_start_audio(service);
    if (r == 0 && !service->view.rests)
        r = st_service_parts_start_loop(service);
    if (service->web.socket.lock_fd >= 0)
        ST_PRINT(service->cycles, "%s.cycles", service->web.socket.path);
    st_history_writer_record(service->history, service->cycles);
    if (r == 0)
        r = st_observe_new(service->platform, st_xrun_sources, &service->config, &service->events,
                           service->cycles, &service->observe);
    if (r < 0)
        return r;
    service->notify = st_notify_new();
    st_service_parts_restart_tcp(service);
    st_clockwatch_tick(&service->clockwatch, service->platform, &service->events);
    return 0;
}

/* Stops and frees all parts. A part that was not started is NULL. */
static void free_service(struct st_service *service)
{
    struct st_service_web *web = &service->web;
    st_http_stop(web->page);
    st_http_stop(web->tcp);
    st_http_stop(web->http);
    st_service_parts_stop_loop(service);
    st_result_finish(&service->music.rested);
    st_observe_free(service->observe);
    if (service->cycles[0] != '\0')
        (void)unlink(service->cycles);
    st_notify_free(service->notify);
    st_kernel_log_close(&service->kernel_log);
    st_service_parts_stop_audio(service);
    if (service->causes != NULL)
        st_causes_tick(service->causes,
                       (int)service->config.loop.cpu); /* so that the last events are added */
    st_events_log(&service->events, st_service_view_wall_ns(service), true);
    if (service->loop.hangs)
        st_events_listen(&service->events, NULL, NULL);
    /* stopped after the parts that add events, since it stores them */
    st_history_writer_stop(service->history);
    st_events_listen(&service->events, NULL, NULL);
    st_events_log(&service->events, st_service_view_wall_ns(service), true);
    st_socket_close(&web->socket);
    if (service->loop.hangs)
        return; /* the hanging threads of the loop use the remaining parts until the process ends */
    st_tracer_way_finish(&service->tracer_way);
    st_causes_free(service->causes);
    st_events_finish(&service->events);
    free(service);
}

/* Creates the list of events, the causes and the history writer, to which the other parts write.
 * After an error everything is freed again. */
static int init_books(struct st_service *service)
{
    int r = st_events_init(&service->events, service->platform);
    if (r < 0)
        return r;
    r = st_causes_new(service->platform, &service->events, &service->causes);
    if (r < 0)
        goto no_causes;
    r = st_tracer_way_init(&service->tracer_way, service->causes);
    if (r < 0)
        goto no_way;
    r = st_history_writer_start(service->platform, &service->config, &service->events,
                                &service->history);
    if (r == 0)
        return 0;
    st_tracer_way_finish(&service->tracer_way);
no_way:
    st_causes_free(service->causes);
no_causes:
    st_events_finish(&service->events);
    return r;
}

int st_service_start(struct st_platform *platform, const struct st_config *config,
                     const char *config_path, struct st_service **ret)
{
    struct st_service *service = calloc(1, sizeof(*service));
    if (service == NULL)
        return -ENOMEM;
    st_pages_touch(service, sizeof(*service));
    service->platform = platform;
    service->config = *config;
    service->config_path = config_path;
    service->web.socket.fd = -1;
    service->web.socket.lock_fd = -1;
    service->started_ns = st_platform_now_ns(platform);
    service->view.started_wall_ns = st_service_view_wall_ns(service);
    service->view.config.read_wall_ns = st_service_view_wall_ns(service);
    service->view.pid = (long)getpid();
    st_service_view_look_at_right(service);
    st_audio_view_init(config, &service->view.audio);
    ST_PRINT(service->view.config.file, "%s", st_text_or(config_path, ""));
    int r = init_books(service);
    if (r < 0) {
        free(service);
        return r;
    }
    r = start_parts(service);
    if (r < 0) {
        free_service(service);
        return r;
    }
    ST_INFO("sleeptuned " ST_VERSION ": status on %s",
            ST_HAVE_HTTP ? service->web.socket.path : "no socket");
    st_systemd_notify("READY=1");
    *ret = service;
    return 0;
}

/* --- each tick --- */

static void report_cpu(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    if (!st_service_view_look(service, &view, &result))
        return;
    const double cpu_ns = result.cpu_ns_per_cycle * (double)result.cycles;
    const bool real_time = result.policy != ST_POLICY_OTHER && result.cpu_ns_per_cycle >= 0;
    st_result_finish(&result);
    if (real_time)
        st_watchdog_report_cpu(service->watchdog, cpu_ns, st_platform_now_ns(service->platform));
}

static void check_overdue(struct st_service *service)
{
    struct st_overdue *loop = &service->loop.overdue;
    const int64_t now_ns = st_platform_now_ns(service->platform);
    st_overdue_check(loop, st_session_heartbeat(service->session),
                     st_session_due_ns(service->session), now_ns);
    const int64_t overdue_ns = st_service_view_overdue_ns(service);
    struct st_hog hog = {0};
    if (overdue_ns > 0) {
        hog = service->view.overdue.hog;
        st_hog_look(service->platform, st_session_tid(service->session), &hog);
    }
    service->view.overdue.hog = hog;
    if (hog.looks == ST_HOG_LOOKS)
        ST_SERVICE_EVENT(service, ST_LOG_WARN, ST_EVENT_LOOP_STALLED,
                         "the program %s/%d with real-time priority %d keeps CPU %d busy, so the "
                         "timing test cannot run",
                         hog.name, (int)hog.tid, hog.priority, hog.cpu);
    if ((overdue_ns > 0) == (loop->since_ns != 0))
        return;
    const bool begins = overdue_ns > 0;
    const int64_t for_ns = begins ? overdue_ns : now_ns - loop->since_ns;
    const char *text = st_ns_text(for_ns);
    if (begins)
        ST_SERVICE_EVENT(service, ST_LOG_WARN, ST_EVENT_LOOP_STALLED,
                         "the timing test has not run for %s: another program keeps its CPU, or "
                         "the test itself hangs",
                         text);
    else
        ST_SERVICE_EVENT(service, ST_LOG_INFO, ST_EVENT_LOOP_RESUMED,
                         "the timing test runs again; it stood still for at most %s", text);
    loop->since_ns = begins ? now_ns - overdue_ns : 0;
}

/* Reports what is new: parts that are degraded, and dropouts with a new cause. */
static void report_news(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    char degraded[ST_VIEW_DEGRADED_MAX][ST_VIEW_TEXT_BYTES];
    st_service_view_look(service, &view, &result);
    const struct st_degraded_list list = st_view_degraded(&view);
    size_t n = 0;
    st_result_finish(&result);
    st_notify_look(service->notify, st_config_notifies(&service->config), &view,
                   st_platform_now_ns(service->platform));
    ST_EACH_OF (part, list.parts, list.n) {
        bool is_there = false;
        if (part->counts) /* leaves out reasons whose text counts seconds: each would be new */
            continue;
        ST_PRINT(degraded[n], "%s", part->why);
        for (size_t j = 0; j < service->degraded_n && !is_there; j++)
            is_there = st_text_is(degraded[n], service->degraded[j]);
        n++;
        if (!is_there)
            st_events_add(&service->events, ST_LOG_WARN, view.now_wall_ns, ST_EVENT_DEGRADED,
                          "%s: %s", part->what, part->why);
    }
    if (list.n > 0 && n == 0 && service->degraded_n > 0)
        return; /* only reasons that count seconds remain, so nothing has recovered yet */
    if (n == 0 && service->degraded_n > 0)
        st_events_add(&service->events, ST_LOG_INFO, view.now_wall_ns, ST_EVENT_RECOVERED,
                      "all parts of sleeptuned work as configured again");
    memcpy(service->degraded, degraded, n * sizeof(degraded[0]));
    service->degraded_n = n;
}

/* Is an action due that runs every `every` ticks of 1 s? While the loop rests, one call of
 * st_service_tick counts as several ticks, so service->tick can step over a multiple. */
static bool is_due(const struct st_service *service, uint64_t before, uint64_t every)
{
    return service->tick / every != before / every;
}

static int look_after_loop(struct st_service *service)
{
    if (service->view.rests)
        return 0;
    if (st_session_wait(service->session, 0)) {
        ST_ERR("sleeptuned ends: the kernel refuses the system call with which the timing test "
               "sleeps");
        return -EIO;
    }
    st_service_parts_trace(service);
    check_overdue(service);
    return 0;
}

int st_service_tick(struct st_service *service)
{
    const uint64_t before = service->tick;
    service->tick += (uint64_t)(st_service_tick_ns(service) / ST_SERVICE_TICK_NS);
    st_clockwatch_tick(&service->clockwatch, service->platform, &service->events);
    int r = look_after_loop(service);
    if (r < 0)
        return r;
    st_causes_tick(service->causes, (int)service->config.loop.cpu);
    st_observe_count(service->observe);
    st_kernel_log_look(&service->kernel_log, service->platform, &service->events);
    st_events_log(&service->events, st_service_view_wall_ns(service), false);
    /* systemd restarts a service that does not send this message. It is sent even if the loop gets
     * no CPU: a restart would not help then, and would lose the loop's figures. An event reports
     * that the loop gets no CPU. */
    st_systemd_notify("WATCHDOG=1");
    r = rest_or_run(service);
    if (r < 0)
        return r;
    if (is_due(service, before, TICKS_A_TRY) && service->view.failed.http[0] != '\0')
        st_service_parts_restart_tcp(service); /* try again, since the address may appear with the
                                                  network, long after boot */
    if (is_due(service, before, TICKS_A_TRY))
        st_service_view_look_at_right(service);
    if (before % TICKS_A_LOOK == 0 || service->view.rests)
        report_news(service);
    if (service->tick % TICKS_A_LOOK == 0 && !service->view.rests)
        report_cpu(service);
    if (is_due(service, before, TICKS_A_MINUTE)) {
        set_history_again(service, false);
        st_service_view_end_minute(service);
    }
    return 0;
}

void st_service_too_long(struct st_service *service)
{
    if (service->watchdog != NULL)
        st_watchdog_demote(service->watchdog, ST_WATCHDOG_TOO_LONG);
}

/* Logs all messages about a bad configuration file, and keeps the first one for the status. */
static void on_config_error(void *ctx, const char *message)
{
    char *first = ctx;
    if (first[0] == '\0')
        snprintf(first, ST_VIEW_TEXT_BYTES, "%s", message);
    ST_ERR("%s", message);
}

/* Replaces the new settings of the loop by the current ones while the loop gets no CPU, since such
 * a loop cannot be ended and started again. */
static void keep_loop(struct st_service *service, struct st_config *config, char *error)
{
    const bool stalled = st_service_view_overdue_ns(service) > 0;
    if (!stalled || (st_config_difference(&service->config, config) & ST_CONFIG_APPLIES_LOOP) == 0)
        return;
    config->loop = service->config.loop;
    snprintf(error, ST_VIEW_TEXT_BYTES,
             "the timing test gets no CPU, so its new settings are not in force. Reload again when "
             "it runs.");
    ST_WARN("%s", error);
}

static int apply(struct st_service *service, const struct st_config *config)
{
    const unsigned applies = st_config_difference(&service->config, config);
    service->config = *config;
    int r = 0;
    if ((applies & ST_CONFIG_APPLIES_LOOP) != 0) {
        struct st_playing_facts facts = {0};
        st_observe_playing(service->observe, &facts);
        service->loop.witness = st_witness_choose(config, &facts);
    }
    if ((applies & ST_CONFIG_APPLIES_START) != 0)
        ST_WARN("socket.path was changed. Restart sleeptuned to use it.");
    /* A reload also tries again what failed before: a missing group may exist now, or a port may be
     * free. */
    if ((applies & ST_CONFIG_APPLIES_SOCKET) != 0 || service->view.failed.socket[0] != '\0')
        st_service_parts_set_rights(service);
    if ((applies & ST_CONFIG_APPLIES_HTTP) != 0 || service->view.failed.http[0] != '\0')
        st_service_parts_restart_tcp(service);
    if ((applies &
         (ST_CONFIG_APPLIES_OBSERVE | ST_CONFIG_APPLIES_WHEN | ST_CONFIG_APPLIES_AUDIO)) != 0)
        st_observe_set(service->observe, config);
    if ((applies & ST_CONFIG_APPLIES_HISTORY) != 0)
        st_history_writer_set(service->history, config);
    else
        set_history_again(service, true);
    if ((applies & ST_CONFIG_APPLIES_TRACE) != 0)
        st_service_parts_stop_trace(
            service); /* the next tick starts the trace again if it is configured */
    /* A change of the loop's settings restarts the stream, too, because the stream's buffer has the
     * loop's size. */
    if ((applies & (ST_CONFIG_APPLIES_AUDIO | ST_CONFIG_APPLIES_LOOP)) != 0) {
        st_service_parts_stop_audio(service);
        r = st_service_parts_start_audio(service);
    }
    if (r == 0 && (applies & ST_CONFIG_APPLIES_LOOP) != 0 && !service->view.rests) {
        r = restart_loop(service);
    }
    return r < 0 ? -EIO : rest_or_run(service);
}

int st_service_reload(struct st_service *service)
{
    st_systemd_notify("RELOADING=1\nMONOTONIC_USEC=%lld",
                      (long long)(st_platform_now_ns(service->platform) / ST_NS_PER_US));
    struct st_config config;
    char error[ST_VIEW_TEXT_BYTES] = "";
    const char *file = service->config_path;
    int r = 0;
    if (file == NULL && access(ST_SERVICE_CONFIG, F_OK) == 0)
        file = ST_SERVICE_CONFIG;
    if (file == NULL) {
        ST_INFO("reload: no configuration file exists");
    } else if (st_config_load(service->platform, file, &config, on_config_error, error) < 0) {
        ST_SERVICE_EVENT(service, ST_LOG_ERR, ST_EVENT_CONFIG_REJECTED,
                         "reload: %.100s has errors; the old settings stay in force", file);
    } else {
        keep_loop(service, &config, error);
        r = apply(service, &config);
        if (r < 0)
            return r; /* the loop has ended: the caller ends the daemon and reports the error */
        service->config_path = file;
        ST_PRINT(service->view.config.file, "%s", file);
        ST_SERVICE_EVENT(service, ST_LOG_INFO, ST_EVENT_CONFIG_READ,
                         "reload: the settings of %.100s are in force", file);
    }
    set_history_again(service, false);
    ST_PRINT(service->view.config.error, "%s", error);
    if (error[0] == '\0') {
        service->view.config.read_wall_ns = st_service_view_wall_ns(service);
    }
    st_systemd_notify("READY=1");
    return r;
}

/* Ends the loop, so that its counts are complete, then stores and logs the final figures. */
static void close_books(struct st_service *service)
{
    const bool rests = service->view.rests;
    if (service->session == NULL && !rests)
        return;
    if (!service->loop.hangs && !rests)
        st_service_parts_end_loop(service);
    service->view.ended = true;
    st_service_view_end_minute(service);
    struct st_view view;
    struct st_result result;
    if (!st_service_view_look(service, &view, &result))
        return;
    const struct st_answer answer = st_answer_of(&view);
    ST_INFO("sleeptuned ended after %llu cycles of the timing test: %s",
            (unsigned long long)result.cycles, answer.text);
    st_result_finish(&result);
}

int st_service_stop(struct st_service *service)
{
    st_systemd_notify("STOPPING=1");
    close_books(service);
    const int r = service->loop.hangs ? -ETIMEDOUT : 0;
    free_service(service);
    return r;
}
