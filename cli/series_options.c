#include "cli/series_options.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "lib/ns.h"

#define EVERY_MIN_NS (10 * ST_NS_PER_US)
#define EVERY_MAX_NS (3600 * ST_NS_PER_S)

void st_series_options_init(struct st_series_options *options)
{
    *options = (struct st_series_options){.count = 900, .count_max = ST_SERIES_COUNT_MAX};
}

int st_series_option(const char *command, int option, const char *text, struct st_series_options *ret)
{
    int64_t n = 0;
    int r = 0;
    switch (option) {
    case ST_OPT_EVERY:
        return st_option_time(command, "--every", text, EVERY_MIN_NS, EVERY_MAX_NS, &ret->every_ns);
    case ST_OPT_FRAMES:
        return st_option_i64(command, "--frames", text, 1, 1 << 20, &ret->frames);
    case ST_OPT_RATE:
        return st_option_i64(command, "--rate", text, 1000, 768000, &ret->rate_hz);
    case ST_OPT_COUNT:
        r = st_option_i64(command, "--count", text, 1, (int64_t)ret->count_max, &n);
        ret->count = (uint64_t)n;
        return r;
    case ST_OPT_PLOT:
        ret->plot = text;
        return 0;
    case ST_OPT_JSON:
        ret->json = true;
        return 0;
    case ST_OPT_FORMAT:
        ret->json = strcmp(text, "json") == 0;
        return ret->json || strcmp(text, "text") == 0
                   ? 0
                   : st_usage_error(command, "--format: '%s' is not json or text", text);
    default: /* getopt has said what */
        fprintf(stderr, "Try 'sleeptune %s --help'.\n", command);
        return ST_EXIT_USAGE;
    }
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
