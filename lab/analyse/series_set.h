/* Several series with their analyses: a line each in one table, or one document. */
#pragma once

#include "lab/analyse/series_result.h"

#define ST_SERIES_SET_MAX 64

struct st_series_set {
    struct st_series_result *result[ST_SERIES_SET_MAX];
    size_t n;
};

/** A new result, empty but for its name, which is made safe. @return NULL, after a message: out of memory, or
 * there are too many. Free all with st_series_set_finish. */
struct st_series_result *st_series_set_add(struct st_series_set *set, const char *name);
/** Takes the latest one away. */
void st_series_set_drop(struct st_series_set *set);
void st_series_set_finish(struct st_series_set *set);

/** A table of what R's summary() says, of results that were analysed. @param heading of the names. */
void st_series_set_text(const struct st_series_set *set, const char *heading, FILE *out);
/** sleeptune-series-set/1. @param order how they were measured. @param missing what was not measured, stolen;
 * NULL: nothing. @return NULL: out of memory. */
json_t *st_series_set_json(const struct st_series_set *set, const char *order, bool samples, json_t *missing);
/** One of these, as the command asks for, and its picture. @return an st_exit. */
ST_NODISCARD int st_series_set_show(struct st_bench_command *command, const struct st_series_set *set,
                                    const char *heading, const char *order, bool samples);
