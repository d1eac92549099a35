#include "chart/input/series_options.h"

#include "core/ns.h"
#include "platform/program/options.h"

void st_series_options_init(struct st_series_options *options)
{
    *options = (struct st_series_options){.count = 900};
}

bool st_series_period_given(const struct st_series_options *options)
{
    return options->every_ns != 0 || options->frames != 0 || options->rate_hz != 0;
}

int st_series_take_every(const char *command, void *ctx, const char *text)
{
    return st_option_time(command, "--every", text, 1, 3600 * ST_NS_PER_S, ctx);
}

int st_series_period(const char *command, const struct st_series_options *o, struct st_period *ret)
{
    if (o->every_ns != 0 && (o->frames != 0 || o->rate_hz != 0))
        return st_usage_error(command, "--every and --frames, --rate exclude each other");
    const int r = o->frames != 0 || o->rate_hz != 0
                      ? st_period_init(ret, o->frames != 0 ? (uint32_t)o->frames : 128,
                                       o->rate_hz != 0 ? (uint32_t)o->rate_hz : 48000)
                      : st_period_init_ns(ret, (uint64_t)(o->every_ns != 0 ? o->every_ns : ST_NS_PER_S), 1);
    return r == 0 ? 0 : st_usage_error(command, "the period is out of range");
}
