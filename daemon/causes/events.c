/* The list of recent events. */
#include "daemon/causes/events.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/event.h"

int st_events_init(struct st_events *events, struct st_platform *platform)
{
    *events = (struct st_events){.clock = platform};
    return -pthread_mutex_init(&events->mutex, NULL);
}

void st_events_finish(struct st_events *events)
{
    pthread_mutex_destroy(&events->mutex);
}

void st_events_listen(struct st_events *events, void (*hear)(void *ctx, const struct st_event *event),
                      void *ctx)
{
    pthread_mutex_lock(&events->mutex);
    events->hear = hear;
    events->hear_ctx = ctx;
    pthread_mutex_unlock(&events->mutex);
}

static struct st_event make(int64_t wall_ns, enum st_event_kind kind, const char *format, va_list args)
    ST_PRINTF(3, 0);
static struct st_event make(int64_t wall_ns, enum st_event_kind kind, const char *format, va_list args)
{
    struct st_event event = {.wall_ns = wall_ns,
                             .kind = kind,
                             .count_n = INT64_MIN,
                             .lateness_ns = INT64_MIN,
                             .explained_ns = INT64_MIN,
                             .circumstances = ST_EVENT_CIRCUMSTANCES_UNKNOWN};
    vsnprintf(event.text, sizeof(event.text), format, args);
    return event;
}

struct st_event st_event_make(int64_t wall_ns, enum st_event_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct st_event event = make(wall_ns, kind, format, args);
    va_end(args);
    return event;
}

void st_events_fill_by(struct st_events *events,
                       int64_t (*fill)(void *ctx, struct st_event *event, bool last), void *ctx)
{
    events->fill = fill;
    events->fill_ctx = ctx;
}

/* The list is full: the oldest event of the most frequent kind goes. Under the mutex. */
static void make_room(struct st_events *events)
{
    const size_t place = st_event_limit_largest(&events->kinds);
    size_t i = 0;
    while (i + 1 < events->events_n && st_event_limit_place(&events->kinds, &events->events[i]) != place)
        i++;
    events->kinds.kinds[place].n--;
    events->events_n--;
    memmove(&events->events[i], &events->events[i + 1], (events->events_n - i) * sizeof(events->events[0]));
}

/* Under the mutex. */
static void keep(struct st_events *events, const struct st_event *event)
{
    if (events->events_n == ST_EVENTS_MAX)
        make_room(events);
    events->events[events->events_n++] = *event;
    events->kinds.kinds[st_event_limit_place(&events->kinds, event)].n++;
    events->added_n++;
}

static void put(struct st_events *events, enum st_log_level level, const struct st_event *event)
{
    st_log_event(level, "event", st_event_kind_name(event->kind), event->count_n, event->lateness_ns,
                 event->text);
    pthread_mutex_lock(&events->mutex);
    keep(events, event);
    if (events->hear != NULL)
        events->hear(events->hear_ctx, event);
    pthread_mutex_unlock(&events->mutex);
}

/* @return false when there is no room for it. */
static bool hold(struct st_events *events, const struct st_held *held)
{
    pthread_mutex_lock(&events->mutex);
    const bool room = events->held_n < ST_EVENTS_HELD_MAX;
    if (room)
        events->held[events->held_n++] = *held;
    pthread_mutex_unlock(&events->mutex);
    return room;
}

/* Puts it now, or when more is known of it. */
static void pass_on(struct st_events *events, enum st_log_level level, const struct st_event *event)
{
    struct st_held held = {.level = level, .event = *event};
    if (events->fill != NULL)
        held.until_ns = events->fill(events->fill_ctx, &held.event, false);
    if (held.until_ns != 0) {
        if (hold(events, &held))
            return;
        (void)events->fill(events->fill_ctx, &held.event, true);
    }
    put(events, level, &held.event);
}

void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event)
{
    if (events->clock != NULL) {
        const int64_t now_ns = events->clock->now_ns(events->clock);
        pthread_mutex_lock(&events->mutex);
        const bool passes = st_event_limit_passes(&events->limit, now_ns, level, event);
        pthread_mutex_unlock(&events->mutex);
        if (!passes)
            return;
    }
    pass_on(events, level, event);
}

static bool next_sum(struct st_events *events, bool all, struct st_event *ret, enum st_log_level *ret_level)
{
    const int64_t now_ns = events->clock->now_ns(events->clock);
    const int64_t wall_ns = events->clock->wall_ns(events->clock);
    pthread_mutex_lock(&events->mutex);
    const bool found = st_event_limit_sum(&events->limit, now_ns, wall_ns, all, ret, ret_level);
    pthread_mutex_unlock(&events->mutex);
    return found;
}

void st_events_release(struct st_events *events, int64_t now_ns)
{
    struct st_event sum;
    enum st_log_level level;
    while (events->clock != NULL && next_sum(events, now_ns == INT64_MAX, &sum, &level))
        pass_on(events, level, &sum);
    for (;;) {
        struct st_held held;
        pthread_mutex_lock(&events->mutex);
        const bool due = events->held_n > 0 && events->held[0].until_ns <= now_ns;
        if (due) {
            held = events->held[0];
            events->held_n--;
            memmove(&events->held[0], &events->held[1], events->held_n * sizeof(held));
        }
        pthread_mutex_unlock(&events->mutex);
        if (!due)
            return;
        if (events->fill != NULL)
            (void)events->fill(events->fill_ctx, &held.event, true);
        put(events, held.level, &held.event);
    }
}

void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns,
                   enum st_event_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct st_event event = make(wall_ns, kind, format, args);
    va_end(args);
    st_events_put(events, level, &event);
}

json_t *st_events_json(struct st_events *events)
{
    json_t *list = json_array();
    const struct st_event *newest[ST_EVENTS_MAX];
    pthread_mutex_lock(&events->mutex);
    const size_t n = events->events_n;
    for (size_t i = 0; i < n; i++) { /* one that was held back goes to where its time belongs */
        const struct st_event *event = &events->events[i];
        size_t at = i;
        for (; at > 0 && newest[at - 1]->wall_ns > event->wall_ns; at--)
            newest[at] = newest[at - 1];
        newest[at] = event;
    }
    for (size_t i = n; i > 0; i--)
        json_array_append_new(list, st_event_json(newest[i - 1]));
    pthread_mutex_unlock(&events->mutex);
    return list;
}
