/* The document sleeptune-measure/1 (docs/schema). */
#include "core/text/json.h"
#include "core/text/number.h"
#include "measure/result.h"

/* Quantiles with intervals, extremes and the number of values. NULL: out of memory. */
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
    json_t *object = st_json_object("n:i min:o", hist->total_n,
                                    st_json_integer_or_null(hist->total_n > 0, hist->min_ns));
    ST_EACH (quantile, quantiles) {
        const struct st_quantile q = st_stats_quantile(hist, quantile->p);
        (void)json_object_set_new(object, quantile->key,
                                  st_json_integer_or_null(q.known, q.value_ns));
        (void)json_object_set_new(
            object, quantile->interval_key,
            q.known ? json_pack("[I,I]", (json_int_t)q.low_ns, (json_int_t)q.high_ns)
                    : json_null());
    }
    return st_json_add(object, "max:o", st_json_integer_or_null(hist->total_n > 0, hist->max_ns));
}

/* Share of the lateness that figures of the cause explain; null for a cause that was found by
 * exclusion. */
static json_t *explained(const struct st_cause_row *row, enum st_cause cause)
{
    return st_json_real_or_null(!st_cause_kind_by_exclusion(cause) && row->total_ns > 0,
                                (double)row->explained_ns / (double)row->total_ns);
}

static json_t *causes(const struct st_result *result)
{
    json_t *array = json_array();
    for (enum st_cause c = 0; c < ST_CAUSE_COUNT; c++) {
        const struct st_cause_row *row = &result->causes[c];
        if (row->n == 0)
            continue;
        json_array_append_new(
            array, st_json_object("cause:t text:t count:i total_ns:i worst_ns:i explained:o",
                                  st_cause_kind_name(c), st_cause_kind_text(c), row->n,
                                  row->total_ns, row->max_ns, explained(row, c)));
    }
    return array;
}

void st_result_condition_json(void *object, const char *key, const char *value)
{
    int64_t number;
    /* cpus_isolated is a list such as "1-3", so a list of one CPU must not become a number. */
    const bool whole = strlen(value) < 18 &&
                       st_number_i64(value, INT64_MIN, INT64_MAX, &number) == 0 &&
                       strcmp(key, "cpus_isolated") != 0;
    json_t *json = whole ? json_integer(number) : json_string(value);
    /* json_string returns NULL for text that is not UTF-8 */
    (void)json_object_set_new(object, key, json != NULL ? json : json_null());
}

static json_t *conditions(const struct st_result *result)
{
    static const char *const lock_names[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "all", [ST_LOCK_ON_FAULT] = "on-fault"};
    json_t *object = st_json_object(
        "policy:t priority:u cpu:o frames:u rate_hz:u load_percent:d memory_locked:t as_found:b "
        "degraded:t",
        st_platform_policy_name(result->policy), result->priority,
        st_json_integer_or_null(result->cpu >= 0, result->cpu), result->frames, result->rate_hz,
        result->load_percent, lock_names[result->lock], result->timer_slack_set_ns < 0,
        st_text_or(result->degraded, NULL));
    ST_EACH_OF (condition, result->conditions, result->conditions_n)
        st_result_condition_json(object, condition->key, condition->value);
    return object;
}

json_t *st_result_json(const struct st_result *result)
{
    const struct st_period *period = &result->period;
    json_t *object = st_json_object(
        "verdict:t period_ns:o n:i cycles:i skipped_periods:i elapsed_periods:i books_balance:b "
        "misses:i miss_events:i miss_events_per_hour_max95:d early:i suspends:i",
        st_result_verdict(result), st_json_object("num:i den:i", period->num, period->den),
        result->n, result->cycles, result->skipped_periods, result->elapsed_periods,
        result->books_balance, result->misses, result->miss_events.n,
        st_miss_events_per_hour_max95(result->miss_events.n, st_result_seconds(result)),
        result->early, result->suspends);
    return st_json_add(
        object,
        "lateness_ns:o response_ns:o cpu_ns_per_cycle:o faults:o records_lost:i interrupted:b "
        "error:o duration_ns:i started_ns:i late_threshold_ns:i late_wakes:i "
        "late_wakes_explained:i causes:o conditions:o",
        distribution(&result->lateness), distribution(&result->response),
        st_json_real_or_null(result->cpu_ns_per_cycle >= 0, result->cpu_ns_per_cycle),
        st_json_integer_or_null(result->faults_n >= 0, result->faults_n), result->records_lost,
        result->interrupted, st_json_error(result->error), result->duration_ns,
        result->started_wall_ns, result->cause_above_ns, result->cause_late_n,
        result->cause_explained_n, causes(result), conditions(result));
}
