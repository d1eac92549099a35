/* What all sources of xruns have in common. */
#include "xruns/xrun.h"

#include "core/text/safe.h"
#include "core/text/text.h"

const struct st_xrun_load st_xrun_load_plays = {.cycles_n = 1,
                                                .busy_median_ns = INT64_MIN,
                                                .busy_p99_ns = INT64_MIN,
                                                .busy_max_ns = INT64_MIN,
                                                .wait_median_ns = INT64_MIN,
                                                .wait_p99_ns = INT64_MIN,
                                                .wait_max_ns = INT64_MIN};

int st_xrun_because(struct st_xrun_watch *w, int error, const char *format, ...)
{
    ST_PRINT_REST(w->why, sizeof(w->why), format);
    st_safe_text(w->why);
    w->facts = w->listens_n = 0;
    return error;
}

bool st_xrun_is_server(const char *client)
{
    return st_text_is(client, ST_XRUN_SERVER_ITSELF) || st_text_is(client, ST_XRUN_JACK_ITSELF);
}

int st_xrun_open(struct st_xrun_watch *w, struct st_platform *machine,
                 const struct st_xrun_source *source, const struct st_xrun_setting *setting,
                 st_xrun_seen_fn seen, void *ctx)
{
    *w = (struct st_xrun_watch){.source = source,
                                .machine = machine,
                                .setting = *setting,
                                .seen = seen,
                                .ctx = ctx,
                                .fd = -1};
    if (source->ops == NULL)
        return st_xrun_because(w, -ENOTSUP, "%s", source->summary);
    return source->ops->open(w);
}

void st_xrun_close(struct st_xrun_watch *w)
{
    w->source->ops->close(w);
    w->state = NULL;
}
