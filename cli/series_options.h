/* Options that bench series, simulate and analyse share. */
#ifndef ST_CLI_SERIES_OPTIONS_H
#define ST_CLI_SERIES_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "lib/period.h"

/** Samples that are kept one by one, at most: what fits into 64 MB. 46 minutes at 64 frames and 48 kHz. */
#define ST_SERIES_COUNT_MAX (INT64_C(1) << 21)

enum {
    ST_OPT_EVERY = 512,
    ST_OPT_FRAMES,
    ST_OPT_RATE,
    ST_OPT_COUNT,
    ST_OPT_JSON,
    ST_OPT_FORMAT,
    ST_OPT_PLOT
};

#define ST_SERIES_OPTIONS                                                                                    \
    {"every", required_argument, NULL, ST_OPT_EVERY}, {"frames", required_argument, NULL, ST_OPT_FRAMES},    \
        {"rate", required_argument, NULL, ST_OPT_RATE}, {"count", required_argument, NULL, ST_OPT_COUNT},    \
        {"json", no_argument, NULL, ST_OPT_JSON}, {"plot", required_argument, NULL, ST_OPT_PLOT},            \
    {                                                                                                        \
        "format", required_argument, NULL, ST_OPT_FORMAT                                                     \
    }

struct st_series_options {
    int64_t every_ns; /* 0: not given */
    int64_t frames;   /* 0: not given */
    int64_t rate_hz;  /* 0: not given */
    uint64_t count;
    uint64_t count_max; /* what --count may be at most */
    bool json;
    const char *plot; /* NULL: nothing is drawn */
};

void st_series_options_init(struct st_series_options *options);

/** Takes one of ST_SERIES_OPTIONS, or says that there is no such option. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_series_option(const char *command, int option, const char *text,
                                  struct st_series_options *ret);

/** --every of a row of st_options_read. @param ctx int64_t, ns. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_series_take_every(const char *command, void *ctx, const char *text);

/** The period of --every, or of --frames and --rate; a second without them. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_series_period(const char *command, const struct st_series_options *options,
                                  struct st_period *ret);
/** Was one of the three given? */
bool st_series_period_given(const struct st_series_options *options);

#endif
