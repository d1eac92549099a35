/* docs/schema/sleeptune-live-1.json. */
#include "daemon/status/live_json.h"

#include "core/json.h"
#include "st_config.h"

/* Upper bounds of the histogram's buckets; early wake-ups are in the first, what is above the last one apart.
 */
static const int64_t bounds_ns[] = {1000,     2000,      5000,      10000,     20000,     50000,    100000,
                                    200000,   500000,    1000000,   2000000,   5000000,   10000000, 20000000,
                                    50000000, 100000000, 200000000, 500000000, 1000000000};

static json_t *loop_json(const struct st_result *loop)
{
    json_t *object = json_object();
    st_json_set(object, "frames", ST_JSON(loop->frames));
    st_json_set(object, "rate_hz", ST_JSON(loop->rate_hz));
    st_json_set(object, "period_ns", ST_JSON(st_period_ns(&loop->period)));
    st_json_set(object, "policy", json_string(st_policy_name(loop->policy)));
    st_json_set(object, "priority", ST_JSON(loop->priority));
    st_json_set(object, "cpu", st_json_integer_or_null(loop->cpu >= 0, loop->cpu));
    st_json_set(object, "load_percent", json_real(loop->load_percent));
    return object;
}

static void set_quantile(json_t *object, const char *key, const struct st_hist *hist, double p)
{
    const struct st_quantile quantile = st_stats_quantile(hist, p);
    st_json_set(object, key, st_json_integer_or_null(quantile.known, quantile.value_ns));
}

static json_t *lateness_json(const struct st_hist *hist)
{
    json_t *object = json_object();
    st_json_set(object, "n", ST_JSON(hist->total_n));
    st_json_set(object, "min", st_json_integer_or_null(hist->total_n > 0, hist->min_ns));
    set_quantile(object, "median", hist, 0.5);
    set_quantile(object, "p99", hist, 0.99);
    set_quantile(object, "p999", hist, 0.999);
    st_json_set(object, "max", st_json_integer_or_null(hist->total_n > 0, hist->max_ns));
    return object;
}

static json_t *histogram_json(const struct st_hist *hist)
{
    json_t *bounds = json_array(), *counts = json_array();
    uint64_t below = 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(bounds_ns); i++) {
        const uint64_t up_to = hist->total_n - st_hist_count_above(hist, bounds_ns[i]);
        (void)json_array_append_new(bounds, ST_JSON(bounds_ns[i]));
        (void)json_array_append_new(counts, ST_JSON(up_to - below));
        below = up_to;
    }
    (void)json_array_append_new(counts, ST_JSON(hist->total_n - below));
    return json_pack("{s:o, s:o}", "bounds_ns", bounds, "counts", counts);
}

static json_t *misses_json(const struct st_result *loop)
{
    json_t *object = json_object();
    st_json_set(object, "count", ST_JSON(loop->misses));
    st_json_set(object, "periods", ST_JSON(loop->elapsed_periods));
    st_json_set(object, "skipped_periods", ST_JSON(loop->skipped_periods));
    st_json_set(object, "records_lost", ST_JSON(loop->records_lost));
    st_json_set(object, "per_hour_max95", st_json_real_or_null(true, st_result_misses_per_hour_max95(loop)));
    return object;
}

/* Parallel arrays; null where nothing is known. */
static json_t *seconds_json(const struct st_view *view, const struct st_live_look *look)
{
    json_t *cycles = json_array(), *misses = json_array(), *max = json_array(), *median = json_array();
    for (size_t i = 0; i < look->n; i++) {
        const struct st_live_second *second = &look->seconds[i];
        const bool known = second->cycles + second->misses > 0;
        (void)json_array_append_new(cycles, st_json_integer_or_null(known, (int64_t)second->cycles));
        (void)json_array_append_new(
            misses, st_json_integer_or_null(known && second->lost == 0, (int64_t)second->misses));
        (void)json_array_append_new(max,
                                    st_json_integer_or_null(second->max_ns != INT64_MIN, second->max_ns));
        (void)json_array_append_new(
            median, st_json_integer_or_null(second->median_ns != INT64_MIN, second->median_ns));
    }
    json_t *object = json_object();
    st_json_set(object, "end_ns", st_json_integer_or_null(look->n > 0, view->now_wall_ns - look->age_ns));
    st_json_set(object, "cycles", cycles);
    st_json_set(object, "misses", misses);
    st_json_set(object, "max_ns", max);
    st_json_set(object, "median_ns", median);
    return object;
}

/* watched: now. count: INT64_MIN: it never was, or starved: this source cannot tell. */
static void add_xruns(json_t *list, const char *source, bool watched, int64_t count, int64_t starved)
{
    json_t *object = json_object();
    st_json_set(object, "source", json_string(source));
    st_json_set(object, "watched", json_boolean(watched));
    st_json_set(object, "count", st_json_integer_or_null(count != INT64_MIN, count));
    st_json_set(object, "starved", st_json_integer_or_null(starved != INT64_MIN, starved));
    (void)json_array_append_new(list, object);
}

/* Of both own streams. */
static void add_own_xruns(json_t *list, const struct st_view *view)
{
    bool watched = false, known = false;
    for (size_t i = 0; i < ST_AUDIO_DIRECTIONS; i++) {
        watched = watched || (view->audio[i].xruns_known && view->audio[i].state == ST_AUDIO_RUNNING);
        known = known || (view->audio[i].xruns_known && view->audio[i].opened_n > 0);
    }
    add_xruns(list, "own", watched, known ? (int64_t)st_view_own_xruns(view) : INT64_MIN, INT64_MIN);
}

static json_t *xruns_json(const struct st_view *view)
{
    json_t *list = json_array();
    add_xruns(list, "simulated", view->loop != NULL,
              view->loop != NULL ? (int64_t)view->loop->simulated_xruns : INT64_MIN, INT64_MIN);
    add_own_xruns(list, view);
    for (size_t i = 0; i < view->observe.n; i++) {
        const struct st_observed_view *of = &view->observe.sources[i];
        const bool known = of->opened_n > 0;
        /* what this OS never has is no news, unless it was asked for */
        if (known || of->mode == ST_OBSERVED_ON || (of->mode == ST_OBSERVED_AUTO && !of->never))
            add_xruns(list, of->source, of->state == ST_OBSERVED_WATCHING,
                      known ? (int64_t)of->device_xruns_n : INT64_MIN,
                      known && !of->device_only ? (int64_t)of->starved_n : INT64_MIN);
    }
    return list;
}

static json_t *events_json(const struct st_view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(view->events) && i < ST_LIVE_EVENTS_MAX; i++)
        (void)json_array_append(list, json_array_get(view->events, i));
    return list;
}

json_t *st_live_json(const struct st_view *view, const struct st_live_look *look)
{
    const struct st_result *loop = view->loop;
    char verdict[ST_VIEW_TEXT_BYTES];
    json_t *document = json_object();
    json_t *degraded = st_view_degraded_json(view);
    st_json_set(document, "schema", json_string("sleeptune-live/1"));
    st_json_set(document, "version", json_string(ST_VERSION));
    st_json_set(document, "state", json_string(st_view_state(view)));
    st_json_set(document, "verdict", st_json_safe_string(st_view_verdict(view, verdict, sizeof(verdict))));
    st_json_set(document, "degraded", degraded);
    st_json_set(document, "time_ns", ST_JSON(view->now_wall_ns));
    st_json_set(document, "uptime_ns", ST_JSON(view->uptime_ns));
    st_json_set(document, "overdue_ns",
                st_json_integer_or_null(look->overdue_ns != INT64_MIN, look->overdue_ns));
    st_json_set(document, "loop", loop != NULL ? loop_json(loop) : json_null());
    st_json_set(document, "lateness_ns", loop != NULL ? lateness_json(&loop->lateness) : json_null());
    st_json_set(document, "histogram", loop != NULL ? histogram_json(&loop->lateness) : json_null());
    st_json_set(document, "seconds", seconds_json(view, look));
    st_json_set(document, "misses", loop != NULL ? misses_json(loop) : json_null());
    st_json_set(document, "xruns", xruns_json(view));
    st_json_set(document, "late_wakes", loop != NULL ? ST_JSON(loop->cause_late_n) : json_null());
    st_json_set(document, "late_threshold_ns", loop != NULL ? ST_JSON(loop->cause_above_ns) : json_null());
    st_json_set(document, "causes", loop != NULL ? st_result_causes_json(loop) : json_array());
    st_json_set(document, "events", events_json(view));
    return document;
}
