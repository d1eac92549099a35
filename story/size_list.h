/* The table of dropouts at each buffer size that was used, from a history: for /v1/sizes, status
 * and the page. */
#pragma once

#include "store/history/history_read.h"

/** Bursts of dropouts (ST_HISTORY_BURST_S) in an hour of music, with one-sided 95 % bounds (exact
 * Poisson, Garwood 1936). @return low is 0 without a burst; high is +inf if nothing played.
 * Pure. */
struct st_size_rate {
    double per_hour, low, high;
} st_size_list_rate(const struct st_history_size *size);

/** Document sleeptune-sizes/1. @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit. @return
 * new reference; NULL: out of memory. */
json_t *st_size_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns);
