/* The module sleeptune-hlog: histogram logs, loaded when needed, so that `sleeptune` itself does not link zlib. */
#ifndef ST_STORE_RECORDING_MODULE_HLOG_H
#define ST_STORE_RECORDING_MODULE_HLOG_H

#include <stdio.h>

#include "core/stats/hist.h"

/** What st_module_load("hlog", ST_MODULE_HLOG_SYMBOL) returns. */
#define ST_MODULE_HLOG_SYMBOL "st_module_hlog_write"
typedef int (*st_module_hlog_write_fn)(const char *path, const struct st_hist *lateness,
                                       const struct st_hist *response, int64_t start_wall_ns,
                                       int64_t end_wall_ns, const char *comment);

/**
 * Writes a log with one interval for each histogram, tags `lateness` and `response`.
 * @param comment lines of test conditions, or NULL. @return 0, -EEXIST (another kind of file), -ERANGE, -ENOSPC
 * ...
 */
__attribute__((visibility("default"))) int
st_module_hlog_write(const char *path, const struct st_hist *lateness, const struct st_hist *response,
                     int64_t start_wall_ns, int64_t end_wall_ns, const char *comment);

/** What st_module_load("hlog", ST_MODULE_HLOG_READ_SYMBOL) returns. */
#define ST_MODULE_HLOG_READ_SYMBOL "st_module_hlog_read"
/** Called for each histogram of a log, of 3 digits. @return 0 to go on. */
typedef int (*st_module_hlog_take_fn)(void *ctx, const char *tag, const struct st_hist *hist);
typedef int (*st_module_hlog_read_fn)(FILE *stream, st_module_hlog_take_fn take, void *ctx,
                                      char **ret_conditions);

/** Reads a log and closes the stream. @param ret_test conditions "key: value" lines, free with free(); NULL: ignored. @return 0, -EBADMSG, -EINVAL (other digits), -EIO, or the error of take. */
__attribute__((visibility("default"))) int st_module_hlog_read(FILE *stream, st_module_hlog_take_fn take,
                                                               void *ctx, char **ret_conditions);

#endif
