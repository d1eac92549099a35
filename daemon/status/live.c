#include "daemon/status/live.h"

#include "store/history/history.h"

static void on_start(void *ctx, int64_t t0_ns)
{
    struct st_live *live = ctx;
    live->t0_ns = t0_ns;
    live->next_k = 0;
}

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    struct st_live *live = ctx;
    if (live->next.cycle != NULL)
        live->next.cycle(live->next.ctx, period_index, lateness_ns, callback_ns);
    st_hist_add(&live->minute, lateness_ns);
    live->next_k = period_index + 1;
}

static void on_skipped(void *ctx, uint64_t first, uint64_t n,
                       ST_UNUSED int64_t due_to_done_ns_of_first)
{
    struct st_live *live = ctx;
    live->next_k = first + n;
}

static void on_lost(void *ctx, uint64_t first, uint64_t n)
{
    on_skipped(ctx, first, n, 0);
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
    *live = (struct st_live){.t0_ns = INT64_MIN, .next_due_ns = INT64_MIN};
    const int r = st_hist_init(&live->minute, ST_HISTORY_DIGITS);
    if (r == 0)
        st_hist_touch(&live->minute);
    return r;
}

void st_live_finish(struct st_live *live)
{
    st_hist_finish(&live->minute);
}

struct st_sink st_live_sink(struct st_live *live, const struct st_period *period,
                            const struct st_sink *next)
{
    live->next = next != NULL ? *next : (struct st_sink){0};
    live->period = *period;
    live->t0_ns = INT64_MIN;
    live->next_due_ns = INT64_MIN; /* the due time belonged to the previous loop */
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
    /* cannot fail for another reason than different digits, which are equal here */
    if (st_hist_merge(ret, &live->minute) == 0)
        st_hist_reset(&live->minute);
}
