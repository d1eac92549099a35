/* Histogram logs (HdrHistogram log format 1.3): text lines with compressed histograms that any HdrHistogram tool opens. Values are ns. Early wake-ups count as 0, values above an hour in the last bucket, because a HdrHistogram has neither. */
#ifndef ST_STORE_RECORDING_HLOG_H
#define ST_STORE_RECORDING_HLOG_H

#include <stdio.h>

#include "core/stats/hist.h"

#define ST_HLOG_TAG_MAX_BYTES 32

struct st_hlog;

/** Creates a log. An existing file is overwritten only if it is empty or a histogram log; a pipe or a device is written to. @param start_wall_ns CLOCK_REALTIME, >= 0. @param comment lines, each becomes a "# ..." line; NULL: none. @return 0, -EEXIST, -ERANGE, -ENOMEM or an error of open and write. Threads: any, one per log. */
ST_NODISCARD int st_hlog_create(const char *path, int64_t start_wall_ns, const char *comment,
                                struct st_hlog **ret);

/** Adds one histogram under a tag (letters, digits, '-', '_'). @return 0, -EINVAL, -ERANGE (end before start,
 * or start before the log's), -ENOMEM, or the first error of the file (-ENOSPC ...). */
ST_NODISCARD int st_hlog_interval(struct st_hlog *log, const char *tag, int64_t start_wall_ns,
                                  int64_t end_wall_ns, const struct st_hist *hist);

/** NULL is fine. @return 0, or the first error of the file (-ENOSPC ...). */
int st_hlog_close(struct st_hlog *log);

/** One line of a log, without its histogram. */
struct st_hlog_entry {
    char tag[ST_HLOG_TAG_MAX_BYTES + 1]; /* "" without a tag */
    int64_t start_wall_ns;
    int64_t length_ns;
};

struct st_hlog_reader;

/** @return 0, -EBADMSG (not a histogram log of version 1), -ENOMEM or an error of open. */
ST_NODISCARD int st_hlog_open(const char *path, struct st_hlog_reader **ret);
/** As st_hlog_open, from a stream; the reader closes it, also on failure. */
ST_NODISCARD int st_hlog_open_stream(FILE *stream, struct st_hlog_reader **ret);

/** Reads the next line and its histogram, which the caller has initialised (st_hist_payload_decode). @return 1, 0 at the end, -EBADMSG, -EINVAL (a histogram of other digits; the next call goes on), -EIO. */
ST_NODISCARD int st_hlog_next(struct st_hlog_reader *reader, struct st_hlog_entry *ret, struct st_hist *hist);
/** "key: value" lines among the comments read so far. @return the reader's, never NULL. */
const char *st_hlog_conditions(const struct st_hlog_reader *reader);
void st_hlog_close_reader(struct st_hlog_reader *reader); /* NULL is fine */

/* --- base64 (RFC 4648, with padding) --- */

/** Bytes of the text of n bytes, with the final NUL. */
#define ST_HLOG_BASE64_BYTES(n) (((size_t)(n) + 2) / 3 * 4 + 1)

/** @param text ST_HLOG_BASE64_BYTES(n). */
void st_hlog_base64_encode(const uint8_t *bytes, size_t n, char *text);

/** @param text n characters; n a multiple of 4. @param ret room for n / 4 * 3 bytes. @return bytes or
 * -EBADMSG. */
ST_NODISCARD int64_t st_hlog_base64_decode(const char *text, size_t n, uint8_t *ret);

#endif
