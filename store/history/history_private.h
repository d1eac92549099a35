/* The members of struct st_history and st_history_reader, for history*.c. */
#pragma once

#include <sys/types.h>

#include "store/history/history_read.h"
#include "store/history/sql.h"

/* The columns of a row of `span` that are counts. */
#define ST_HISTORY_COUNTS "cycles, misses, skipped_periods, late_wakes, dropouts_own, miss_events"

/* Condition of a query: dropouts of other programs and devices, without tests of `listen`. */
#define ST_HISTORY_DROPOUT                                                                                   \
    " kind IN ('device-dropout', 'client-dropout')"                                                          \
    " AND coalesce(event.client, '') NOT GLOB '" ST_DROPOUT_TEST_CLIENT "*'"
/* Number of dropouts in a row, limited as in story/dropout_table.c, since a file is not trusted and a sum
 * must not overflow. */
#define ST_HISTORY_DROPOUTS_N "min(count_n, 1000000000)"

/** Checks the files that SQLite opens beside `path`, and the lock: a FIFO would block, and a link could
 * lead to another user's file. @return 0; -ELOOP, -EINVAL with a sentence; -ENAMETOOLONG. */
ST_NODISCARD int st_history_look_beside(const char *path, const char **error);

/** Identity and state of a file. Without ctime, since SQLite sets the owner of the log for a reader that
 * is root. */
struct st_history_mark {
    dev_t device;
    ino_t inode;
    off_t bytes;
    struct timespec written;
};

struct st_history {
    struct st_sql sql;
    char *path;
    struct st_history_mark file, log; /* state after our last write */
};

struct st_history_reader {
    struct st_sql sql;
};

/* --- history_events.c --- */

void st_history_make_event_table(struct st_sql *sql);

/* --- history_reader.c --- */

/** The columns from `first` on as an object, each under its name in the query; null for NULL; text is made
 * safe and cut. New reference; NULL: out of memory. */
json_t *st_history_read_object(sqlite3_stmt *statement, int first);

/* --- history_causes.c --- */

/** Adds the causes of a minute; called by st_history_add_minute. */
void st_history_causes_add(struct st_sql *sql, const struct st_history_minute *minute);

/** Sums minutes of older days to hours; called by st_history_retain. */
void st_history_causes_retain(struct st_sql *sql, int64_t now_wall_ns);

/* --- history_watched.c --- */

/* Rows of the file and rows added by st_history_read_running, in a temporary table. */
#define ST_HISTORY_WATCHES "(SELECT * FROM main.watch UNION ALL SELECT * FROM temp.watch)"

#define ST_HISTORY_WATCH_JOIN_NS                                                                             \
    (15 * ST_NS_PER_S) /* a shorter time between two minutes does not interrupt the watching */

/** The first part of [since, until) in which all watched sources knew that nothing played. @return false:
 * none, or an error. */
bool st_history_read_idle(struct st_sql *sql, int64_t since_ns, int64_t until_ns, int64_t *ret_from_ns,
                          int64_t *ret_to_ns);

/** Other programs' dropouts with a time in [since, until); INT64_MIN: nothing was watched then, or less than
 * least_ns of it, without a dropout. */
int64_t st_history_read_count(struct st_sql *sql, int64_t since_ns, int64_t until_ns, int64_t least_ns);

/** Watched sources, as "watched" of the document: [{source, watched_ns, playing_ns, frames, rate_hz}]. New
 * reference. */
json_t *st_history_read_watched(struct st_sql *sql, int64_t since_ns, int64_t until_ns);

/* --- history_changes.c --- */

/** Changes of the computer, and whether dropouts changed with them (evidence/since.h): array "changes" of
 * sleeptune-history/1, of the whole file, the last 64. New reference. */
json_t *st_history_changes(struct st_sql *sql);
