/* The list of recent events. */
#include "daemon/events.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/event_name.h"

int st_events_init(struct st_events *events)
{
    *events = (struct st_events){0};
    return -pthread_mutex_init(&events->mutex, NULL);
}

void st_events_finish(struct st_events *events)
{
    pthread_mutex_destroy(&events->mutex);
}

int st_events_listen(struct st_events *events, void (*hear)(void *ctx, const struct st_event *event),
                     void *ctx)
{
    if (events->sinks_n == ST_EVENTS_SINKS_MAX)
        return -ENOSPC;
    events->sinks[events->sinks_n].hear = hear;
    events->sinks[events->sinks_n].ctx = ctx;
    events->sinks_n++;
    return 0;
}

static struct st_event make(int64_t wall_ns, const char *name, const char *format, va_list args)
    ST_PRINTF(3, 0);
static struct st_event make(int64_t wall_ns, const char *name, const char *format, va_list args)
{
    assert(st_event_is_name(name)); /* else events --kind would not take it */
    struct st_event event = {.wall_ns = wall_ns,
                             .count_n = INT64_MIN,
                             .lateness_ns = INT64_MIN,
                             .explained_ns = INT64_MIN,
                             .circumstances = ST_EVENT_CIRCUMSTANCES_UNKNOWN};
    snprintf(event.name, sizeof(event.name), "%s", name);
    vsnprintf(event.text, sizeof(event.text), format, args);
    return event;
}

struct st_event st_event_make(int64_t wall_ns, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct st_event event = make(wall_ns, name, format, args);
    va_end(args);
    return event;
}

void st_events_forget_listeners(struct st_events *events)
{
    pthread_mutex_lock(&events->mutex);
    events->sinks_n = 0;
    pthread_mutex_unlock(&events->mutex);
}

void st_events_fill_by(struct st_events *events,
                       int64_t (*fill)(void *ctx, struct st_event *event, bool last), void *ctx)
{
    events->fill = fill;
    events->fill_ctx = ctx;
}

static void put(struct st_events *events, enum st_log_level level, const struct st_event *event,
                const struct st_log_field *fields, size_t fields_n)
{
    st_log_event(level, "event", event->name, fields, fields_n, event->text);
    pthread_mutex_lock(&events->mutex);
    events->events[events->added_n++ % ST_EVENTS_MAX] = *event;
    for (size_t i = 0; i < events->sinks_n; i++)
        events->sinks[i].hear(events->sinks[i].ctx, event);
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

void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event,
                   const struct st_log_field *fields, size_t fields_n)
{
    struct st_held held = {.level = level, .event = *event, .fields_n = fields_n};
    if (events->fill != NULL)
        held.until_ns = events->fill(events->fill_ctx, &held.event, false);
    if (held.until_ns != 0) {
        for (size_t i = 0; i < fields_n && i < ST_LOG_FIELDS_MAX; i++)
            held.fields[i] = fields[i];
        if (fields_n <= ST_LOG_FIELDS_MAX && hold(events, &held))
            return;
        (void)events->fill(events->fill_ctx, &held.event, true);
    }
    put(events, level, &held.event, fields, fields_n);
}

void st_events_release(struct st_events *events, int64_t now_ns)
{
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
        put(events, held.level, &held.event, held.fields, held.fields_n);
    }
}

void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns, const char *name,
                   const struct st_log_field *fields, size_t fields_n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct st_event event = make(wall_ns, name, format, args);
    va_end(args);
    st_events_put(events, level, &event, fields, fields_n);
}

json_t *st_events_json(struct st_events *events)
{
    json_t *list = json_array();
    const struct st_event *newest[ST_EVENTS_MAX];
    pthread_mutex_lock(&events->mutex);
    const size_t n = events->added_n < ST_EVENTS_MAX ? (size_t)events->added_n : ST_EVENTS_MAX;
    for (size_t i = 0; i < n; i++) { /* one that was held back goes to where its time belongs */
        const struct st_event *event = &events->events[(events->added_n - n + i) % ST_EVENTS_MAX];
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
