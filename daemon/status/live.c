/* Seconds by the due times of their periods, so that what is shown does not depend on when the ring is
 * drained. */
#include "daemon/status/live.h"

#include "core/ns.h"
#include "core/stats/stats.h"
#include "store/history/history.h"

#define HIST_DIGITS 2 /* the median of a second is for a picture */

static void begin_second(struct st_live *live, int64_t index)
{
    live->now = (struct st_live_second){.index = index, .max_ns = INT64_MIN, .median_ns = INT64_MIN};
    st_hist_reset(&live->hist);
}

static void end_second(struct st_live *live)
{
    const struct st_quantile median = st_stats_quantile(&live->hist, 0.5);
    if (live->hist.total_n > 0)
        live->now.max_ns = live->hist.max_ns;
    if (median.known)
        live->now.median_ns = median.value_ns;
    live->seconds[live->now.index % ST_LIVE_SECONDS] = live->now;
    live->newest = live->now.index;
}

/* Makes `now` the second in which period k was due. */
static void move_to(struct st_live *live, uint64_t k)
{
    const int64_t due_ns = st_period_due_ns(&live->period, live->t0_ns, k);
    const int64_t index = due_ns / ST_NS_PER_S;
    if (index == live->now.index)
        return;
    if (live->now.index >= 0)
        end_second(live);
    begin_second(live, index);
}

static void on_start(void *ctx, int64_t t0_ns)
{
    struct st_live *live = ctx;
    live->t0_ns = t0_ns;
    live->next_k = 0;
    begin_second(live, -1);
}

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    struct st_live *live = ctx;
    if (live->next.cycle != NULL)
        live->next.cycle(live->next.ctx, period_index, lateness_ns, callback_ns);
    st_hist_add(&live->minute, lateness_ns);
    move_to(live, period_index);
    st_hist_add(&live->hist, lateness_ns);
    live->now.cycles++;
    live->now.misses += st_period_missed(&live->period, period_index, st_ns_add(lateness_ns, callback_ns));
    live->next_k = period_index + 1;
}

/* Periods without a cycle that we know of, into the seconds in which they were due. */
static void add_range(struct st_live *live, uint64_t first, uint64_t n, bool lost)
{
    const uint64_t end = first + n;
    while (first < end) {
        move_to(live, first);
        const int64_t last_ns = (live->now.index + 1) * ST_NS_PER_S - 1; /* of this second */
        uint64_t next = st_period_index_at(&live->period, live->t0_ns, last_ns) + 1;
        if (next > end)
            next = end;
        *(lost ? &live->now.lost : &live->now.misses) += next - first;
        first = next;
    }
    live->next_k = end;
}

/* A skipped period is a miss. */
static void on_skipped(void *ctx, uint64_t first, uint64_t n, ST_UNUSED int64_t due_to_done_ns_of_first)
{
    add_range(ctx, first, n, false);
}

static void on_lost(void *ctx, uint64_t first, uint64_t n)
{
    add_range(ctx, first, n, true);
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    const struct st_live *live = ctx;
    if (live->next.late != NULL)
        live->next.late(live->next.ctx, event);
}

static void on_flush(void *ctx)
{
    struct st_live *live = ctx;
    if (live->next.flush != NULL)
        live->next.flush(live->next.ctx);
    if (live->t0_ns == INT64_MIN)
        return;
    live->next_due_ns = st_period_due_ns(&live->period, live->t0_ns, live->next_k);
}

int st_live_init(struct st_live *live)
{
    *live = (struct st_live){.t0_ns = INT64_MIN, .now.index = -1};
    int r = st_hist_init(&live->hist, HIST_DIGITS);
    if (r == 0)
        r = st_hist_init(&live->minute, ST_HISTORY_DIGITS);
    if (r < 0) {
        st_hist_finish(&live->hist);
        st_hist_finish(&live->minute);
        return r;
    }
    st_hist_touch(&live->hist);
    st_hist_touch(&live->minute);
    st_live_forget(live);
    return 0;
}

void st_live_finish(struct st_live *live)
{
    st_hist_finish(&live->hist);
    st_hist_finish(&live->minute);
}

struct st_sink st_live_sink(struct st_live *live, const struct st_period *period, const struct st_sink *next)
{
    live->next = next != NULL ? *next : (struct st_sink){0};
    live->period = *period;
    live->t0_ns = INT64_MIN;
    begin_second(live, -1);
    live->next_due_ns = INT64_MIN; /* that of the loop before says nothing of this one */
    return (struct st_sink){.start = on_start,
                            .cycle = on_cycle,
                            .skipped = on_skipped,
                            .lost = on_lost,
                            .late = on_late,
                            .flush = on_flush,
                            .ctx = live};
}

void st_live_end_minute(struct st_live *live, struct st_hist *ret)
{
    if (st_hist_merge(ret, &live->minute) == 0) /* they have the same digits */
        st_hist_reset(&live->minute);
}

void st_live_forget(struct st_live *live)
{
    live->newest = live->next_due_ns = INT64_MIN;
    ST_EACH (second, live->seconds)
        second->index = -1;
}

void st_live_take(const struct st_live *live, int64_t now_ns, struct st_live_look *ret)
{
    ret->n = 0;
    const int64_t now_index = now_ns / ST_NS_PER_S;
    /* the second before this one may not have been drained to its end */
    int64_t end = now_index - 1;
    if (live->newest >= end - 1 && live->newest < end)
        end = live->newest;
    for (int64_t i = end - ST_LIVE_SECONDS + 1; live->newest != INT64_MIN && i <= end; i++) {
        if (i < 0)
            continue;
        const struct st_live_second *second = &live->seconds[i % ST_LIVE_SECONDS];
        const bool known = second->index == i;
        if (!known && ret->n == 0)
            continue; /* before the first one */
        ret->seconds[ret->n++] =
            known ? *second
                  : (struct st_live_second){.index = i, .max_ns = INT64_MIN, .median_ns = INT64_MIN};
    }
}
