/* Forwards each call of a sink. */
#include "daemon/status/tee.h"

static void on_start(void *ctx, int64_t t0_ns)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].start != NULL)
            fan->sinks[i].start(fan->sinks[i].ctx, t0_ns);
    }
}

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].cycle != NULL)
            fan->sinks[i].cycle(fan->sinks[i].ctx, period_index, lateness_ns, callback_ns);
    }
}

static void on_skipped(void *ctx, uint64_t first, uint64_t n, int64_t due_to_done_ns_of_first)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].skipped != NULL)
            fan->sinks[i].skipped(fan->sinks[i].ctx, first, n, due_to_done_ns_of_first);
    }
}

static void on_lost(void *ctx, uint64_t first, uint64_t n)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].lost != NULL)
            fan->sinks[i].lost(fan->sinks[i].ctx, first, n);
    }
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].late != NULL)
            fan->sinks[i].late(fan->sinks[i].ctx, event);
    }
}

static void on_xrun(void *ctx, int64_t at_ns, int64_t silence_ns, const struct st_cause_event *because)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].xrun != NULL)
            fan->sinks[i].xrun(fan->sinks[i].ctx, at_ns, silence_ns, because);
    }
}

static void on_flush(void *ctx)
{
    const struct st_tee *fan = ctx;
    for (size_t i = 0; i < fan->n; i++) {
        if (fan->sinks[i].flush != NULL)
            fan->sinks[i].flush(fan->sinks[i].ctx);
    }
}

int st_tee_add(struct st_tee *fan, const struct st_sink *sink)
{
    if (fan->n == ST_TEE_MAX)
        return -ENOSPC;
    fan->sinks[fan->n++] = *sink;
    return 0;
}

struct st_sink st_tee_sink(struct st_tee *fan)
{
    return (struct st_sink){.start = on_start,
                            .cycle = on_cycle,
                            .skipped = on_skipped,
                            .lost = on_lost,
                            .late = on_late,
                            .xrun = on_xrun,
                            .flush = on_flush,
                            .ctx = fan};
}
