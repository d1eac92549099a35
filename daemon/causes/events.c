/* The list of recent events, and their log lines. */
#include "daemon/causes/events.h"

#include "core/ns.h"

#define LOG_MODULE "event"

/* A late wake-up is in the list at most this time after its end: the drain thread reads the ring
 * each quarter of a second, a tracer answers when asked, and the main thread adds the event each
 * second. If the loop does not wake at all, it takes longer. */
#define PUT_NS INT64_C(2500000000)
/* after this time without an examined wake-up, the loop is not known to run */
#define ALIVE_NS INT64_C(1000000000)
/* an event of this age is logged without waiting longer for what explains it, even if no wake-up of
 * the loop was seen since */
#define UNKNOWN_NS INT64_C(5000000000)
/* largest age of a state of the machine (struct st_meanwhile) that is stored with an event */
#define MACHINE_NS   INT64_C(2000000000)
#define LOG_A_MINUTE 10

int st_events_init(struct st_events *events, struct st_platform *platform)
{
    *events = (struct st_events){.platform = platform,
                                 .late_gone_ns = INT64_MIN,
                                 .meanwhile = {.pressure = ST_EVENT_PRESSURE_UNKNOWN,
                                               .slowed = ST_CAUSE_UNKNOWN,
                                               .loop_cpu = -1,
                                               .watched_from_ns = INT64_MAX}};
    return -pthread_mutex_init(&events->mutex, NULL);
}

void st_events_finish(struct st_events *events)
{
    pthread_mutex_destroy(&events->mutex);
}

void st_events_listen(struct st_events *events,
                      void (*hear)(void *ctx, const struct st_event *event), void *ctx)
{
    pthread_mutex_lock(&events->mutex);
    events->hear = hear;
    events->hear_ctx = ctx;
    pthread_mutex_unlock(&events->mutex);
}

void st_events_set_meanwhile(struct st_events *events, const struct st_meanwhile *meanwhile)
{
    pthread_mutex_lock(&events->mutex);
    events->meanwhile = *meanwhile;
    pthread_mutex_unlock(&events->mutex);
}

/* --- adding events; call these with the mutex held --- */

/* Makes room in the full list: drops the oldest event of the most frequent kind. */
static void make_room(struct st_events *events)
{
    const size_t place = st_event_limit_largest(&events->kinds);
    size_t i = 0;
    while (i + 1 < events->events_n &&
           st_event_limit_place(&events->kinds, &events->events[i].event) != place)
        i++;
    if (events->events[i].event.kind == ST_EVENT_LATE_WAKE)
        events->late_gone_ns = events->events[i].event.wall_ns;
    events->unlogged_n += !events->events[i].logged;
    events->kinds.kinds[place].n--;
    events->events_n--;
    memmove(&events->events[i], &events->events[i + 1],
            (events->events_n - i) * sizeof(events->events[0]));
}

/* Stores the system's pressure with a dropout or a late event; with a dropout also the number of
 * the CPU that the loop runs on, which a late event already has. */
static void note_meanwhile(struct st_events *events, struct st_event *event)
{
    const struct st_meanwhile *m = &events->meanwhile;
    const int64_t from_ns = st_ns_sub(event->wall_ns, event->span_ns), to_ns = event->wall_ns;
    if (!st_event_kind_is_dropout(event->kind) && event->lateness_ns == INT64_MIN)
        return;
    /* An event whose time is long past was added late, and the current pressure says nothing about
     * it. */
    if (event->span_ns <= ST_EVENT_SAME_TIME_NS && to_ns >= m->at_ns - MACHINE_NS)
        event->pressure = m->pressure;
    if (!st_event_kind_is_dropout(event->kind))
        return;
    if (m->watched_from_ns <= from_ns && m->watched_to_ns >= st_ns_sub(to_ns, ALIVE_NS))
        event->loop_cpu = m->loop_cpu;
}

static void put(struct st_events *events, enum st_log_level level, const struct st_event *event,
                bool logged)
{
    if (events->events_n == ST_EVENTS_MAX)
        make_room(events);
    struct st_listed *listed = &events->events[events->events_n++];
    *listed = (struct st_listed){.event = *event, .level = level, .logged = logged};
    note_meanwhile(events, &listed->event);
    events->kinds.kinds[st_event_limit_place(&events->kinds, event)].n++;
    events->added_n++;
    if (events->hear != NULL)
        events->hear(events->hear_ctx, &listed->event);
}

/* Adds an event unless there were too many of its kind. @return false: the event will be counted
 * in a sum instead. */
static bool put_if_few(struct st_events *events, enum st_log_level level,
                       const struct st_event *event, bool logged)
{
    pthread_mutex_lock(&events->mutex);
    const bool few =
        events->platform == NULL ||
        st_event_limit_passes(&events->limit, st_platform_now_ns(events->platform), level, event);
    if (few)
        put(events, level, event, logged);
    pthread_mutex_unlock(&events->mutex);
    return few;
}

void st_events_note_meanwhile(struct st_events *events, struct st_event *event)
{
    pthread_mutex_lock(&events->mutex);
    note_meanwhile(events, event);
    pthread_mutex_unlock(&events->mutex);
}

void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event)
{
    (void)put_if_few(events, level, event, false);
}

void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns,
                   enum st_event_kind kind, const char *format, ...)
{
    struct st_event event = st_event_make(wall_ns, kind, "%s", "");
    ST_PRINT_REST(event.detail, sizeof(event.detail), format);
    /* Nothing more can become known about an event that is only a text, so it is logged now. */
    if (put_if_few(events, level, &event, true))
        st_log_event(level, "event", st_event_kind_name(kind), INT64_MIN, INT64_MIN, event.detail);
}

/* --- reading the list; call these with the mutex held --- */

/* Finds what other events and the loop's wake-ups say about the cause of this event. */
static struct st_story_beside look_beside(const struct st_events *events, int64_t wall_ns,
                                          const struct st_event *event)
{
    const struct st_meanwhile *m = &events->meanwhile;
    struct st_story_beside beside = st_event_story_alone(event);
    if (!beside.open)
        return beside;
    if (beside.from_ns > events->late_gone_ns) {
        beside.seen_from_ns = m->watched_from_ns;
        beside.seen_to_ns = ST_MIN(m->watched_to_ns, wall_ns - PUT_NS);
        beside.open = st_ns_sub(wall_ns, event->wall_ns) < UNKNOWN_NS;
    }
    ST_EACH_OF (listed, events->events, events->events_n)
        st_event_story_join(&beside, &listed->event);
    return beside;
}

json_t *st_events_json(struct st_events *events, int64_t wall_ns)
{
    json_t *list = json_array();
    const struct st_event *newest[ST_EVENTS_MAX];
    pthread_mutex_lock(&events->mutex);
    const size_t n = events->events_n;
    for (size_t i = 0; i < n;
         i++) { /* sorts by time, since an event can be added after a later one */
        const struct st_event *event = &events->events[i].event;
        size_t at = i;
        for (; at > 0 && newest[at - 1]->wall_ns > event->wall_ns; at--)
            newest[at] = newest[at - 1];
        newest[at] = event;
    }
    for (size_t i = n; i > 0; i--) {
        const struct st_story_beside beside = look_beside(events, wall_ns, newest[i - 1]);
        json_array_append_new(list, st_event_story_json(newest[i - 1], &beside));
    }
    pthread_mutex_unlock(&events->mutex);
    return list;
}

static enum st_log_level level_of(struct st_events *events, const struct st_listed *listed)
{
    const int64_t minute = listed->event.wall_ns / ST_NS_PER_MINUTE;
    if (listed->event.kind != ST_EVENT_LATE_WAKE)
        return listed->level;
    if (minute != events->log_minute) {
        events->log_minute = minute;
        events->log_left = LOG_A_MINUTE;
    }
    if (events->log_left == 0)
        return ST_LOG_DBG;
    events->log_left--;
    return listed->level;
}

/* What a log line says about an event. */
struct ready {
    enum st_log_level level;
    const char *kind;
    int64_t count_n, lateness_ns;
    const char *text;
};

static bool next_ready(struct st_events *events, int64_t wall_ns, bool end, struct ready *ret)
{
    ST_EACH_OF (listed, events->events, events->events_n) {
        if (listed->logged)
            continue;
        const struct st_event *event = &listed->event;
        const struct st_story_beside beside = look_beside(events, wall_ns, event);
        if (!st_event_story_is_settled(&beside) && !end &&
            st_ns_sub(wall_ns, event->wall_ns) < UNKNOWN_NS)
            continue;
        listed->logged = true;
        ret->level = level_of(events, listed);
        ret->kind = st_event_kind_name(event->kind);
        ret->count_n = event->count_n;
        ret->lateness_ns = event->lateness_ns;
        ret->text = st_event_story_text(event, &beside);
        return true;
    }
    return false;
}

void st_events_log(struct st_events *events, int64_t wall_ns, bool end)
{
    struct st_event sum;
    enum st_log_level level;
    struct ready ready;
    bool more = true;
    pthread_mutex_lock(&events->mutex);
    while (events->platform != NULL &&
           st_event_limit_sum(&events->limit, st_platform_now_ns(events->platform), wall_ns, end,
                              &sum, &level))
        put(events, level, &sum, false);
    const uint64_t unlogged_n = events->unlogged_n;
    events->unlogged_n = 0;
    pthread_mutex_unlock(&events->mutex);
    if (unlogged_n > 0)
        ST_WARN("%ju events were left out of this log, because there were too many; the history "
                "has them",
                unlogged_n);
    /* The mutex is not held while a line is written, so that no thread waits for the journal. */
    while (more) {
        pthread_mutex_lock(&events->mutex);
        more = next_ready(events, wall_ns, end, &ready);
        pthread_mutex_unlock(&events->mutex);
        if (more)
            st_log_event(ready.level, "event", ready.kind, ready.count_n, ready.lateness_ns,
                         ready.text);
    }
}

bool st_events_slowed(struct st_events *events, int64_t wall_ns, enum st_cause *ret)
{
    pthread_mutex_lock(&events->mutex);
    const struct st_meanwhile *m = &events->meanwhile;
    const bool then =
        m->slowed_to_ns >= wall_ns - ST_NS_PER_S && m->slowed_from_ns - ST_NS_PER_S <= wall_ns;
    const bool known = then || m->at_ns == 0 || m->at_ns >= wall_ns;
    *ret = then ? m->slowed : ST_CAUSE_UNKNOWN;
    pthread_mutex_unlock(&events->mutex);
    return known;
}
