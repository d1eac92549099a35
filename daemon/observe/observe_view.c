/* Other programs' dropouts in the status document and in the metrics. */
#include "daemon/observe/observe.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "story/dropout_json.h"

/* Median, 99 % and maximum of a time. 0 is a valid value, since a client may compute for less time
 * than the clock can measure; below 0 is unknown (null). */
static json_t *three_json(int64_t median_ns, int64_t p99_ns, int64_t max_ns)
{
    if (median_ns < 0)
        return NULL;
    return st_json_object("median:i p99:o max:o", median_ns,
                          st_json_integer_or_null(p99_ns >= 0, p99_ns),
                          st_json_integer_or_null(max_ns >= 0, max_ns));
}

static json_t *load_json(const struct st_xrun_load *load)
{
    if (load->cycles_n == 0)
        return NULL;
    return st_json_object("cycles:i busy_ns:o wait_ns:o period_ns:p", load->cycles_n,
                          three_json(load->busy_median_ns, load->busy_p99_ns, load->busy_max_ns),
                          three_json(load->wait_median_ns, load->wait_p99_ns, load->wait_max_ns),
                          load->period_ns);
}

static json_t *client_json(const struct st_dropout_client *client)
{
    static const char *const between[] = {[ST_XRUN_BETWEEN_STOPS] = "stops",
                                          [ST_XRUN_BETWEEN_UNSEEN] = "not-watched",
                                          [ST_XRUN_BETWEEN_HEARD] = "heard"};
    return st_json_add(st_dropout_json_client(client),
                       "playing:b between:t block_frames:p block_any:b reserve_ns:o buffer_ns:p "
                       "drift_ppb:o load:o",
                       client->playing, between[client->load.between], client->last.block_frames,
                       client->last.block_any != 0,
                       st_json_integer_or_null(client->reserve_ns > 0, client->reserve_ns - 1),
                       client->buffer_ns,
                       st_json_integer_or_null(client->drift_ppb != 0, client->drift_ppb),
                       load_json(&client->load));
}

/* The device that plays, and the buffer size and rate of its server. */
static json_t *in_use_json(const struct st_observed_view *source)
{
    if (source->seen.period_ns == 0)
        return NULL;
    return st_json_object("device:e frames:p rate_hz:p period_ns:i", source->seen.device,
                          source->seen.frames, source->seen.rate_hz, source->seen.period_ns);
}

/* The waits and computing times of all clients in the cycle of a dropout, and a sentence about the
 * clients that were not ready. */
static json_t *cycle_json(const struct st_dropout_table_cycle *cycle)
{
    const int64_t deadline_ns = cycle->clients[0].deadline_ns;
    char text[2048] = "";
    if (cycle->n == 0)
        return NULL;
    json_t *clients = json_array();
    ST_EACH_OF (client, cycle->clients, cycle->n) {
        json_array_append_new(
            clients, st_json_object("name:s wait_ns:i busy_ns:i", client->event.client,
                                    client->event.cycle.wait_ns, client->event.cycle.busy_ns));
        if (client->event.cycle.wait_ns + client->event.cycle.busy_ns < deadline_ns)
            continue;
        ST_APPEND(text, "%s waited %s, ", client->event.client,
                  st_ns_short(client->event.cycle.wait_ns));
        if (client->event.cycle.busy_ns > 0)
            ST_APPEND(text, "computed %s; ", st_ns_short(client->event.cycle.busy_ns));
        else
            ST_APPEND(text, "had not begun to compute; ");
    }
    ST_APPEND(text, "the next cycle began after %s", st_ns_short(deadline_ns));
    return st_json_object("time_ns:i deadline_ns:i text:s clients:o", cycle->wall_ns, deadline_ns,
                          text, clients);
}

static json_t *source_json(const struct st_observed_view *source)
{
    static const char *const modes[] = {"off", "auto", "on"};
    json_t *object =
        st_json_object("source:t summary:t mode:t state:t why:e", source->source, source->summary,
                       modes[source->mode], st_observed_state_name(source->state), source->why);
    st_dropout_json_source(object, &source->seen, client_json);
    if (source->opened_n ==
        0) /* the counts of a source that was never watched are unknown (null), not 0 */
        st_json_add(object, "device_dropouts");
    if (source->opened_n == 0 || source->device_only)
        st_json_add(object, "client_dropouts");
    return st_json_add(object, "opened:i watched_ns:i since_ns:n in_use:o cycle:o",
                       source->opened_n, source->watched_ns, source->since_wall_ns,
                       in_use_json(source), cycle_json(&st_observed_shown(source)->cycle));
}

json_t *st_observe_json(const struct st_observe_view *view)
{
    json_t *list = json_array();
    ST_EACH_OF (source, view->sources, view->n)
        json_array_append_new(list, source_json(source));
    return list;
}

/* Writes the dropouts of devices for each source that was watched. */
static void xrun_metrics(FILE *out, const struct st_observe_view *view)
{
    ST_EACH_OF (source, view->sources, view->n) {
        if (source->opened_n > 0)
            fprintf(out, "sleeptune_device_dropouts_total{source=\"%s\"} %ju\n", source->source,
                    source->seen.sum.device_n);
    }
}

void st_observe_metric(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void st_observe_label(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=\"", name);
    while (*value != '\0') {
        const size_t plain = strcspn(value, "\"\\");
        st_safe_print(out, value, plain);
        value += plain;
        if (*value != '\0')
            fprintf(out, "\\%c", *value++);
    }
    fputc('"', out);
}

static void reason_metrics(FILE *out, const struct st_observe_view *view)
{
    st_observe_metric(out, "sleeptune_dropouts_by_reason_total", "counter",
                      "Dropouts of programs, by reason.");
    ST_EACH_OF (source, view->sources, view->n) {
        for (size_t j = 0; source->opened_n > 0 && !source->device_only && j < ST_DROPOUT_REASONS;
             j++)
            fprintf(out, "sleeptune_dropouts_by_reason_total{source=\"%s\",reason=\"%s\"} %ju\n",
                    source->source, st_dropout_reason_name((enum st_dropout_reason)j),
                    source->seen.reasons_n[j]);
    }
}

static void place_metrics(FILE *out, const struct st_observe_view *view)
{
    st_observe_metric(out, "sleeptune_dropouts_by_place_total", "counter",
                      "Dropouts of devices and programs, by the place where the sound was lost.");
    ST_EACH_OF (source, view->sources, view->n) {
        for (size_t j = 0; source->opened_n > 0 && j < ST_DROPOUT_PLACES; j++)
            fprintf(out, "sleeptune_dropouts_by_place_total{source=\"%s\",place=\"%s\"} %ju\n",
                    source->source, st_dropout_place_name((enum st_dropout_place)j),
                    source->seen.places_n[j]);
    }
}

/* Writes the name and first labels of a sample: NAME{source="...",client="...",device="...". The
 * device is given only without a client's name, so that a program is one series on whatever device
 * it plays. */
static void put_client(FILE *out, const char *name, const struct st_observed_view *source,
                       const struct st_dropout_client *client)
{
    fprintf(out, "%s{source=\"%s\",", name, source->source);
    st_observe_label(out, "client", client->name);
    fputc(',', out);
    st_observe_label(out, "device", client->name[0] == '\0' ? client->device : "");
}

/* Writes at most ST_DROPOUT_CLIENTS_MAX series for each source: the clients with the most
 * dropouts. */
static void client_metrics(FILE *out, const struct st_observe_view *view)
{
    st_observe_metric(out, "sleeptune_client_dropouts_total", "counter",
                      "Dropouts of one program, while sleeptuned lists it.");
    ST_EACH_OF (source, view->sources, view->n) {
        ST_EACH_OF (client, source->seen.clients, source->seen.clients_n) {
            const uint64_t n = client->sum.n;
            if (n == 0 && st_dropout_table_is_unheard(client))
                continue; /* 0 would be wrong: this stream may have lost sound that was not seen */
            put_client(out, "sleeptune_client_dropouts_total", source, client);
            fprintf(out, "} %ju\n", n);
        }
    }
    st_observe_metric(out, "sleeptune_client_busy_ratio", "gauge",
                      "Share of the period for which a program computes, in the last 10 s.");
    ST_EACH_OF (source, view->sources, view->n) {
        ST_EACH_OF (client, source->seen.clients, source->seen.clients_n) {
            const struct st_xrun_load *load = &client->load;
            const int64_t busy_ns[] = {load->busy_median_ns, load->busy_p99_ns, load->busy_max_ns};
            static const char *const stats[] = {"median", "p99", "max"};
            for (size_t k = 0; load->period_ns > 0 && k < ST_ARRAY_LEN(stats); k++) {
                if (busy_ns[k] < 0)
                    continue;
                put_client(out, "sleeptune_client_busy_ratio", source, client);
                fprintf(out, ",stat=\"%s\"} %.6g\n", stats[k],
                        (double)busy_ns[k] / (double)load->period_ns);
            }
        }
    }
}

void st_observe_metrics(FILE *out, const struct st_observe_view *view, bool named)
{
    xrun_metrics(out, view);
    st_observe_metric(out, "sleeptune_dropouts_total", "counter",
                      "Dropouts of programs; each is one unbroken loss of sound.");
    ST_EACH_OF (source, view->sources, view->n) {
        if (source->opened_n > 0 && !source->device_only)
            fprintf(out, "sleeptune_dropouts_total{source=\"%s\"} %ju\n", source->source,
                    source->seen.sum.n - source->seen.sum.device_n);
    }
    st_observe_metric(out, "sleeptune_lost_seconds_total", "counter",
                      "How long sound was missing in dropouts whose length is known.");
    ST_EACH_OF (source, view->sources, view->n) {
        /* A source that can measure lengths begins with 0: Prometheus does not count the first
         * value of a series as an increase. */
        if (source->seen.sum.lost_ns > 0 ||
            (source->opened_n > 0 &&
             (source->device_only || st_xrun_sources_find(source->source)->sees_cycles)))
            fprintf(out, "sleeptune_lost_seconds_total{source=\"%s\"} %.9f\n", source->source,
                    st_ns_seconds(source->seen.sum.lost_ns));
    }
    reason_metrics(out, view);
    place_metrics(out, view);
    if (named)
        client_metrics(out, view);
    st_observe_metric(out, "sleeptune_dropout_source_watched", "gauge",
                      "1 while sleeptuned watches the dropouts of that sound server or device.");
    ST_EACH_OF (source, view->sources, view->n)
        fprintf(out, "sleeptune_dropout_source_watched{source=\"%s\"} %d\n", source->source,
                source->state == ST_OBSERVED_WATCHING);
}
