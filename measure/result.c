/* The result of one loop, and the sentences about it. */
#include "measure/result.h"

#include "core/ns.h"

void st_result_finish(struct st_result *result)
{
    st_hist_finish(&result->lateness);
    st_hist_finish(&result->response);
}

int st_result_init(struct st_result *result, bool endless)
{
    result->lateness = result->response = (struct st_hist){0};
    int r = st_hist_init(&result->lateness, 3);
    if (r == 0)
        r = st_hist_init(&result->response, 3);
    if (r < 0) {
        st_result_finish(result);
    } else if (endless) {
        st_hist_touch(&result->lateness);
        st_hist_touch(&result->response);
    }
    return r;
}

int st_result_copy(struct st_result *ret, const struct st_result *from)
{
    struct st_result copy = *from;
    int r = st_result_init(&copy, false);
    if (r != 0)
        return r;
    r = st_hist_merge(&copy.lateness, &from->lateness);
    if (r == 0)
        r = st_hist_merge(&copy.response, &from->response);
    if (r == 0)
        *ret = copy;
    else
        st_result_finish(&copy);
    return r;
}

const struct st_cause_row *st_result_main_cause(const struct st_result *result, enum st_cause *ret)
{
    enum st_cause most = ST_CAUSE_STOPPED;
    int64_t most_ns = 0;
    for (enum st_cause i = 0; i < ST_CAUSE_COUNT; i++) {
        if (i == ST_CAUSE_STOPPED || result->causes[i].total_ns <= most_ns)
            continue;
        most = i;
        most_ns = result->causes[i].total_ns;
    }
    *ret = most;
    return result->causes[most].n > 0 ? &result->causes[most] : NULL;
}

void st_result_degrade(struct st_result *result, const char *format, ...)
{
    char reason[sizeof(result->degraded)];
    ST_PRINT_REST(reason, sizeof(reason), format);
    st_text_join(result->degraded, sizeof(result->degraded), "; ", "%s", reason);
}

const char *st_result_condition(const struct st_result *result, const char *key)
{
    ST_EACH_OF (condition, result->conditions, result->conditions_n) {
        if (st_text_is(condition->key, key))
            return condition->value;
    }
    return NULL;
}

/* Value (us) of /dev/cpu_dma_latency if no program asks for a latency. */
#define NO_IDLE_REQUEST "2000000000"

const char *st_result_condition_shown(const char *key, const char *value)
{
    if (st_text_is(key, "cpu_dma_latency_us") && st_text_is(value, NO_IDLE_REQUEST))
        return "not asked for";
    return value;
}

/* Number of periods that were not lost for lack of room in the ring. */
static uint64_t periods_seen(const struct st_result *result)
{
    return ST_MAX(result->elapsed_periods, result->records_lost) - result->records_lost;
}

double st_result_seconds(const struct st_result *result)
{
    return (double)periods_seen(result) * st_period_seconds(&result->period);
}

static const char *nothing_counted_text(const struct st_result *result)
{
    const char *nothing =
        "Nothing was measured: the measurement ended before the first counted period.";
    if (result->warmup_cycles == 0)
        return nothing;
    return st_text("%s Warm-up (%ju cycles) takes %s.", nothing, result->warmup_cycles,
                   st_ns_text(st_period_due_ns(&result->period, 0, result->warmup_cycles)));
}

const char *st_result_verdict(const struct st_result *result)
{
    const char *what = st_text("%" PRIu32 " frames at %" PRIu32 " Hz (%s)", result->frames,
                               result->rate_hz, st_ns_text(st_period_ns(&result->period)));
    const char *latest = st_ns_text(result->lateness.max_ns);
    const char *events =
        st_miss_events_text(result->miss_events.n, result->misses, st_result_seconds(result));
    const char *lost = "", *how = "";
    const uint64_t n = periods_seen(result);
    if (result->records_lost > 0)
        lost = st_text(", %ju more periods were not recorded in time", result->records_lost);
    if (result->policy == ST_POLICY_OTHER)
        how = " without real-time priority";

    if (!result->books_balance)
        return "Invalid: the counts of the timing test contradict each other. Trust no figure "
               "here; measure again.";
    if (result->error != 0)
        return st_text(
            "The measurement stopped after %ju periods: the system call that sleeps failed: %s.",
            result->elapsed_periods, strerror(-result->error));
    if (result->elapsed_periods == 0)
        return nothing_counted_text(result);
    if (n == 0)
        return "Nothing was measured: sleeptune could not store its measurements in time.";
    if (result->misses == 0)
        return st_text(
            "Timing OK with %s in this run%s: 0 of %ju periods missed%s%s, worst wake-up %s late.",
            what, how, n, events, lost, latest);
    return st_text("Timing not OK with %s%s: %ju of %ju periods missed%s%s, worst wake-up %s late.",
                   what, how, result->misses, n, events, lost, latest);
}
