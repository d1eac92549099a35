/* Figures of a sample, and circumstances, as the documents of the benches have them. */
#ifndef ST_MEASURE_SUMMARY_JSON_H
#define ST_MEASURE_SUMMARY_JSON_H

#include <jansson.h>

#include "lib/summary.h"
#include "platform/platform.h"

/** {mean, sd, min, q1, median, q3, p95, p99, max}; what is not known is null. */
json_t *st_summary_json(const struct st_summary *s);

/** [low, high] of the median, or null. */
json_t *st_median_interval_json(const struct st_summary *s);

/** An array of whole numbers. */
json_t *st_integers_json(const int64_t *values, size_t n);

/** Puts one circumstance into an object: a whole number as a number, anything else as text. Is an
 * st_circumstance_fn. */
void st_circumstance_json(void *object, const char *key, const char *value);

/** The machine's circumstances. */
json_t *st_circumstances_json(struct st_platform *p);

#endif
