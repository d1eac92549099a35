/* Collects the figures of all parts at one moment: for HTTP answers, for each minute of the
 * history, and for events about degraded parts. */
#include "daemon/service_view.h"

#include <pwd.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/page/page.h"
#include "core/text/json.h"
#include "daemon/causes/culprit_request.h"
#include "daemon/systemd.h"

/* the answer to "I heard it now" shows the events of this time before it */
#define MARK_SHOWN_NS ST_NS_PER_MINUTE

#define LOG_MODULE "daemon"

static struct st_history_conditions conditions_of(const struct st_result *result)
{
    struct st_history_conditions ret = {.priority = result->priority,
                                        .cpu = result->cpu,
                                        .frames = result->frames,
                                        .rate_hz = result->rate_hz,
                                        .load_percent = result->load_percent};
    const char *kernel = st_result_condition(result, "kernel_release");
    const char *governor = st_result_condition(result, "governor");
    ST_PRINT(ret.kernel, "%s", st_text_or(kernel, ""));
    ST_PRINT(ret.governor, "%s", st_text_or(governor, ""));
    ST_PRINT(ret.policy, "%s", st_platform_policy_name(result->policy));
    return ret;
}

struct st_history_minute st_service_view_minute_so_far(const struct st_result *result,
                                                       int64_t now_ns, int64_t wall_ns)
{
    const int64_t due_ns =
        st_period_due_ns(&result->period, result->t0_ns, result->elapsed_periods);
    /* A loop whose sleep returns at once counts periods that are still in the future. So the
     * measured time ends at most one period after now. */
    const int64_t latest_ns = st_ns_add(now_ns, st_period_ns(&result->period));
    const int64_t until_ns =
        due_ns < latest_ns || result->elapsed_periods == 0 ? due_ns : latest_ns;
    return (struct st_history_minute){
        .measured_ns = st_ns_sub(until_ns, result->t0_ns),
        .to_wall_ns = st_ns_sub(wall_ns, st_ns_sub(now_ns, until_ns)),
        .cycles = result->cycles,
        .misses = result->misses,
        .miss_events = (int64_t)result->miss_events.n,
        .skipped_periods = result->skipped_periods,
        .lateness_max_ns = INT64_MIN,
        .conditions = conditions_of(result),
    };
}

static uint64_t difference(uint64_t now, uint64_t before)
{
    return now >= before ? now - before : now;
}

bool st_service_view_minute_take(struct st_history_minute *before,
                                 const struct st_history_minute *now, struct st_history_minute *ret)
{
    const bool goes_on = before->measured_ns > 0 && now->measured_ns >= before->measured_ns;
    const int64_t measured_ns = goes_on ? now->measured_ns - before->measured_ns : now->measured_ns;
    if (measured_ns == 0)
        return false;
    *ret = *now;
    ret->from_wall_ns = goes_on ? before->to_wall_ns : st_ns_sub(now->to_wall_ns, measured_ns);
    ret->measured_ns = measured_ns;
    ret->cycles = difference(now->cycles, before->cycles);
    ret->misses = difference(now->misses, before->misses);
    ret->miss_events =
        (int64_t)difference((uint64_t)now->miss_events, (uint64_t)before->miss_events);
    ret->skipped_periods = difference(now->skipped_periods, before->skipped_periods);
    ret->own_dropouts_n = difference(now->own_dropouts_n, before->own_dropouts_n);
    *before = *now;
    return true;
}

const char *st_service_view_minute_text(const struct st_history_minute *minute, int64_t dropouts_n)
{
    const char *text = st_text("last %jd s: %ju cycles of the timing test, %ju missed; %ju "
                               "dropouts in sleeptuned's own test stream",
                               (minute->measured_ns + ST_NS_PER_S / 2) / ST_NS_PER_S,
                               minute->cycles, minute->misses, minute->own_dropouts_n);
    if (dropouts_n != INT64_MIN)
        text = st_text("%s; %jd dropouts of other programs", text, dropouts_n);
    if (minute->lateness_max_ns != INT64_MIN)
        text = st_text("%s; worst wake-up %s late", text, st_ns_text(minute->lateness_max_ns));
    return text;
}

int64_t st_service_view_wall_ns(struct st_service *service)
{
    return st_platform_wall_ns(service->platform);
}

int64_t st_service_view_overdue_ns(struct st_service *service)
{
    if (service->session == NULL || service->view.rests ||
        (service->view.ended && !service->loop.hangs))
        return 0;
    return st_overdue_ns(&service->loop.overdue, st_session_heartbeat(service->session),
                         st_session_due_ns(service->session),
                         st_platform_now_ns(service->platform));
}

#define LIMITS_FOLDER "/etc/security/limits.d" /* on Linux; FreeBSD has no such folder */
/* begin of the name of the file that gives a user real-time rights on Linux; the user's name
 * follows */
#define RIGHT_FILE "99-sleeptune-linux-rt-permission-"

static int look_at_right(void *ctx, const char *name)
{
    static char
        own[80]; /* name of this user's file; static, since the user of a process does not change */
    bool *set_up = ctx;
    if (!st_text_begins(name, RIGHT_FILE))
        return 0;
    /* Looks the user's name up only until it is known: a user database on the network may answer
     * slowly. */
    const struct passwd *user = own[0] == '\0' ? getpwuid(geteuid()) : NULL;
    if (user != NULL)
        ST_PRINT(own, RIGHT_FILE "%s.conf", user->pw_name);
    *set_up = *set_up || st_text_is(name, own);
    return 0;
}

void st_service_view_look_at_right(struct st_service *service)
{
    struct st_platform *machine = service->platform;
    service->view.right_set_up = false;
    if (geteuid() != 0)
        (void)machine->list(machine, LIMITS_FOLDER, look_at_right, &service->view.right_set_up);
}

bool st_service_view_look(struct st_service *service, struct st_view *view,
                          struct st_result *result)
{
    *view = service->view;
    *result = (struct st_result){0};
    const bool has_result = service->session != NULL
                                ? st_session_result(service->session, result) == 0
                                : service->view.rests && service->music.rested.rate_hz > 0 &&
                                      st_result_copy(result, &service->music.rested) == 0;
    if (service->audio != NULL)
        st_audio_look(service->audio, &view->audio);
    view->audio.dropouts_n += service->closed_stream_dropouts_n;
    if (service->watchdog != NULL)
        st_watchdog_look(service->watchdog, &view->watchdog);
    if (service->observe != NULL)
        st_observe_look(service->observe, &view->observe);
    st_history_writer_look(service->history, &view->history);
    /* Only systemd's library shows notifications, and it is on Linux only. */
    if (service->platform->os == ST_OS_LINUX)
        ST_PRINT(view->notify, "%s",
                 st_notify_state(service->notify, st_config_notifies(&service->config)));
    view->overdue.ns = st_service_view_overdue_ns(service);
    view->loop = has_result ? result : NULL;
    if (atomic_load(&service->loop.has_rtkit))
        ST_PRINT(view->rtkit, "%s", service->loop.rtkit);
    if (access(st_text("/run/user/%u/systemd/private", (unsigned)geteuid()), F_OK) == 0)
        view->pipewire_restart = st_os_rows[service->platform->os].pipewire_restart;
    view->now_wall_ns = st_service_view_wall_ns(service);
    view->uptime_ns = st_platform_now_ns(service->platform) - service->started_ns;
    return has_result;
}

/* Makes the status document; NULL: out of memory. */
static json_t *document_of(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    st_service_view_look(service, &view, &result);
    view.events = st_events_json(&service->events, view.now_wall_ns);
    json_t *document = st_view_json(&view);
    json_decref(view.events);
    st_result_finish(&result);
    return document;
}

/* --- HTTP --- */

static char *document_text(struct st_service *service, enum st_route_body which,
                           unsigned *http_status)
{
    json_t *document = document_of(service);
    char *text = NULL;
    if (which == ST_ROUTE_STATUS)
        text =
            json_dumps(document, ST_JSON_PRETTY); /* json_dumps returns NULL if document is NULL */
    else if (document != NULL)
        text = st_page_text(document, which == ST_ROUTE_CYCLE ? ST_PAGE_CYCLE : ST_PAGE_SERVED);
    if (text != NULL && text[0] == '\0')
        *http_status = 204; /* no client has a cycle to draw */
    json_decref(document);
    return text;
}

static char *metrics_text(struct st_service *service, bool named)
{
    struct st_view view;
    struct st_result result;
    st_service_view_look(service, &view, &result);
    char *text = st_view_metrics(&view, named);
    st_result_finish(&result);
    return text;
}

int st_service_view_mark(struct st_service *service, const char *by, const char *note)
{
    struct st_platform *platform = service->platform;
    int64_t *oldest_ns = &service->marked_ns[service->next_mark];
    const int64_t now_ns = st_platform_now_ns(platform);
    if (*oldest_ns != 0 && st_ns_sub(now_ns, *oldest_ns) < ST_NS_PER_MINUTE)
        return -EAGAIN;
    *oldest_ns = now_ns;
    service->next_mark = (service->next_mark + 1) % ST_ARRAY_LEN(service->marked_ns);
    struct st_event event =
        st_event_make(st_platform_wall_ns(platform), ST_EVENT_HEARD, "%s", note);
    ST_PRINT(event.source, "%s", by);
    ST_PRINT(event.client, "%s", st_observe_unheard(service->observe));
    st_events_put(&service->events, ST_LOG_INFO, &event);
    st_observe_cut(service->observe);
    return 0;
}

static void give_answer(void *request, char *text, unsigned http_status)
{
    st_http_answer(request, text, http_status);
}

static void ask_history(struct st_service *service, enum st_route_body which,
                        const struct st_query *query, struct st_http_request *request)
{
    struct st_query of_mark = *query;
    struct st_history_writer_view kept;
    st_history_writer_look(service->history, &kept);
    if (which == ST_ROUTE_MARK && kept.state == ST_HISTORY_WRITER_OFF)
        which = ST_ROUTE_HEARD; /* the history is off: this answer says why no mark is stored */
    if (which == ST_ROUTE_MARK) {
        if (st_service_view_mark(service, st_text_or(query->by, "key"), query->note) != 0) {
            st_http_answer(request,
                           st_route_error_text("at most ten clicks a minute can be marked"), 429);
            return;
        }
        st_query_init(&of_mark);
        of_mark.since_wall_ns = st_ns_sub(st_service_view_wall_ns(service), MARK_SHOWN_NS);
        query = &of_mark;
        which = ST_ROUTE_HEARD;
    }
    struct st_history_ask ask = {.which = which,
                                 .query = *query,
                                 .marked = query == &of_mark,
                                 .answered = give_answer,
                                 .to = request};
    st_causes_look(service->causes, &ask.now);
    if (service->observe != NULL) {
        ask.watched = st_observe_minute_so_far(service->observe);
        ask.open_n = st_observe_open_events(service->observe, &ask.open);
    }
    st_history_writer_ask(service->history, &ask);
}

/* The request only chooses which time and which thread of the trace are searched. Nothing in it is
 * taken as true: the answer comes from the trace alone. */
static char *culprit_text(struct st_service *service, const struct st_query *query,
                          unsigned *http_status)
{
    struct st_platform *p = service->platform;
    const int64_t offset_ns = st_platform_wall_ns(p) - st_platform_now_ns(p);
    const int64_t since_ns = st_ns_sub(query->since_wall_ns, offset_ns);
    const int64_t until_ns = st_ns_sub(query->until_wall_ns, offset_ns);
    struct st_trace_culprit culprit;
    if (query->tid == INT64_MIN || query->since_wall_ns == INT64_MIN ||
        query->until_wall_ns == INT64_MIN ||
        st_ns_sub(until_ns, since_ns) > ST_CULPRIT_SPAN_MAX_NS) {
        *http_status = 400;
        return st_route_error_text(
            "'since', 'until' and 'tid' are needed, and 'until' at most 10 s after 'since'");
    }
    const int r =
        st_tracer_way_find(&service->tracer_way, (pid_t)query->tid, since_ns, until_ns, &culprit);
    return st_json_into_text(st_culprit_request_answer(r, &culprit), JSON_COMPACT);
}

static char *address_text(struct st_service *service, unsigned *http_status)
{
    struct st_service_web *web = &service->web;
    const struct st_http_source from = st_service_view_source(service);
    const int r = web->page != NULL ? 0 : st_http_start_private(&from, web->page_url, &web->page);
    if (r < 0) {
        *http_status = 503;
        return st_route_error_text("sleeptuned cannot open a port of 127.0.0.1 for the live page");
    }
    return st_json_into_text(st_json_object("schema:t url:t", "sleeptune-page/1", web->page_url),
                             JSON_COMPACT);
}

static void ask(void *ctx, enum st_route_body which, const struct st_query *query,
                struct st_http_request *request)
{
    unsigned http_status = 200;
    char *text = NULL;
    switch (which) {
    case ST_ROUTE_CULPRITS:
        text = culprit_text(ctx, query, &http_status);
        break;
    case ST_ROUTE_METRICS:
    case ST_ROUTE_METRICS_UNNAMED:
        text = metrics_text(ctx, which == ST_ROUTE_METRICS);
        break;
    case ST_ROUTE_ADDRESS:
        text = address_text(ctx, &http_status);
        break;
    case ST_ROUTE_SHELL:
        text = st_page_text(NULL, ST_PAGE_SHELL);
        break;
    case ST_ROUTE_ICON:
    case ST_ROUTE_MANIFEST:
        text = strdup(which == ST_ROUTE_ICON ? st_page_icon : st_page_manifest);
        break;
    case ST_ROUTE_STATUS:
    case ST_ROUTE_PAGE:
    case ST_ROUTE_CYCLE:
        text = document_text(ctx, which, &http_status);
        break;
    case ST_ROUTE_CAUSES:
    case ST_ROUTE_HISTORY:
    case ST_ROUTE_EVENTS:
    case ST_ROUTE_SIZES:
    case ST_ROUTE_TRACE:
    case ST_ROUTE_HEARD:
    case ST_ROUTE_MARK:
        ask_history(ctx, which, query, request);
        return;
    case ST_ROUTE_ERROR:
        break;
    }
    st_http_answer(request, text, http_status);
}

struct st_http_source st_service_view_source(struct st_service *service)
{
    return (struct st_http_source){.ask = ask, .ctx = service};
}

/* --- each minute, and each change --- */

/* Ends the minute of the watched sound servers and cards: *ret gets what they saw of other
 * programs from from_wall_ns to to_wall_ns. */
static void take_observed(struct st_service *service, int64_t from_wall_ns, int64_t to_wall_ns,
                          struct st_observe_minute *ret)
{
    *ret = (struct st_observe_minute){.dropouts_n = INT64_MIN};
    if (service->observe != NULL)
        st_observe_end_minute(service->observe, ret);
    ret->watched.from_wall_ns = from_wall_ns;
    ret->watched.to_wall_ns = to_wall_ns;
    service->observed_wall_ns = to_wall_ns;
}

/* Adds a minute in which the loop did not run. If the loop rested, nothing played in that minute.
 */
static void add_observed(struct st_service *service)
{
    struct st_observe_minute minute;
    const int64_t wall_ns = st_service_view_wall_ns(service);
    take_observed(service,
                  service->observed_wall_ns > 0 ? service->observed_wall_ns
                                                : wall_ns - ST_NS_PER_MINUTE,
                  wall_ns, &minute);
    for (size_t i = 0; service->view.rests && i < minute.watched.watches_n; i++) {
        /* If a source sees sound now, the sound has just begun, because earlier sound would have
         * ended the loop's rest. So the minute counts as silent. */
        if (minute.watched.watches[i].playing == 1)
            minute.watched.watches[i].playing = 0;
    }
    st_history_writer_add(service->history, NULL, NULL, NULL, &minute.watched);
}

/* Ends the loop's minute and gives it to the history. @return false: the loop rests or counted
 * nothing new, so no minute was ended. */
static bool take_minute(struct st_service *service)
{
    struct st_platform *platform = service->platform;
    struct st_history_minute *ret = &service->view.minute;
    struct st_view view;
    struct st_result result;
    if (service->view.rests || !st_service_view_look(service, &view, &result))
        return false;
    struct st_history_minute now = st_service_view_minute_so_far(
        &result, st_platform_now_ns(platform), st_platform_wall_ns(platform));
    now.own_dropouts_n = view.audio.dropouts_n;
    st_result_finish(&result);
    struct st_hist lateness = {0};
    const bool is_over = st_hist_init(&lateness, ST_HISTORY_DIGITS) == 0 &&
                         st_service_view_minute_take(&service->loop.counts, &now, ret);
    if (is_over) {
        struct st_cause_sums causes;
        struct st_observe_minute observed;
        st_session_hold(service->session);
        st_tracer_way_end_minute(&service->tracer_way, &lateness);
        st_session_let_go(service->session);
        ret->lateness_max_ns = lateness.total_n > 0 ? lateness.max_ns : INT64_MIN;
        st_causes_end_minute(service->causes, &causes, ret);
        take_observed(service, ret->from_wall_ns, ret->to_wall_ns, &observed);
        service->view.minute_dropouts_n = observed.dropouts_n;
        st_history_writer_add(service->history, ret, &lateness, &causes, &observed.watched);
    }
    st_hist_finish(&lateness);
    return is_over;
}

void st_service_view_end_minute(struct st_service *service)
{
    if (!take_minute(service)) {
        add_observed(service);
        if (service->view.rests)
            st_systemd_notify("STATUS=nothing plays: the timing test rests");
        return;
    }
    const char *text =
        st_service_view_minute_text(&service->view.minute, service->view.minute_dropouts_n);
    st_log_event(ST_LOG_INFO, LOG_MODULE, "minute", INT64_MIN, service->view.minute.lateness_max_ns,
                 text);
    st_systemd_notify("STATUS=%s", text);
}
