/* The list of recent events. */
#include "daemon/events.h"

#include <stdarg.h>
#include <stdio.h>

#include "daemon/json_text.h"

int st_events_init(struct st_events *events)
{
    *events = (struct st_events){0};
    return -pthread_mutex_init(&events->mutex, NULL);
}

void st_events_finish(struct st_events *events)
{
    pthread_mutex_destroy(&events->mutex);
}

void st_events_add(struct st_events *events, enum st_log_level level, int64_t wall_ns, const char *name,
                   const struct st_log_field *fields, size_t fields_n, const char *format, ...)
{
    struct st_event event = {.wall_ns = wall_ns};
    va_list args;
    va_start(args, format);
    vsnprintf(event.text, sizeof(event.text), format, args);
    va_end(args);
    snprintf(event.name, sizeof(event.name), "%s", name);
    st_log_event(level, "event", name, fields, fields_n, event.text);
    pthread_mutex_lock(&events->mutex);
    events->events[events->added_n++ % ST_EVENTS_MAX] = event;
    pthread_mutex_unlock(&events->mutex);
}

json_t *st_events_json(struct st_events *events)
{
    json_t *list = json_array();
    pthread_mutex_lock(&events->mutex);
    const uint64_t n = events->added_n < ST_EVENTS_MAX ? events->added_n : ST_EVENTS_MAX;
    for (uint64_t i = 1; i <= n; i++) {
        const struct st_event *event = &events->events[(events->added_n - i) % ST_EVENTS_MAX];
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "time_ns", (json_int_t)event->wall_ns,
                                              "event", event->name, "text", st_json_text(event->text)));
    }
    pthread_mutex_unlock(&events->mutex);
    return list;
}
