/* The list of recent events. */
#include "daemon/events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

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
    struct st_event event = {
        .wall_ns = wall_ns, .count_n = INT64_MIN, .lateness_ns = INT64_MIN, .explained_ns = INT64_MIN};
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

void st_events_put(struct st_events *events, enum st_log_level level, const struct st_event *event,
                   const struct st_log_field *fields, size_t fields_n)
{
    st_log_event(level, "event", event->name, fields, fields_n, event->text);
    pthread_mutex_lock(&events->mutex);
    events->events[events->added_n++ % ST_EVENTS_MAX] = *event;
    for (size_t i = 0; i < events->sinks_n; i++)
        events->sinks[i].hear(events->sinks[i].ctx, event);
    pthread_mutex_unlock(&events->mutex);
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
    pthread_mutex_lock(&events->mutex);
    const uint64_t n = events->added_n < ST_EVENTS_MAX ? events->added_n : ST_EVENTS_MAX;
    for (uint64_t i = 1; i <= n; i++)
        json_array_append_new(list, st_event_json(&events->events[(events->added_n - i) % ST_EVENTS_MAX]));
    pthread_mutex_unlock(&events->mutex);
    return list;
}
