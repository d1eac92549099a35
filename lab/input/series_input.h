/* A series of lateness read from a file: a recording, JSON, or text; the options of the commands
 * that read one. */
#pragma once

#include <jansson.h>

#include "core/ns.h"
#include "core/period.h"
#include "lab/stats/series.h"

/** Maximum number of samples in memory, about 64 MB: 46 minutes at 64 frames and 48 kHz. */
#define ST_SERIES_COUNT_MAX (INT64_C(1) << 21)

#define ST_SERIES_EVERY_MAX_NS (3600 * ST_NS_PER_S)

/** The options --every and --unit of commands that use them for text files only, as elements of the
 * array for st_options_read; o: a struct st_series_options. --every may be as short as 1 ns, less
 * than a measurement can take. */
#define ST_SERIES_TEXT_OPTIONS(o)                                                                  \
    {.name = "every", .time_ns = &(o)->every_ns, .min = 1, .max = ST_SERIES_EVERY_MAX_NS},         \
    {                                                                                              \
        .name = "unit", .text = &(o)->unit                                                         \
    }

struct st_series_options {
    int64_t every_ns; /* 0: not given */
    int64_t frames;   /* 0: not given */
    int64_t rate_hz;  /* 0: not given */
    const char
        *unit; /* unit of the figures in a text file: "ns", "us", "ms", "s"; NULL: not given */
};

/** The period of --every, or of --frames and --rate; a second without them. @return 0 or
 * ST_EXIT_USAGE. */
ST_NODISCARD int st_series_input_period(const struct st_series_options *options,
                                        struct st_period *ret);

#define ST_SERIES_SCHEMA "sleeptune-series/1"

struct st_series_input {
    const char *source; /* "recording", "csv", "text", "json"; "measured" or "simulated" if no file
                           was read */
    struct st_series series;
    uint64_t left_out_n; /* samples at the end of the file that did not fit into memory */
    char heading[64];    /* heading of the column in a text file; "": none */
    char note[320];      /* assumptions about the input, for the user; "": none */
    char *conditions;    /* test conditions from a recording or JSON, as "key: value" lines; NULL:
                            unknown */
    bool interrupted;
    bool untimed; /* a text file, and neither the file nor an option says how far apart its samples
                     are */
    bool plain;   /* a text file with one figure a line, whose meaning is unknown: the figure is
                     called "value" instead of "lateness" */
};

void st_series_input_finish(struct st_series_input *input);

/** Opens a file; "-": standard input; "FILE:2", unless a file has that name: FILE, and its
 * column 2. @param ret_cell number of the column; 0: none. @return NULL: errno has the reason. */
FILE *st_series_input_open(const char *path, size_t *ret_cell);

/** Reads a recording, the JSON of `sleeptune-lab series` or `simulate`, or text
 * (lab/input/series_text); the first byte shows which. @param path FILE, "-" or "FILE:2"
 * (st_series_input_open). @param options has the period of text that does not say its own. @return
 * an st_exit, after a message. Free the result with st_series_input_finish, also after a
 * failure. */
ST_NODISCARD int st_series_input_read(const char *path, const struct st_series_options *options,
                                      struct st_series_input *ret);

/** Reads a series from a JSON document that is already parsed. @param name name of the file, for
 * messages.
 * @return an st_exit, after a message. Free the result with st_series_input_finish, also after a
 * failure. */
ST_NODISCARD int st_series_input_json(const char *name, const json_t *document,
                                      struct st_series_input *ret);
