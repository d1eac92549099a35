/* Several series with their analyses, printed as one table with a line for each, or as one
 * document. */
#pragma once

#include "lab/analyse/series_result.h"

#define ST_SERIES_SET_MAX 64

struct st_series_set {
    struct st_series_result *result[ST_SERIES_SET_MAX];
    size_t n;
};

/** Adds a result that has only a name, which is made safe to print. @return NULL, after a message:
 * out of memory, or there are ST_SERIES_SET_MAX already. Free all with st_series_set_finish. */
struct st_series_result *st_series_set_add(struct st_series_set *set, const char *name);
/** Removes and frees the result that was added last. */
void st_series_set_drop(struct st_series_set *set);
void st_series_set_finish(struct st_series_set *set);

/** Prints a table with the figures of R's summary() (min, quartiles, mean, max), a line for each
 * result; all must be analysed. @param heading heading of the column with the names. */
void st_series_set_text(const struct st_series_set *set, const char *heading, FILE *out);
/** The document sleeptune-series-set/1. @param order how the series were measured, for example "one
 * after the other". @param missing array of what could not be measured, whose reference the
 * function takes; NULL: nothing is missing. @return NULL: out of memory. */
json_t *st_series_set_json(const struct st_series_set *set, const char *order, bool samples,
                           json_t *missing);
/** Prints the table or the document, as the options of the command say, and draws the picture.
 * @return an st_exit. */
ST_NODISCARD int st_series_set_show(struct st_bench_command *command,
                                    const struct st_series_set *set, const char *heading,
                                    const char *order, bool samples);
