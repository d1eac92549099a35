/* Prints what a bench measured as JSON, or its results as a table for a spreadsheet (CSV) or a
 * README (Markdown). */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** What --json and --format ask for. */
struct st_table_format {
    bool document; /* print JSON, CSV or Markdown instead of text for people */
    bool csv, markdown;
    bool samples;   /* CSV has the single values instead of the figures */
    double unit_ns; /* unit of times in Markdown and in what `sleeptune-lab exec` prints; 0: one
                       that fits the values */
};

/** The options --json and --format, as elements of the array for st_options_read; o: a struct
 * st_table_format. */
#define ST_TABLE_OPTIONS(o)                                                                        \
    {"json", .flag = &(o)->document},                                                              \
    {                                                                                              \
        "format", .take = st_table_take_format, .ctx = (o)                                         \
    }

/** Takes the value of --format. @param ctx a struct st_table_format. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_table_take_format(void *ctx, const char *text);

/** Takes the value of --time-unit. @param ctx a struct st_table_format. @return 0 or
 * ST_EXIT_USAGE. */
ST_NODISCARD int st_table_take_unit(void *ctx, const char *text);

/** Prints a document of the laboratory to standard output as JSON, CSV (every figure of each result
 * but single values, one result a line) or Markdown (the figures that people compare).
 * @param document is freed; NULL means that memory ran out, which is reported. @return an st_exit,
 * after a message, also for a document that CSV and Markdown do not know. */
ST_NODISCARD int st_table_output(const struct st_table_format *format, json_t *document);
