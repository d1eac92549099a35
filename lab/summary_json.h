/* Figures of a sample as the documents of the laboratory have them. */
#ifndef ST_LAB_SUMMARY_JSON_H
#define ST_LAB_SUMMARY_JSON_H

#include <jansson.h>

#include "lab/summary.h"

/** {mean, sd, min, q1, median, q3, p95, p99, max}; what is not known is null. */
json_t *st_summary_json(const struct st_summary *s);

/** [low, high] of the median, or null. */
json_t *st_median_interval_json(const struct st_summary *s);

/** An array of whole numbers. */
json_t *st_integers_json(const int64_t *values, size_t n);

#endif
