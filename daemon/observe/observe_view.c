/* What status and metrics say of other programs' xruns. */
#include <inttypes.h>

#include "core/json.h"
#include "core/ns.h"
#include "daemon/observe/observe.h"

static json_t *devices_json(const struct st_observed_view *source)
{
    json_t *list = json_array();
    for (size_t i = 0; i < source->devices_n; i++) {
        const struct st_observed_device *device = &source->devices[i];
        json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "device", st_json_safe_string(device->name),
                                              "device_xruns", (json_int_t)device->device_xruns_n, "starved",
                                              (json_int_t)device->starved_n));
    }
    return list;
}

static json_t *source_json(const struct st_observed_view *source)
{
    static const char *const modes[] = {"off", "auto", "on"};
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:o}", "source", source->source, "summary", source->summary, "mode",
                  modes[source->mode], "state", st_observed_state_name(source->state), "why",
                  source->why[0] != '\0' ? st_json_safe_string(source->why) : json_null());
    const bool known = source->opened_n > 0; /* what was never watched has no counts, not zero */
    json_object_set_new(object, "device_xruns",
                        known ? json_integer((json_int_t)source->device_xruns_n) : json_null());
    json_object_set_new(object, "starved",
                        known && !source->device_only ? json_integer((json_int_t)source->starved_n)
                                                      : json_null());
    json_object_set_new(object, "epochs", json_integer((json_int_t)source->epochs_n));
    json_object_set_new(object, "opened", json_integer((json_int_t)source->opened_n));
    json_object_set_new(object, "watched_ns", json_integer(source->watched_ns));
    json_object_set_new(object, "polls", json_integer((json_int_t)source->polls_n));
    json_object_set_new(object, "cost_ns_per_poll",
                        source->polls_n > 0 ? json_integer(source->poll_cpu_ns / (int64_t)source->polls_n)
                                            : json_null());
    json_object_set_new(object, "program_cpu_ns",
                        source->program_cpu_ns != INT64_MIN ? json_integer(source->program_cpu_ns)
                                                            : json_null());
    json_object_set_new(object, "devices", devices_json(source));
    return object;
}

json_t *st_observe_json(const struct st_observe_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->n; i++)
        json_array_append_new(list, source_json(&view->sources[i]));
    return list;
}

void st_observe_xrun_metrics(FILE *out, const struct st_observe_view *view)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct st_observed_view *source = &view->sources[i];
        if (source->opened_n > 0)
            fprintf(out, "sleeptune_xruns_total{source=\"%s\"} %" PRIu64 "\n", source->source,
                    source->device_xruns_n);
    }
}

void st_observe_metrics(FILE *out, const struct st_observe_view *view)
{
    fputs("# HELP sleeptune_starved_clients_total Times a client was not ready and the device went on.\n"
          "# TYPE sleeptune_starved_clients_total counter\n",
          out);
    for (size_t i = 0; i < view->n; i++) {
        const struct st_observed_view *source = &view->sources[i];
        if (source->opened_n > 0 && !source->device_only)
            fprintf(out, "sleeptune_starved_clients_total{source=\"%s\"} %" PRIu64 "\n", source->source,
                    source->starved_n);
    }
    fputs("# HELP sleeptune_xrun_source_watched 1 while xruns of that source are watched.\n"
          "# TYPE sleeptune_xrun_source_watched gauge\n",
          out);
    for (size_t i = 0; i < view->n; i++)
        fprintf(out, "sleeptune_xrun_source_watched{source=\"%s\"} %d\n", view->sources[i].source,
                view->sources[i].state == ST_OBSERVED_WATCHING);
}
