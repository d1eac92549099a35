/* Minute sums. */
#include "daemon/status/minute.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/ns.h"

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    (void)period_index;
    (void)callback_ns;
    struct st_minute_sink *sink = ctx;
    sink->wakes_n++;
    if (lateness_ns > sink->max_ns)
        sink->max_ns = lateness_ns;
    st_hist_add(&sink->lateness, lateness_ns);
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    struct st_minute_sink *sink = ctx;
    (void)event;
    sink->late_n++;
}

static void on_flush(void *ctx)
{
    struct st_minute_sink *sink = ctx;
    st_causes_wakes(sink->causes, sink->wakes_n);
    pthread_mutex_lock(&sink->mutex);
    if (sink->max_ns > sink->shared_max_ns)
        sink->shared_max_ns = sink->max_ns;
    sink->shared_late_n += sink->late_n;
    if (st_hist_merge(&sink->shared_lateness, &sink->lateness) == 0) /* they have the same digits */
        st_hist_reset(&sink->lateness);
    pthread_mutex_unlock(&sink->mutex);
    sink->max_ns = INT64_MIN;
    sink->late_n = sink->wakes_n = 0;
}

int st_minute_sink_init(struct st_minute_sink *sink, struct st_causes *causes)
{
    *sink = (struct st_minute_sink){.causes = causes, .max_ns = INT64_MIN, .shared_max_ns = INT64_MIN};
    int r = st_hist_init(&sink->lateness, ST_MINUTE_DIGITS);
    if (r == 0)
        r = st_hist_init(&sink->shared_lateness, ST_MINUTE_DIGITS);
    if (r == 0)
        r = -pthread_mutex_init(&sink->mutex, NULL);
    if (r < 0) {
        st_hist_finish(&sink->lateness);
        st_hist_finish(&sink->shared_lateness);
        return r;
    }
    st_hist_touch(&sink->lateness);
    st_hist_touch(&sink->shared_lateness);
    return 0;
}

void st_minute_sink_finish(struct st_minute_sink *sink)
{
    pthread_mutex_destroy(&sink->mutex);
    st_hist_finish(&sink->lateness);
    st_hist_finish(&sink->shared_lateness);
}

struct st_sink st_minute_sink_functions(struct st_minute_sink *sink)
{
    return (struct st_sink){.cycle = on_cycle, .late = on_late, .flush = on_flush, .ctx = sink};
}

static uint64_t difference(uint64_t now, uint64_t before)
{
    return now >= before ? now - before : now;
}

struct st_minute_counts st_minute_counts_of(const struct st_result *result, int64_t now_ns, int64_t wall_ns)
{
    const int64_t due_ns = st_period_due_ns(&result->period, result->t0_ns, result->elapsed_periods);
    /* a loop that does not sleep is ahead of the clock */
    const int64_t latest_ns = st_ns_add(now_ns, st_period_ns(&result->period));
    const int64_t until_ns = due_ns < latest_ns || result->elapsed_periods == 0 ? due_ns : latest_ns;
    return (struct st_minute_counts){
        .measured_ns = st_ns_sub(until_ns, result->t0_ns),
        .until_wall_ns = st_ns_sub(wall_ns, st_ns_sub(now_ns, until_ns)),
        .cycles = result->cycles,
        .misses = result->misses,
        .miss_events = result->miss_events.n,
        .skipped_periods = result->skipped_periods,
        .simulated_xruns = result->simulated_xruns,
    };
}

bool st_minute_take(struct st_minute_sink *sink, struct st_minute_counts *before,
                    const struct st_minute_counts *now, struct st_minute *ret, struct st_hist *ret_lateness)
{
    const bool observing = now->observing || before->observing;
    const bool goes_on = before->measured_ns > 0 && now->measured_ns >= before->measured_ns;
    const int64_t measured_ns = goes_on ? now->measured_ns - before->measured_ns : now->measured_ns;
    if (measured_ns == 0)
        return false;
    *ret = (struct st_minute){
        .from_wall_ns = goes_on ? before->until_wall_ns : st_ns_sub(now->until_wall_ns, measured_ns),
        .to_wall_ns = now->until_wall_ns,
        .duration_ns = measured_ns,
        .cycles = difference(now->cycles, before->cycles),
        .misses = difference(now->misses, before->misses),
        .miss_events = difference(now->miss_events, before->miss_events),
        .skipped_periods = difference(now->skipped_periods, before->skipped_periods),
        .simulated_xruns = difference(now->simulated_xruns, before->simulated_xruns),
        .own_xruns = difference(now->own_xruns, before->own_xruns),
        .observed_xruns =
            observing ? (int64_t)difference(now->observed_xruns, before->observed_xruns) : INT64_MIN,
        .starved_clients =
            observing ? (int64_t)difference(now->starved_clients, before->starved_clients) : INT64_MIN,
    };
    *before = *now;
    pthread_mutex_lock(&sink->mutex);
    ret->lateness_max_ns = sink->shared_max_ns;
    ret->late_wakes = sink->shared_late_n;
    sink->shared_max_ns = INT64_MIN;
    sink->shared_late_n = 0;
    if (st_hist_merge(ret_lateness, &sink->shared_lateness) == 0)
        st_hist_reset(&sink->shared_lateness);
    pthread_mutex_unlock(&sink->mutex);
    return true;
}

const char *st_minute_text(const struct st_minute *minute, char *buf, size_t buf_bytes)
{
    char lateness[32] = "none";
    if (minute->lateness_max_ns != INT64_MIN)
        st_ns_format(minute->lateness_max_ns, lateness, sizeof(lateness));
    char dropouts[64] = "";
    if (minute->observed_xruns != INT64_MIN)
        snprintf(dropouts, sizeof(dropouts), "%" PRId64 " dropouts of other programs; ",
                 minute->observed_xruns + minute->starved_clients);
    snprintf(buf, buf_bytes,
             "last %" PRId64 " s: %s%" PRIu64 " cycles, %" PRIu64 " missed (%" PRIu64 " skipped); %" PRIu64
             " xruns simulated, %" PRIu64 " in the daemon's own stream; worst wake-up %s late",
             (minute->duration_ns + ST_NS_PER_S / 2) / ST_NS_PER_S, dropouts, minute->cycles, minute->misses,
             minute->skipped_periods, minute->simulated_xruns, minute->own_xruns, lateness);
    return buf;
}
