/* Histogram logs (HdrHistogram log format 1.3): text lines with compressed histograms that any HdrHistogram tool opens.
 * Values are ns. Early wake-ups count as 0, values above an hour in the last bucket, because a HdrHistogram has neither.
 *
 * The module sleeptune-hlog, loaded when needed, so that `sleeptune` itself does not link zlib. */
#ifndef ST_STORE_RECORDING_HLOG_H
#define ST_STORE_RECORDING_HLOG_H

#include <stdio.h>

#include "core/stats/hist.h"

/** What st_module_load("hlog", ST_HLOG_WRITE_SYMBOL) returns. */
#define ST_HLOG_WRITE_SYMBOL "st_hlog_write"
typedef int (*st_hlog_write_fn)(const char *path, const struct st_hist *lateness,
                                const struct st_hist *response, int64_t start_wall_ns, int64_t end_wall_ns,
                                const char *comment);

/**
 * Writes a log with one interval for each histogram, tags `lateness` and `response`. An existing file is overwritten only
 * if it is empty or a histogram log; a pipe or a device is written to.
 * @param comment lines of test conditions, each becomes a "# ..." line; NULL: none. @return 0, -EEXIST (another kind of
 * file), -ERANGE (before 1970, or end before start), -ENOMEM, or the first error of open and write (-ENOSPC ...).
 */
__attribute__((visibility("default"))) int st_hlog_write(const char *path, const struct st_hist *lateness,
                                                         const struct st_hist *response,
                                                         int64_t start_wall_ns, int64_t end_wall_ns,
                                                         const char *comment);

/* --- base64 (RFC 4648, with padding) --- */

/** Bytes of the text of n bytes, with the final NUL. */
#define ST_HLOG_BASE64_BYTES(n) (((size_t)(n) + 2) / 3 * 4 + 1)

/** @param text ST_HLOG_BASE64_BYTES(n). */
void st_hlog_base64_encode(const uint8_t *bytes, size_t n, char *text);

#endif
