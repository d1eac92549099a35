/* Options that series, simulate and analyse share. */
#ifndef ST_CHART_INPUT_SERIES_OPTIONS_H
#define ST_CHART_INPUT_SERIES_OPTIONS_H

#include <stdbool.h>

#include "core/ns.h"
#include "core/period.h"

/** Samples that are kept one by one, at most: what fits into 64 MB. 46 minutes at 64 frames and 48 kHz. */
#define ST_SERIES_COUNT_MAX (INT64_C(1) << 21)

#define ST_SERIES_EVERY_MIN_NS (10 * ST_NS_PER_US)
#define ST_SERIES_EVERY_MAX_NS (3600 * ST_NS_PER_S)

/** Rows for st_options_read; o: a struct st_series_options. */
#define ST_SERIES_OPTIONS(o)                                                                                 \
    {"every", .time_ns = &(o)->every_ns, .min = ST_SERIES_EVERY_MIN_NS, .max = ST_SERIES_EVERY_MAX_NS},      \
        {"frames", .number = &(o)->frames, .min = 1, .max = 1 << 20},                                        \
        {"rate", .number = &(o)->rate_hz, .min = 1000, .max = 768000}, {"json", .flag = &(o)->json},         \
        {"format", .take = st_take_format, .ctx = &(o)->json},                                               \
    {                                                                                                        \
        "plot", .text = &(o)->plot                                                                           \
    }
/** How many samples; o as above. */
#define ST_SERIES_COUNT_OPTION(o, most)                                                                      \
    {                                                                                                        \
        "count", .number = &(o)->count, .min = 1, .max = most                                                \
    }

struct st_series_options {
    int64_t every_ns; /* 0: not given */
    int64_t frames;   /* 0: not given */
    int64_t rate_hz;  /* 0: not given */
    int64_t count;
    bool json;
    const char *plot; /* NULL: nothing is drawn */
};

void st_series_options_init(struct st_series_options *options);

/** --every of a row of st_options_read. @param ctx int64_t, ns. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_series_take_every(const char *command, void *ctx, const char *text);

/** The period of --every, or of --frames and --rate; a second without them. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_series_period(const char *command, const struct st_series_options *options,
                                  struct st_period *ret);
/** Was one of the three given? */
bool st_series_period_given(const struct st_series_options *options);

#endif
