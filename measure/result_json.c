/* The document sleeptune-measure/1 (docs/schema). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/result.h"

#define JSON(n) json_integer((json_int_t)(n))

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value); /* out of memory leaves a key out; nothing else can fail */
}

static json_t *number_or_null(bool known, int64_t value)
{
    return known ? JSON(value) : json_null();
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *distribution(const struct st_hist *hist)
{
    static const struct {
        const char *key, *interval_key;
        double p;
    } quantiles[] = {
        {"median", "median_ci95", 0.5},
        {"p99", "p99_ci95", 0.99},
        {"p999", "p999_ci95", 0.999},
    };
    json_t *object = json_object();
    set(object, "n", JSON(hist->total_n));
    set(object, "min", number_or_null(hist->total_n > 0, hist->min_ns));
    for (size_t i = 0; i < ST_ARRAY_LEN(quantiles); i++) {
        const struct st_quantile q = st_stats_quantile(hist, quantiles[i].p);
        set(object, quantiles[i].key, number_or_null(q.known, q.value_ns));
        set(object, quantiles[i].interval_key,
            q.known && q.interval_known ? json_pack("[I,I]", (json_int_t)q.low_ns, (json_int_t)q.high_ns)
                                        : json_null());
    }
    set(object, "max", number_or_null(hist->total_n > 0, hist->max_ns));
    set(object, "over_range", JSON(hist->over_n));
    return object;
}

static json_t *causes(const struct st_result *result)
{
    json_t *array = json_array();
    for (int c = 0; c < ST_CAUSE_COUNT; c++) {
        const struct st_cause_row *row = &result->causes[c];
        if (row->n == 0)
            continue;
        (void)json_array_append_new(
            array, json_pack("{s:s, s:s, s:I, s:I, s:I}", "cause", st_cause_name((enum st_cause)c), "text",
                             st_cause_text((enum st_cause)c), "count", (json_int_t)row->n, "total_ns",
                             (json_int_t)row->total_ns, "worst_ns", (json_int_t)row->max_ns));
    }
    return array;
}

static json_t *events(const struct st_result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->events_n; i++) {
        const struct st_cause_event *e = &result->events[i];
        (void)json_array_append_new(
            array,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "cause", st_cause_name(e->cause),
                      "at_ns", (json_int_t)e->at_ns, "lateness_ns", (json_int_t)e->lateness_ns, "span_ns",
                      (json_int_t)e->span_ns, "runq_wait_ns", (json_int_t)e->runq_wait_ns, "rest_ns",
                      (json_int_t)e->rest_ns, "switches_involuntary", (json_int_t)e->switches_involuntary_n,
                      "faults_minor", (json_int_t)e->faults_minor_n, "faults_major",
                      (json_int_t)e->faults_major_n, "migrated", (int)e->migrated));
    }
    return array;
}

/* Whole numbers as numbers, everything else as text. */
static json_t *circumstance(const char *value)
{
    char *end;
    const long long number = strtoll(value, &end, 10);
    if (end != value && *end == '\0' && strlen(value) < 18)
        return JSON(number);
    json_t *text = json_string(value);
    return text != NULL ? text : json_null(); /* not UTF-8 */
}

static json_t *circumstances(const struct st_result *result)
{
    static const char *const lock_names[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "all", [ST_LOCK_ON_FAULT] = "on-fault"};
    json_t *object = json_object();
    set(object, "policy", json_string(st_policy_name(result->policy)));
    set(object, "policy_asked", json_string(st_policy_name(result->policy_asked)));
    set(object, "priority", JSON(result->priority));
    set(object, "cpu", number_or_null(result->cpu >= 0, result->cpu));
    set(object, "frames", JSON(result->frames));
    set(object, "rate_hz", JSON(result->rate_hz));
    set(object, "periods", JSON(result->periods));
    set(object, "load_percent", json_real(result->load_percent));
    set(object, "memory_locked", json_string(lock_names[result->lock]));
    set(object, "as_found", json_boolean(result->timer_slack_set_ns < 0));
    set(object, "degraded", result->degraded[0] != '\0' ? json_string(result->degraded) : json_null());
    for (size_t i = 0; i < result->circumstances_n; i++)
        set(object, result->circumstances[i].key, circumstance(result->circumstances[i].value));
    set(object, "smi", number_or_null(result->smi >= 0, result->smi));
    return object;
}

json_t *st_result_json(const struct st_result *result)
{
    char verdict[400];
    json_t *o = json_object();
    set(o, "verdict", json_string(st_result_verdict(result, verdict, sizeof(verdict))));
    set(o, "period_ns",
        json_pack("{s:I, s:I}", "num", (json_int_t)result->period.num, "den",
                  (json_int_t)result->period.den));
    set(o, "n", JSON(result->n));
    set(o, "cycles", JSON(result->cycles));
    set(o, "skipped_periods", JSON(result->skipped_periods));
    set(o, "elapsed_periods", JSON(result->elapsed_periods));
    set(o, "books_balance", json_boolean(result->books_balance));
    set(o, "misses", JSON(result->misses));
    set(o, "misses_per_hour_max95", real_or_null(st_result_misses_per_hour_max95(result)));
    set(o, "early", JSON(result->early));
    set(o, "simulated_xruns", JSON(result->simulated_xruns));
    set(o, "silence_ns", JSON(result->silence_ns));
    set(o, "silence_max_ns", JSON(result->silence_max_ns));
    set(o, "suspends", JSON(result->suspends));
    set(o, "lateness_ns", distribution(&result->lateness));
    set(o, "response_ns", distribution(&result->response));
    set(o, "cpu_ns_per_cycle",
        result->cpu_ns_per_cycle >= 0 ? json_real(result->cpu_ns_per_cycle) : json_null());
    set(o, "clock_read_ns", number_or_null(result->clock_read_ns >= 0, result->clock_read_ns));
    const bool faults_known = result->faults_minor >= 0;
    set(o, "faults", number_or_null(faults_known, result->faults_minor + result->faults_major));
    set(o, "faults_major", number_or_null(faults_known, result->faults_major));
    set(o, "switches_involuntary",
        number_or_null(result->switches_involuntary >= 0, result->switches_involuntary));
    set(o, "records_lost", JSON(result->records_lost));
    set(o, "ring_high_water", JSON(result->ring_high_water));
    set(o, "ring_words", JSON(result->ring_words));
    set(o, "interrupted", json_boolean(result->interrupted));
    set(o, "error", result->error != 0 ? json_string(strerror(-result->error)) : json_null());
    set(o, "duration_ns", JSON(result->duration_ns));
    set(o, "started_ns", JSON(result->started_wall_ns));
    set(o, "late_threshold_ns", JSON(result->cause_above_ns));
    set(o, "late_wakes", JSON(result->cause_late_n));
    set(o, "late_wakes_explained", JSON(result->cause_explained_n));
    set(o, "causes", causes(result));
    set(o, "worst", events(result));
    set(o, "circumstances", circumstances(result));
    return o;
}
