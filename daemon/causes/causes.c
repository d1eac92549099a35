/* Sums the causes of late wake-ups minute by minute, and makes their events. */
#include "daemon/causes/causes.h"

#include "core/ns.h"
#include "core/pages.h"
#include "core/text/json.h"
#include "platform/proc.h"
#include "platform/tree.h"

#define QUARTER_NS INT64_C(250000000)
/* a longer gap ends a series: of wake-ups (no loop ran then), or of seconds in which the machine
 * was slow */
#define GAP_NS INT64_C(2000000000)

#define UNKNOWN INT64_MIN

static int64_t pressure_us(struct st_platform *machine, const char *of)
{
    uint64_t us;
    const char *text = st_tree_text(machine, st_text("/proc/pressure/%s", of));
    return st_proc_pressure_us(text, "some", &us) == 0 && us <= INT64_MAX ? (int64_t)us : UNKNOWN;
}

/* Growth of a counter. INT64_MIN: not known, or the counter decreased, so it was started again. */
static int64_t grown(int64_t now, int64_t before)
{
    return now == INT64_MIN || before == INT64_MIN || now < before ? INT64_MIN : now - before;
}

static int64_t permille(int64_t now_us, int64_t before_us, int64_t span_ns)
{
    const int64_t us = grown(now_us, before_us);
    if (us == INT64_MIN || span_ns < 1000000)
        return INT64_MIN;
    const double share = 1e6 * (double)us / (double)span_ns;
    return ST_MIN(llround(share), 1000);
}

void st_causes_sample_pressure(struct st_system_pressure *pressure, struct st_platform *platform,
                               int cpu)
{
    static const char *const of[] = {"cpu", "io", "memory"};
    struct st_event_pressure now = ST_EVENT_PRESSURE_UNKNOWN;
    int64_t *const to[] = {&now.pressure_cpu_permille, &now.pressure_io_permille,
                           &now.pressure_memory_permille};
    bool guest = false;
    cpu = ST_MAX(cpu, 0);
    (void)st_tree_virtualised(platform, &guest);
    pressure->before = pressure->last;
    st_readings_read(platform, cpu, guest, INT64_MIN, &pressure->last);
    const int64_t span_ns = pressure->last.at_ns - pressure->before.at_ns;
    for (size_t i = 0; i < ST_ARRAY_LEN(of); i++) {
        const int64_t us = pressure_us(platform, of[i]);
        if (pressure->sampled)
            *to[i] = permille(us, pressure->pressure_us[i], span_ns);
        pressure->pressure_us[i] = us;
    }
    if (pressure->sampled)
        now.throttles_n = grown(pressure->last.counts[ST_READING_HEAT_N],
                                pressure->before.counts[ST_READING_HEAT_N]);
    now.cpu_khz = pressure->last.clock_khz;
    now.temperature_mc = st_readings_temperature_mc(platform, cpu);
    pressure->sampled = true;
    pressure->now = now;
}

struct st_causes {
    struct st_platform *platform;
    struct st_events *events;
    struct st_system_pressure pressure; /* used by the main thread only */
    pthread_mutex_t mutex;              /* protects all members below */
    int64_t memory_before_permille;     /* memory pressure in the previous second */
    struct st_meanwhile
        meanwhile;    /* the state of the machine that st_events_set_meanwhile passes on */
    int64_t above_ns; /* limit for a late wake-up (ns); 0: there was no loop yet */
    /* sums of the current minute; wakes_n, from_ns and from_wall_ns are of this minute, too */
    struct st_cause_sums now;
    uint64_t wakes_n;
    int64_t from_ns, from_wall_ns;
    /* the worst late wake-up of the current quarter of a second, whose event is not added yet;
     * count_n 0: none */
    struct st_event late;
    int cpu;             /* CPU of the loop; -1: any */
    char no_tracer[200]; /* why the trace names no culprit; "": it does */
};

/* Call with the mutex held. */
static void begin_minute(struct st_causes *causes)
{
    struct st_platform *platform = causes->platform;
    causes->now.n = 0;
    causes->wakes_n = 0;
    causes->from_ns = st_platform_now_ns(platform);
    causes->from_wall_ns = st_platform_wall_ns(platform);
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
    causes->memory_before_permille = INT64_MIN;
    causes->meanwhile = events->meanwhile;
    causes->platform = platform;
    causes->events = events;
    causes->cpu = -1;
    ST_PRINT(causes->no_tracer, "the timing test does not run");
    begin_minute(causes);
    *ret = causes;
    return 0;
}

void st_causes_free(struct st_causes *causes)
{
    if (causes == NULL)
        return;
    st_readings_close(&causes->pressure.last);
    pthread_mutex_destroy(&causes->mutex);
    free(causes);
}

void st_causes_begin(struct st_causes *causes, const struct st_session_config *config)
{
    const int64_t above_ns = st_session_cause_above_ns(config);
    pthread_mutex_lock(&causes->mutex);
    causes->cpu = causes->meanwhile.loop_cpu = config->cpu;
    if (above_ns != causes->above_ns) {
        causes->above_ns = above_ns;
        begin_minute(causes);
    }
    pthread_mutex_unlock(&causes->mutex);
}

/* Notes the state of the machine for later events. The memory pressure is the larger one of the
 * last two seconds, since a dropout is reported up to a second late. Call with the mutex held. */
static void note_pressure(struct st_causes *causes, enum st_cause slowed, int64_t wall_ns)
{
    struct st_meanwhile *m = &causes->meanwhile;
    const int64_t memory_permille = causes->pressure.now.pressure_memory_permille;
    m->at_ns = wall_ns;
    m->pressure = causes->pressure.now;
    if (causes->memory_before_permille > memory_permille)
        m->pressure.pressure_memory_permille = causes->memory_before_permille;
    causes->memory_before_permille = memory_permille;
    if (slowed == ST_CAUSE_UNKNOWN)
        return;
    if (slowed != m->slowed || wall_ns - m->slowed_to_ns > GAP_NS)
        m->slowed_from_ns = wall_ns;
    m->slowed_to_ns = wall_ns;
    m->slowed = slowed;
}

/* Adds the event causes->late to the list of events, and puts `next` in its place. Unlocks the
 * mutex, which the caller holds. */
static void unlock_and_put_late(struct st_causes *causes, const struct st_event *next)
{
    const struct st_event late = causes->late;
    causes->late = *next;
    pthread_mutex_unlock(&causes->mutex);
    if (late.count_n > 0)
        st_events_put(causes->events, ST_LOG_WARN, &late);
}

void st_causes_tick(struct st_causes *causes, int cpu)
{
    struct st_platform *p = causes->platform;
    st_causes_sample_pressure(&causes->pressure, p, cpu);
    const enum st_cause slowed = st_cause_slowed(&causes->pressure.before, &causes->pressure.last);
    pthread_mutex_lock(&causes->mutex);
    note_pressure(causes, slowed, st_platform_wall_ns(p));
    st_events_set_meanwhile(causes->events, &causes->meanwhile);
    unlock_and_put_late(causes, &(struct st_event){0});
}

void st_causes_end_minute(struct st_causes *causes, struct st_cause_sums *ret,
                          struct st_history_minute *minute)
{
    pthread_mutex_lock(&causes->mutex);
    *ret = causes->now;
    minute->late_above_ns = causes->above_ns;
    minute->late_wakes = 0;
    ST_EACH_OF (row, ret->rows, ret->n)
        minute->late_wakes += row->n;
    begin_minute(causes);
    pthread_mutex_unlock(&causes->mutex);
}

void st_causes_wakes(struct st_causes *causes, uint64_t n)
{
    const int64_t wall_ns = st_platform_wall_ns(causes->platform);
    pthread_mutex_lock(&causes->mutex);
    struct st_meanwhile *m = &causes->meanwhile;
    causes->wakes_n += n;
    const bool goes_on = m->watched_from_ns <= wall_ns && m->watched_to_ns <= wall_ns &&
                         wall_ns - m->watched_to_ns <= GAP_NS;
    if (n > 0 && !goes_on)
        m->watched_from_ns = wall_ns;
    if (n > 0)
        m->watched_to_ns = wall_ns;
    st_events_set_meanwhile(causes->events, m);
    pthread_mutex_unlock(&causes->mutex);
}

/* Adds a late wake-up to the sums. Call with the mutex held. */
static void add(struct st_causes *causes, const struct st_cause_event *late,
                const struct st_trace_culprit *culprit, int64_t explained_ns)
{
    struct st_cause_sum row = {.cause = late->cause,
                               .n = 1,
                               .total_ns = late->lateness_ns,
                               .worst_ns = late->lateness_ns,
                               .figures = explained_ns != INT64_MIN,
                               .explained_ns = ST_MAX(explained_ns, 0)};
    if (culprit != NULL) { /* all threads of a program count as one culprit */
        const size_t len = st_cause_kind_program_len(culprit->name);
        ST_PRINT(row.culprit, "%.*s", (int)(len > 0 ? len : strlen(culprit->name)), culprit->name);
    }
    st_cause_sums_add(&causes->now, &row);
}

static struct st_event event_of(const struct st_cause_event *late,
                                const struct st_trace_culprit *culprit, int64_t explained_ns,
                                int64_t wall_ns)
{
    struct st_event event = st_event_make(wall_ns, ST_EVENT_LATE_WAKE, "%s", "");
    ST_PRINT(event.source, "loop");
    event.count_n = 1;
    event.loop_cpu = late->cpu;
    event.cause = late->cause;
    event.lateness_ns = late->lateness_ns;
    event.explained_ns = explained_ns;
    if (culprit != NULL) {
        memcpy(event.culprit, culprit->name, sizeof(event.culprit));
        event.culprit_ns = culprit->ns;
    }
    return event;
}

/* Joins a late wake-up with the others of its quarter of a second; the first one of a new quarter
 * adds the event of the previous quarter. Unlocks the mutex, which the caller holds. */
static void unlock_and_join(struct st_causes *causes, const struct st_event *late)
{
    if (causes->late.count_n > 0 &&
        causes->late.wall_ns / QUARTER_NS == late->wall_ns / QUARTER_NS) {
        if (late->lateness_ns > causes->late.lateness_ns)
            causes->late.wall_ns = late->wall_ns;
        st_event_add(&causes->late, late);
        pthread_mutex_unlock(&causes->mutex);
        return;
    }
    unlock_and_put_late(causes, late);
}

void st_causes_take(struct st_causes *causes, const struct st_cause_event *late,
                    const struct st_trace_culprit *culprit)
{
    struct st_platform *platform = causes->platform;
    const int64_t wall_ns = st_ns_sub(st_platform_wall_ns(platform),
                                      st_ns_sub(st_platform_now_ns(platform), late->at_ns));
    int64_t explained_ns = late->explained_ns;
    struct st_trace_culprit counted = {.ns = explained_ns};
    if (culprit == NULL && late->culprit[0] != '\0') {
        ST_PRINT(counted.name, "%s", late->culprit);
        culprit = &counted;
    }
    /* The culprit's time is only a part of the wait, so it counts only if it exceeds what the
     * counters explain. */
    if (culprit != NULL && culprit->explains && culprit->ns > explained_ns)
        explained_ns = ST_MIN(culprit->ns, late->lateness_ns);
    const struct st_event event = event_of(late, culprit, explained_ns, wall_ns);
    pthread_mutex_lock(&causes->mutex);
    add(causes, late, culprit, explained_ns);
    unlock_and_join(causes, &event);
}

void st_causes_set_untraced(struct st_causes *causes, const char *why)
{
    pthread_mutex_lock(&causes->mutex);
    ST_PRINT(causes->no_tracer, "%s", why);
    pthread_mutex_unlock(&causes->mutex);
}

void st_causes_look(struct st_causes *causes, struct st_causes_now *ret)
{
    struct st_platform *platform = causes->platform;
    pthread_mutex_lock(&causes->mutex);
    ret->sums = causes->now;
    ret->span =
        (struct st_cause_span){.from_wall_ns = causes->from_wall_ns,
                               .to_wall_ns = st_platform_wall_ns(platform),
                               .asked_from_wall_ns = INT64_MIN,
                               .measured_ns = st_platform_now_ns(platform) - causes->from_ns,
                               .wakes_n = causes->wakes_n,
                               .above_ns = causes->above_ns};
    memcpy(ret->span.tracer, causes->no_tracer, sizeof(ret->span.tracer));
    pthread_mutex_unlock(&causes->mutex);
}

char *st_causes_text(struct st_causes_now *now)
{
    json_t *document = st_cause_sums_json(&now->sums, &now->span);
    st_json_add(document, "dropouts");
    return st_json_into_text(document, ST_JSON_PRETTY);
}
