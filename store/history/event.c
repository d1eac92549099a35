/* An event as JSON. */
#include "store/history/event.h"

#include "core/text/json.h"

static void set_text(json_t *document, const char *key, const char *text)
{
    if (text[0] != '\0')
        json_object_set_new(document, key, st_json_safe_string(text));
}

static void set_number(json_t *document, const char *key, int64_t value)
{
    if (value != INT64_MIN)
        json_object_set_new(document, key, json_integer(value));
}

static json_t *circumstances_json(const struct st_event_circumstances *c)
{
    json_t *object = json_object();
    set_number(object, "pressure_cpu_permille", c->pressure_cpu_permille);
    set_number(object, "pressure_io_permille", c->pressure_io_permille);
    set_number(object, "pressure_memory_permille", c->pressure_memory_permille);
    set_number(object, "cpu_khz", c->cpu_khz);
    set_number(object, "cpu_throttles", c->throttles_n);
    set_number(object, "temperature_millicelsius", c->temperature_mc);
    return object;
}

json_t *st_event_json(const struct st_event *event)
{
    json_t *document =
        json_pack("{s:I, s:o, s:o}", "time_ns", (json_int_t)event->wall_ns, "event",
                  json_string(st_event_kind_name(event->kind)), "text", st_json_safe_string(event->text));
    if (document == NULL)
        return NULL;
    set_text(document, "source", event->source);
    set_text(document, "device", event->device);
    set_text(document, "client", event->client);
    set_text(document, "certainty", st_event_certainty(event->certainty));
    set_number(document, "count", event->count_n);
    set_number(document, "lateness_ns", event->lateness_ns);
    set_number(document, "explained_ns", event->explained_ns);
    set_text(document, "cause", event->cause);
    set_text(document, "culprit", event->culprit);
    json_t *circumstances = circumstances_json(&event->circumstances);
    if (json_object_size(circumstances) > 0)
        json_object_set(document, "circumstances", circumstances);
    json_decref(circumstances);
    return document;
}
