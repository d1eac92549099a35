/* Forwards each call of a sink. */
#include "daemon/status/tee.h"

/* Calls a member of each sink that has it. */
#define EACH(tee, member, ...)                                                                               \
    for (const struct st_sink *sink = (tee)->sinks; sink < (tee)->sinks + (tee)->n; sink++) {                \
        if (sink->member != NULL)                                                                            \
            sink->member(__VA_ARGS__);                                                                       \
    }

static void on_start(void *ctx, int64_t t0_ns)
{
    const struct st_tee *tee = ctx;
    EACH(tee, start, sink->ctx, t0_ns)
}

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    const struct st_tee *tee = ctx;
    EACH(tee, cycle, sink->ctx, period_index, lateness_ns, callback_ns)
}

static void on_skipped(void *ctx, uint64_t first, uint64_t n, int64_t due_to_done_ns_of_first)
{
    const struct st_tee *tee = ctx;
    EACH(tee, skipped, sink->ctx, first, n, due_to_done_ns_of_first)
}

static void on_lost(void *ctx, uint64_t first, uint64_t n)
{
    const struct st_tee *tee = ctx;
    EACH(tee, lost, sink->ctx, first, n)
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    const struct st_tee *tee = ctx;
    EACH(tee, late, sink->ctx, event)
}

static void on_xrun(void *ctx, int64_t at_ns, int64_t silence_ns, const struct st_cause_event *because)
{
    const struct st_tee *tee = ctx;
    EACH(tee, xrun, sink->ctx, at_ns, silence_ns, because)
}

static void on_flush(void *ctx)
{
    const struct st_tee *tee = ctx;
    EACH(tee, flush, sink->ctx)
}

int st_tee_add(struct st_tee *tee, const struct st_sink *sink)
{
    if (tee->n == ST_TEE_MAX)
        return -ENOSPC;
    tee->sinks[tee->n++] = *sink;
    return 0;
}

struct st_sink st_tee_sink(struct st_tee *tee)
{
    return (struct st_sink){.start = on_start,
                            .cycle = on_cycle,
                            .skipped = on_skipped,
                            .lost = on_lost,
                            .late = on_late,
                            .xrun = on_xrun,
                            .flush = on_flush,
                            .ctx = tee};
}
