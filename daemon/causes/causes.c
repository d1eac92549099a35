/* Sums of causes. */
#include "daemon/causes/causes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/pages.h"
#include "core/text/text.h"
#include "xruns/dropout_reason.h"

#define RECENT_MAX 128 /* quarters of a second with a late wake-up: more than sums of xruns are of */

/* What another program's xrun may be apart from a late wake-up of ours to be "at the same time": an observer
 * looks a few times a second, and a late wake-up is judged within a quarter of one. */
#define SAME_TIME_NS INT64_C(500000000)
#define HOLD_NS      INT64_C(600000000) /* an xrun waits so long for a late wake-up of its time */
#define QUARTER_NS   INT64_C(250000000)
#define GAP_NS       INT64_C(2000000000) /* without a wake-up: no loop ran */

struct recent {
    int64_t wall_ns, lateness_ns, explained_ns;
    enum st_cause cause;
    int cpu; /* -1: unknown */
    char culprit[ST_CAUSE_CULPRIT_BYTES];
};

/* What may still be logged of one kind in this minute. */
struct telling {
    unsigned left, worse_left;
    int64_t worst_ns; /* that was logged */
};

struct st_causes {
    struct st_platform *platform;
    struct st_events *events;
    struct st_system_pressure pressure; /* main thread */
    pthread_mutex_t mutex;              /* all below */
    struct st_event_circumstances circumstances;
    int64_t memory_before_permille; /* of the second before these circumstances */
    int64_t above_ns;               /* 0: no loop so far */
    struct st_cause_sums now;       /* of the minute that goes on, as what follows */
    uint64_t wakes_n, xruns_n, xruns_unknown_n;
    int64_t from_ns, from_wall_ns;
    struct telling late, xruns;
    struct recent recent[RECENT_MAX]; /* the worst of each quarter of a second */
    uint64_t recent_n;
    int64_t watched_from_ns, watched_to_ns; /* by the wall clock: wake-ups were looked at from ... to */
    int cpu;                                /* of the loop; -1: any */
    char no_tracer[200];                    /* why no culprit is named; "": one is */
    struct st_handlers handlers;
    struct {
        int64_t from_wall_ns, to_wall_ns;
        enum st_cause cause;
    } slowed;                     /* the last seconds in a row in which the machine was slower */
    enum st_cause xrun_slowed_by; /* of the last xrun of a program that computed too long in such a time */
};

/* Under the mutex. */
static void begin_minute(struct st_causes *causes)
{
    struct st_platform *p = causes->platform;
    causes->now.n = 0;
    causes->wakes_n = causes->xruns_n = causes->xruns_unknown_n = 0;
    causes->from_ns = p->now_ns(p);
    causes->from_wall_ns = p->wall_ns(p);
    causes->late = causes->xruns =
        (struct telling){.left = ST_CAUSES_EVENTS_A_MINUTE, .worse_left = ST_CAUSES_WORSE_EVENTS_A_MINUTE};
}

/* Is something of that length told? Under the mutex. */
static bool is_told(struct telling *telling, int64_t length_ns)
{
    unsigned *left = telling->left > 0                    ? &telling->left
                     : length_ns / 2 >= telling->worst_ns ? &telling->worse_left
                                                          : NULL;
    if (left == NULL || *left == 0)
        return false;
    (*left)--;
    if (length_ns > telling->worst_ns)
        telling->worst_ns = length_ns;
    return true;
}

static void remember(struct st_causes *causes, const struct recent *late)
{
    struct recent *newest = &causes->recent[(causes->recent_n + RECENT_MAX - 1) % RECENT_MAX];
    if (causes->recent_n == 0 || newest->wall_ns / QUARTER_NS != late->wall_ns / QUARTER_NS)
        causes->recent[causes->recent_n++ % RECENT_MAX] = *late;
    else if (newest->lateness_ns < late->lateness_ns)
        *newest = *late;
}

/* The worst late wake-up of ours that was under way between two moments. Under the mutex. */
static const struct recent *worst_between(const struct st_causes *causes, int64_t from_ns, int64_t to_ns)
{
    const struct recent *worst = NULL;
    const uint64_t n = causes->recent_n < RECENT_MAX ? causes->recent_n : RECENT_MAX;
    for (uint64_t i = 0; i < n; i++) {
        const struct recent *late = &causes->recent[i];
        if (late->wall_ns >= from_ns && st_ns_sub(late->wall_ns, late->lateness_ns) <= to_ns &&
            (worst == NULL || late->lateness_ns > worst->lateness_ns))
            worst = late;
    }
    return worst;
}

static bool is_known(const struct st_event_circumstances *c)
{
    const struct st_event_circumstances unknown = ST_EVENT_CIRCUMSTANCES_UNKNOWN;
    return memcmp(c, &unknown, sizeof(unknown)) != 0;
}

/* " (CPU 2)" */
static const char *cpu_text(int cpu, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, " (CPU %d)", cpu);
    return cpu >= 0 ? buf : "";
}

static void put_down_to(struct st_event *event, const struct recent *late)
{
    char lateness[32], cpu[24];
    const bool moment = event->span_ns <= SAME_TIME_NS;
    st_text_append(event->text, sizeof(event->text), "; %s the test loop%s woke %s%s late: %s%s%s",
                   moment ? "at the same time" : "in that time", cpu_text(late->cpu, cpu, sizeof(cpu)),
                   moment ? "" : "at worst ", st_ns_format(late->lateness_ns, lateness, sizeof(lateness)),
                   st_cause_kind_text(late->cause), late->culprit[0] != '\0' ? ", " : "", late->culprit);
    snprintf(event->cause, sizeof(event->cause), "%s", st_cause_kind_name(late->cause));
    snprintf(event->culprit, sizeof(event->culprit), "%s", late->culprit);
    if (event->lateness_ns == INT64_MIN) {
        event->lateness_ns = late->lateness_ns;
        event->explained_ns = late->explained_ns;
    }
}

static const char *elsewhere(const struct st_event *event)
{
    if (strcmp(event->source, "own") != 0)
        return "program or its sound server";
    return event->no_device ? "stream's own thread: the dummy backend has no sound server and no device"
                            : "sound server or the device";
}

static void put_down_to_none_of_ours(struct st_event *event, bool on_time, int loop_cpu)
{
    char cpu[24];
    if (on_time)
        st_text_append(event->text, sizeof(event->text), "; the test loop%s was %s: look at the %s",
                       cpu_text(loop_cpu, cpu, sizeof(cpu)),
                       event->missing_ns > 0 ? "late, but not late enough to explain it" : "on time",
                       elsewhere(event));
    else
        st_text_append(event->text, sizeof(event->text), "; it is unknown whether the test loop was late");
    snprintf(event->cause, sizeof(event->cause), "%s",
             on_time ? ST_CAUSES_ON_TIME : st_cause_kind_name(ST_CAUSE_UNKNOWN));
}

/* A program computed too long: was the machine slower meanwhile? It waited for its memory: was memory short?
 * A report comes up to a second late. Under the mutex. */
static void put_meanwhile(struct st_causes *causes, int64_t from_ns, int64_t to_ns, struct st_event *event)
{
    const enum st_dropout_reason reason = st_dropout_reason_of(event->cause);
    const int64_t before = causes->memory_before_permille,
                  now = causes->circumstances.pressure_memory_permille;
    const bool swapped_out = reason == ST_DROPOUT_SWAPPED_OUT && event->span_ns <= SAME_TIME_NS;
    if (reason == ST_DROPOUT_TOO_SLOW && causes->slowed.to_wall_ns >= from_ns &&
        causes->slowed.from_wall_ns - ST_NS_PER_S <= to_ns) {
        causes->xrun_slowed_by = causes->slowed.cause;
        st_text_append(event->text, sizeof(event->text), "; meanwhile %s",
                       st_cause_kind_text(causes->slowed.cause));
    } else if (swapped_out && (before > 0 || now > 0)) {
        st_text_append(event->text, sizeof(event->text),
                       "; memory was short: programs waited for it %.1f %% of that second",
                       (double)(before > now ? before : now) / 10);
    } else if (swapped_out && before == 0 && now == 0) {
        st_text_append(event->text, sizeof(event->text),
                       "; memory was not short: it read a file, or what was swapped out before");
    }
}

/* What the machine was under when something was late; an xrun that others had, or our own stream: what kept
 * our loop from running at that time, or that nothing did. */
static int64_t fill(void *ctx, struct st_event *event, bool last)
{
    struct st_causes *causes = ctx;
    const bool xrun = st_event_kind_is_dropout(event->kind);
    const bool is_late = xrun || event->lateness_ns != INT64_MIN || event->kind == ST_EVENT_SIMULATED_XRUN;
    if (is_late && event->span_ns <= SAME_TIME_NS && !is_known(&event->circumstances)) {
        pthread_mutex_lock(&causes->mutex);
        event->circumstances = causes->circumstances;
        pthread_mutex_unlock(&causes->mutex);
    }
    const int64_t from_ns = st_ns_sub(event->wall_ns, event->span_ns), to_ns = event->wall_ns;
    if (xrun) {
        pthread_mutex_lock(&causes->mutex);
        put_meanwhile(causes, from_ns, to_ns, event);
        pthread_mutex_unlock(&causes->mutex);
    }
    /* a client's own cycle decides; the loop may say who made it wake up late */
    const bool woken_late = strcmp(event->cause, st_dropout_reason_name(ST_DROPOUT_WOKEN_LATE)) == 0;
    if (!xrun || (event->cause[0] != '\0' && !(woken_late && event->culprit[0] == '\0')))
        return 0;
    pthread_mutex_lock(&causes->mutex);
    const struct recent *found =
        worst_between(causes, st_ns_sub(from_ns, SAME_TIME_NS), st_ns_add(to_ns, SAME_TIME_NS));
    if (found != NULL && found->lateness_ns < event->missing_ns)
        found = NULL; /* too short */
    const struct recent worst = found != NULL ? *found : (struct recent){0};
    const bool watched =
        causes->watched_from_ns <= from_ns && causes->watched_to_ns >= st_ns_add(to_ns, QUARTER_NS);
    const int cpu = causes->cpu;
    pthread_mutex_unlock(&causes->mutex);
    if (found != NULL)
        put_down_to(event, &worst);
    else if (!last)
        return st_ns_add(causes->platform->now_ns(causes->platform), HOLD_NS);
    else if (!woken_late)
        put_down_to_none_of_ours(event, watched, cpu);
    return 0;
}

int st_causes_new(struct st_platform *platform, struct st_events *events, struct st_causes **ret)
{
    struct st_causes *causes = calloc(1, sizeof(*causes));
    if (causes == NULL)
        return -ENOMEM;
    st_pages_touch(causes, sizeof(*causes));
    if (pthread_mutex_init(&causes->mutex, NULL) != 0) {
        free(causes);
        return -ENOMEM;
    }
    causes->circumstances = ST_EVENT_CIRCUMSTANCES_UNKNOWN;
    causes->memory_before_permille = INT64_MIN;
    causes->platform = platform;
    causes->events = events;
    causes->cpu = -1;
    causes->xrun_slowed_by = ST_CAUSE_UNKNOWN;
    causes->watched_from_ns = INT64_MAX;
    snprintf(causes->no_tracer, sizeof(causes->no_tracer), "trace.enabled is off");
    begin_minute(causes);
    st_events_fill_by(events, fill, causes);
    *ret = causes;
    return 0;
}

void st_causes_free(struct st_causes *causes)
{
    if (causes == NULL)
        return;
    st_events_fill_by(causes->events, NULL, NULL);
    st_readings_close(&causes->pressure.last);
    pthread_mutex_destroy(&causes->mutex);
    free(causes);
}

void st_causes_begin(struct st_causes *causes, const struct st_session_config *config)
{
    const int64_t above_ns = st_session_cause_above_ns(config);
    pthread_mutex_lock(&causes->mutex);
    causes->cpu = config->cpus[0];
    if (above_ns != causes->above_ns) {
        causes->recent_n = 0;
        causes->above_ns = above_ns;
        begin_minute(causes);
    }
    pthread_mutex_unlock(&causes->mutex);
}

void st_causes_tick(struct st_causes *causes, int cpu)
{
    struct st_platform *p = causes->platform;
    st_system_pressure_sample(&causes->pressure, p, cpu);
    const enum st_cause slowed = st_cause_slowed(&causes->pressure.before, &causes->pressure.last);
    const int64_t wall_ns = p->wall_ns(p);
    pthread_mutex_lock(&causes->mutex);
    causes->memory_before_permille = causes->circumstances.pressure_memory_permille;
    causes->circumstances = causes->pressure.now;
    if (slowed != ST_CAUSE_UNKNOWN) {
        if (slowed != causes->slowed.cause || wall_ns - causes->slowed.to_wall_ns > GAP_NS)
            causes->slowed.from_wall_ns = wall_ns;
        causes->slowed.to_wall_ns = wall_ns;
        causes->slowed.cause = slowed;
    }
    pthread_mutex_unlock(&causes->mutex);
}

void st_causes_end_minute(struct st_causes *causes, struct st_cause_sums *ret,
                          struct st_history_minute *minute)
{
    pthread_mutex_lock(&causes->mutex);
    *ret = causes->now;
    minute->late_above_ns = causes->above_ns;
    minute->xruns_unknown_n = causes->xruns_unknown_n;
    minute->late_wakes = 0;
    for (size_t i = 0; i < ret->n; i++)
        minute->late_wakes += ret->rows[i].n;
    begin_minute(causes);
    pthread_mutex_unlock(&causes->mutex);
}

void st_causes_wakes(struct st_causes *causes, uint64_t n)
{
    const int64_t wall_ns = causes->platform->wall_ns(causes->platform);
    pthread_mutex_lock(&causes->mutex);
    causes->wakes_n += n;
    const bool goes_on = causes->watched_from_ns <= wall_ns && causes->watched_to_ns <= wall_ns &&
                         wall_ns - causes->watched_to_ns <= GAP_NS;
    if (n > 0 && !goes_on)
        causes->watched_from_ns = wall_ns;
    if (n > 0)
        causes->watched_to_ns = wall_ns;
    pthread_mutex_unlock(&causes->mutex);
}

/* Under the mutex. */
static void add(struct st_causes *causes, const struct st_late *late, const struct st_trace_culprit *culprit,
                int64_t explained_ns, int64_t wall_ns)
{
    const struct st_cause_event *event = &late->event;
    struct st_cause_sum row = {.cause = event->cause};
    if (culprit != NULL)
        memcpy(row.culprit, culprit->name, sizeof(row.culprit));
    if (late->xrun) {
        causes->xruns_n++;
        const bool known = late->known && event->cause != ST_CAUSE_UNKNOWN;
        causes->xruns_unknown_n += !known;
        row.xruns_n = 1;
        if (known)
            st_cause_sums_add(&causes->now, &row);
        return;
    }
    row.n = 1;
    row.total_ns = row.worst_ns = event->lateness_ns;
    row.figures = explained_ns != INT64_MIN;
    row.explained_ns = row.figures ? explained_ns : 0;
    st_cause_sums_add(&causes->now, &row);
    struct recent recent = {wall_ns, event->lateness_ns, explained_ns, event->cause, event->cpu, ""};
    memcpy(recent.culprit, row.culprit, sizeof(recent.culprit));
    remember(causes, &recent);
}

/* "another thread had the CPU: ffmpeg/4711 for 2.9 ms" */
static void say_why(const struct st_late *late, const struct st_trace_culprit *culprit, char *buf,
                    size_t buf_bytes)
{
    char length[32];
    if (late->xrun && !late->known)
        snprintf(buf, buf_bytes, "cause unknown");
    else if (culprit != NULL)
        snprintf(buf, buf_bytes, "%s: %s for %s", st_cause_kind_text(late->event.cause), culprit->name,
                 st_ns_format(culprit->ns, length, sizeof(length)));
    else
        snprintf(buf, buf_bytes, "%s", st_cause_kind_text(late->event.cause));
}

static void tell(struct st_causes *causes, const struct st_late *late, const struct st_trace_culprit *culprit,
                 int64_t explained_ns, int64_t wall_ns)
{
    const struct st_cause_event *event = &late->event;
    char length[32], why[160];
    const bool known = !late->xrun || late->known;
    say_why(late, culprit, why, sizeof(why));
    struct st_event told =
        late->xrun
            ? st_event_make(wall_ns, ST_EVENT_SIMULATED_XRUN, "a simulated device had no data for %s: %s",
                            st_ns_format(late->silence_ns, length, sizeof(length)), why)
            : st_event_make(wall_ns, ST_EVENT_LATE_WAKE, "the test loop woke %s late: %s",
                            st_ns_format(event->lateness_ns, length, sizeof(length)), why);
    snprintf(told.source, sizeof(told.source), "loop");
    snprintf(told.cause, sizeof(told.cause), "%s",
             st_cause_kind_name(known ? event->cause : ST_CAUSE_UNKNOWN));
    if (culprit != NULL)
        memcpy(told.culprit, culprit->name, sizeof(told.culprit));
    if (known) {
        told.lateness_ns = event->lateness_ns;
        told.explained_ns = explained_ns;
    }
    st_events_put(causes->events, ST_LOG_WARN, &told);
}

void st_causes_take(struct st_causes *causes, const struct st_late *late,
                    const struct st_trace_culprit *culprit)
{
    struct st_platform *p = causes->platform;
    const int64_t at_ns = late->xrun ? late->at_ns : late->event.at_ns;
    const int64_t wall_ns = st_ns_sub(p->wall_ns(p), st_ns_sub(p->now_ns(p), at_ns));
    int64_t explained_ns = late->event.explained_ns;
    struct st_trace_culprit counted = {.ns = explained_ns};
    if (culprit == NULL && late->event.culprit[0] != '\0') {
        snprintf(counted.name, sizeof(counted.name), "%s", late->event.culprit);
        culprit = &counted;
    }
    /* who had most of a wait had not all of it */
    if (culprit != NULL && culprit->explains && culprit->ns > explained_ns)
        explained_ns = culprit->ns < late->event.lateness_ns ? culprit->ns : late->event.lateness_ns;
    pthread_mutex_lock(&causes->mutex);
    const bool tells = late->xrun ? is_told(&causes->xruns, late->silence_ns)
                                  : is_told(&causes->late, late->event.lateness_ns);
    add(causes, late, culprit, explained_ns, wall_ns);
    pthread_mutex_unlock(&causes->mutex);
    if (tells)
        tell(causes, late, culprit, explained_ns, wall_ns);
}

void st_causes_set_untraced(struct st_causes *causes, const char *why)
{
    pthread_mutex_lock(&causes->mutex);
    snprintf(causes->no_tracer, sizeof(causes->no_tracer), "%s", why);
    memset(causes->handlers.cpus, 0, sizeof(causes->handlers.cpus));
    pthread_mutex_unlock(&causes->mutex);
}

void st_causes_traced(struct st_causes *causes, const struct st_trace_event *event)
{
    pthread_mutex_lock(&causes->mutex);
    st_handlers_take(&causes->handlers, event);
    pthread_mutex_unlock(&causes->mutex);
}

bool st_causes_slowed(struct st_causes *causes, enum st_cause *ret)
{
    pthread_mutex_lock(&causes->mutex);
    *ret = causes->xrun_slowed_by;
    pthread_mutex_unlock(&causes->mutex);
    return *ret != ST_CAUSE_UNKNOWN;
}

void st_causes_look(struct st_causes *causes, struct st_causes_now *ret)
{
    struct st_platform *p = causes->platform;
    pthread_mutex_lock(&causes->mutex);
    ret->sums = causes->now;
    ret->handlers = causes->handlers.table;
    memcpy(ret->no_tracer, causes->no_tracer, sizeof(ret->no_tracer));
    ret->span = (struct st_cause_span){.from_wall_ns = causes->from_wall_ns,
                                       .to_wall_ns = p->wall_ns(p),
                                       .asked_from_wall_ns = INT64_MIN,
                                       .measured_ns = p->now_ns(p) - causes->from_ns,
                                       .wakes_n = causes->wakes_n,
                                       .above_ns = causes->above_ns,
                                       .xruns_n = causes->xruns_n,
                                       .xruns_unknown_n = causes->xruns_unknown_n,
                                       .tracer = ret->no_tracer};
    pthread_mutex_unlock(&causes->mutex);
}

char *st_causes_text(struct st_causes_now *now)
{
    json_t *document = st_cause_sums_json(&now->sums, &now->span);
    json_object_set_new(document, "dropouts", json_null());
    json_object_set_new(document, "handlers", st_handlers_json(&now->handlers));
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    return text;
}
