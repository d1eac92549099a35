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
    json_t *object = json_object();
    st_json_set(object, "n", hist->total_n);
    st_json_set(object, "min", st_json_integer_or_null(hist->total_n > 0, hist->min_ns));
    ST_EACH (quantile, quantiles) {
        const struct st_quantile q = st_stats_quantile(hist, quantile->p);
        st_json_set(object, quantile->key, st_json_integer_or_null(q.known, q.value_ns));
        st_json_set(object, quantile->interval_key,
                    q.known && q.interval_known
                        ? json_pack("[I,I]", (json_int_t)q.low_ns, (json_int_t)q.high_ns)
                        : json_null());
    }
    st_json_set(object, "max", st_json_integer_or_null(hist->total_n > 0, hist->max_ns));
    return object;
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
            array, json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "cause", st_cause_kind_name(c),
                             "text", st_cause_kind_text(c), "count", (json_int_t)row->n, "total_ns",
                             (json_int_t)row->total_ns, "worst_ns", (json_int_t)row->max_ns,
                             "explained", explained(row, c)));
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
    json_t *json = whole ? ST_JSON(number) : json_string(value);
    /* json_string returns NULL for text that is not UTF-8 */
    st_json_set(object, key, json != NULL ? json : json_null());
}

static json_t *conditions(const struct st_result *result)
{
    static const char *const lock_names[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "all", [ST_LOCK_ON_FAULT] = "on-fault"};
    json_t *object = json_object();
    st_json_set(object, "policy", st_platform_policy_name(result->policy));
    st_json_set(object, "priority", result->priority);
    st_json_set(object, "cpu", st_json_integer_or_null(result->cpu >= 0, result->cpu));
    st_json_set(object, "frames", result->frames);
    st_json_set(object, "rate_hz", result->rate_hz);
    st_json_set(object, "load_percent", result->load_percent);
    st_json_set(object, "memory_locked", lock_names[result->lock]);
    st_json_set(object, "as_found", json_boolean(result->timer_slack_set_ns < 0));
    st_json_set(object, "degraded", st_json_string_or_null(st_text_or(result->degraded, NULL)));
    ST_EACH_OF (condition, result->conditions, result->conditions_n)
        st_result_condition_json(object, condition->key, condition->value);
    return object;
}

json_t *st_result_json(const struct st_result *result)
{
    const char *verdict;
    json_t *o = json_object();
    st_json_set(o, "verdict", (verdict = st_result_verdict(result)));
    st_json_set(o, "period_ns",
                json_pack("{s:I, s:I}", "num", (json_int_t)result->period.num, "den",
                          (json_int_t)result->period.den));
    st_json_set(o, "n", result->n);
    st_json_set(o, "cycles", result->cycles);
    st_json_set(o, "skipped_periods", result->skipped_periods);
    st_json_set(o, "elapsed_periods", result->elapsed_periods);
    st_json_set(o, "books_balance", result->books_balance);
    st_json_set(o, "misses", result->misses);
    st_json_set(o, "miss_events", result->miss_events.n);
    st_json_set(o, "miss_events_per_hour_max95",
                st_json_real_or_null(true, st_miss_events_per_hour_max95(
                                               result->miss_events.n, st_result_seconds(result))));
    st_json_set(o, "early", result->early);
    st_json_set(o, "suspends", result->suspends);
    st_json_set(o, "lateness_ns", distribution(&result->lateness));
    st_json_set(o, "response_ns", distribution(&result->response));
    st_json_set(o, "cpu_ns_per_cycle",
                st_json_real_or_null(result->cpu_ns_per_cycle >= 0, result->cpu_ns_per_cycle));
    st_json_set(o, "faults", st_json_integer_or_null(result->faults_n >= 0, result->faults_n));
    st_json_set(o, "records_lost", result->records_lost);
    st_json_set(o, "interrupted", result->interrupted);
    st_json_set(o, "error", st_json_error(result->error));
    st_json_set(o, "duration_ns", result->duration_ns);
    st_json_set(o, "started_ns", result->started_wall_ns);
    st_json_set(o, "late_threshold_ns", result->cause_above_ns);
    st_json_set(o, "late_wakes", result->cause_late_n);
    st_json_set(o, "late_wakes_explained", result->cause_explained_n);
    st_json_set(o, "causes", causes(result));
    st_json_set(o, "conditions", conditions(result));
    return o;
}
