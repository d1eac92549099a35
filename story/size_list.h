/* What each buffer size that ran has cost, from a history: one table for /v1/sizes, status and the page. */
#pragma once

#include "store/history/history_read.h"

/** Dropouts an hour of music, in bursts (ST_HISTORY_BURST_S): one-sided 95 % bounds each (exact Poisson,
 * Garwood 1936). @return low 0 without a burst; high +inf if nothing played. Pure. */
struct st_size_rate {
    double per_hour, low, high;
} st_size_list_rate(const struct st_history_size *size);

/** Document sleeptune-sizes/1, a new reference. @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit.
 * @return 0 or as st_history_read_open. */
ST_NODISCARD int st_size_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                                   json_t **ret);
