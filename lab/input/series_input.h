/* A series of lateness read from a file: a recording, JSON, or text; the options of the commands that read
 * one. */
#pragma once

#include <jansson.h>

#include "core/ns.h"
#include "core/period.h"
#include "lab/stats/series.h"

/** Maximum number of samples in memory, about 64 MB: 46 minutes at 64 frames and 48 kHz. */
#define ST_SERIES_COUNT_MAX (INT64_C(1) << 21)

#define ST_SERIES_EVERY_MAX_NS (3600 * ST_NS_PER_S)

/** Rows for st_options_read, of text alone; o: a struct st_series_options. The least period is below that of
 * a measurement. */
#define ST_SERIES_TEXT_OPTIONS(o)                                                                            \
    {.name = "every", .time_ns = &(o)->every_ns, .min = 1, .max = ST_SERIES_EVERY_MAX_NS},                   \
    {                                                                                                        \
        .name = "unit", .text = &(o)->unit                                                                   \
    }

struct st_series_options {
    int64_t every_ns; /* 0: not given */
    int64_t frames;   /* 0: not given */
    int64_t rate_hz;  /* 0: not given */
    const char *unit; /* of the figures of text: "ns", "us", "ms", "s"; NULL: not given */
};

/** The period of --every, or of --frames and --rate; a second without them. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_series_input_period(const struct st_series_options *options, struct st_period *ret);

#define ST_SERIES_SCHEMA "sleeptune-series/1"

struct st_series_input {
    const char *source; /* "recording", "csv", "text", "json"; in lab/ also "measured", "simulated" */
    struct st_series series;
    uint64_t left_out_n; /* samples at the end for which there was no room */
    char heading[64];    /* of a column of text; "": none */
    char note[320];      /* assumptions about the input, for the user; "" */
    char *conditions;    /* of a recording and JSON: "key: value" lines; NULL: unknown */
    bool interrupted;
    bool untimed; /* text, and no one said how far apart its samples are */
    bool plain;   /* one figure a line, which may be anything: "value" instead of "lateness" */
};

void st_series_input_finish(struct st_series_input *input);

/** Opens a file; "-": standard input; "FILE:2", unless a file has that name: FILE, and its column 2. @return
 * NULL: errno has the reason. */
FILE *st_series_input_open(const char *path, size_t *ret_cell);

/** Reads a recording, the JSON of `sleeptune-lab series` or `simulate`, or text (lab/input/series_text).
 * The first bytes decide which. @param path as of st_series_input_open. @param options the period of text
 * that has none. @return an st_exit, after a message. Free the result with st_series_input_finish, also after
 * a failure. */
ST_NODISCARD int st_series_input_read(const char *path, const struct st_series_options *options,
                                      struct st_series_input *ret);

/** The same for a JSON document. */
ST_NODISCARD int st_series_input_json(const char *name, const json_t *document, struct st_series_input *ret);
