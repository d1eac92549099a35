/* What a bench measured as a document: JSON, or its results as a table for a spreadsheet or a README. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** What --json and --format ask for. */
struct st_table_format {
    bool document; /* not text for people */
    bool csv, markdown;
    bool samples;   /* CSV: the single values */
    double unit_ns; /* of times in Markdown, and in the text of exec; 0: fits them */
};

/** Rows for st_options_read; o: a struct st_table_format. */
#define ST_TABLE_OPTIONS(o)                                                                                  \
    {"json", .flag = &(o)->document},                                                                        \
    {                                                                                                        \
        "format", .take = st_table_take_format, .ctx = (o)                                                   \
    }

/** --format; ctx: a struct st_table_format. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_table_take_format(void *ctx, const char *text);

/** --time-unit; ctx: a struct st_table_format. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_table_take_unit(void *ctx, const char *text);

/** Prints a document of the laboratory to standard output as JSON, CSV (every figure of each result but
 * single values, one result a line) or Markdown (the figures that people compare). Frees it.
 * @return an st_exit, after a message: NULL is out of memory, and a saved one may be none of sleeptune's. */
ST_NODISCARD int st_table_output(const struct st_table_format *format, json_t *document);
