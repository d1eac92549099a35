/* A history as JSON: docs/schema/sleeptune-history-1.json and sleeptune-events-1.json. Reading only. */
#ifndef ST_STORE_HISTORY_HISTORY_READ_H
#define ST_STORE_HISTORY_HISTORY_READ_H

#include <jansson.h>

#include "core/base.h"

#define ST_HISTORY_ROWS_MAX   2000 /* in an answer */
#define ST_HISTORY_EVENTS_MAX 5000

struct st_history_reader;

/**
 * Opens a history that another process may be writing, also one on a medium that cannot be written. All that
 * is read until it is closed is as of the first read: one reader is for one answer. Who wrote the file is not
 * trusted: a view, a trigger, a value that is too large are refused, and after 10 s of this thread's CPU time
 * all reads fail with -ETIMEDOUT.
 * @param error a sentence without the path, when it fails.
 * @return 0, -ENOENT, -EACCES, -EBADMSG (no database, damaged), -EPROTO (of another program),
 * -EPROTONOSUPPORT (of a newer version), -EBUSY, -EIO, -ETIMEDOUT, -ENOMEM. Threads: any, one a reader.
 */
ST_NODISCARD int st_history_read_open(const char *path, struct st_history_reader **ret, char *error,
                                      size_t error_bytes);
void st_history_read_close(struct st_history_reader *reader); /* NULL is fine */

/** What the error r (< 0) of the last call means, for messages. */
const char *st_history_read_error(const struct st_history_reader *reader, int r);

/** Wall-clock times, since <= until; a step of 0 chooses one that gives at most 100 rows of what is in the
 * file; one above ten years is ten years. */
struct st_history_span {
    int64_t since_ns, until_ns, step_ns;
};

/**
 * One row a step, and one a gap: where nothing was measured there are no figures. Where only hours are left
 * of what is older, a row is an hour or more. since is taken back to the beginning of its step, until goes on
 * to the end of the last row, which is where the file ends at most: all rows are within. A row has measured
 * no longer than it is, but where a clock was set back; it ends up to a minute later where that takes it.
 * @return 0, -E2BIG (more than ST_HISTORY_ROWS_MAX rows, or it would take too long: a step of whole days is
 * quick for any span; how long ago since is does not matter), or as st_history_read_open.
 */
ST_NODISCARD int st_history_read(struct st_history_reader *reader, const struct st_history_span *span,
                                 json_t **ret);
/** The same as text, to be freed: what is as json_t takes ten times the memory. */
ST_NODISCARD int st_history_read_text(struct st_history_reader *reader, const struct st_history_span *span,
                                      char **ret);

struct st_history_events_wish {
    int64_t since_ns, until_ns; /* INT64_MIN, INT64_MAX: all */
    int64_t after;              /* id; >= 0: the first `limit` events behind it, else the last `limit` ones */
    int64_t limit;              /* 1 .. ST_HISTORY_EVENTS_MAX */
    const char *kind;           /* name of events; "": all */
};

/** Oldest first. @return 0 or as st_history_read_open. */
ST_NODISCARD int st_history_read_events(struct st_history_reader *reader,
                                        const struct st_history_events_wish *wish, json_t **ret);
/** The same as text, to be freed. */
ST_NODISCARD int st_history_read_events_text(struct st_history_reader *reader,
                                             const struct st_history_events_wish *wish, char **ret);

/**
 * Document sleeptune-causes/1. @param since_ns, until_ns INT64_MIN: no limit.
 * @return 0; -ENODATA: the file is of a version that had no causes; or as st_history_read_open.
 */
ST_NODISCARD int st_history_read_causes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                                        json_t **ret);

#endif
