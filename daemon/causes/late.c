/* Late wake-ups on their way from the loop to the sums. */
#include "daemon/causes/late.h"

int st_late_init(struct st_late_wakes *late, struct st_causes *causes)
{
    *late = (struct st_late_wakes){.causes = causes};
    return -pthread_mutex_init(&late->mutex, NULL);
}

void st_late_finish(struct st_late_wakes *late)
{
    pthread_mutex_destroy(&late->mutex);
}

static void take(struct st_late_wakes *late, const struct st_late *one)
{
    pthread_mutex_lock(&late->mutex);
    const bool asked = late->tracer != NULL && st_tracer_ask(late->tracer, one);
    pthread_mutex_unlock(&late->mutex);
    if (!asked)
        st_causes_take(late->causes, one, NULL);
}

static void on_late(void *ctx, const struct st_cause_event *event)
{
    const struct st_late one = {.event = *event};
    take(ctx, &one);
}

static void on_xrun(void *ctx, int64_t at_ns, int64_t silence_ns, const struct st_cause_event *because)
{
    struct st_late one = {.xrun = true, .known = because != NULL, .at_ns = at_ns, .silence_ns = silence_ns};
    if (because != NULL)
        one.event = *because;
    take(ctx, &one);
}

struct st_sink st_late_sink(struct st_late_wakes *late)
{
    return (struct st_sink){.late = on_late, .xrun = on_xrun, .ctx = late};
}

void st_late_trace_by(struct st_late_wakes *late, struct st_tracer *tracer, const char *why)
{
    pthread_mutex_lock(&late->mutex);
    late->tracer = tracer;
    pthread_mutex_unlock(&late->mutex);
    st_causes_set_untraced(late->causes, tracer != NULL ? "" : why);
}
