/* The members of struct st_history and st_history_reader, for history*.c. */
#pragma once

#include <sys/types.h>

#include "store/history/history_read.h"
#include "store/history/sql.h"

/* The columns of the table `conditions`. */
#define ST_HISTORY_CONDITIONS                                                                      \
    "kernel, governor, policy, priority, cpu, frames, rate_hz, load_percent"

/* The columns of the table `span` that are counts. */
#define ST_HISTORY_COUNTS "cycles, misses, skipped_periods, late_wakes, dropouts_own, miss_events"

/* Condition of a query for dropouts of other programs and devices, without test signals of
 * `sleeptune listen`. */
#define ST_HISTORY_DROPOUT                                                                         \
    " kind IN ('device-dropout', 'client-dropout')"                                                \
    " AND coalesce(event.client, '') NOT GLOB '" ST_DROPOUT_TEST_CLIENT "*'"
/* Number of dropouts in an event. Limited as in story/dropout_table.c, so that the sum of an
 * untrusted file cannot overflow. */
#define ST_HISTORY_DROPOUTS_N "min(count_n, 1000000000)"

/** Checks the files that SQLite opens beside `path`, and the lock file: a FIFO would block, and a
 * symbolic link could lead to another user's file. @return 0; -ELOOP, -EINVAL with a sentence in
 * *error; -ENAMETOOLONG. */
ST_NODISCARD int st_history_look_beside(const char *path, const char **error);

/** Identity and state of a file, to notice a change by another program. Has no st_ctime: SQLite
 * changes it when a reader that is root sets the owner of the log. */
struct st_history_mark {
    dev_t device;
    ino_t inode;
    off_t bytes;
    struct timespec written;
};

struct st_history {
    struct st_sql sql;
    char *path;
    struct st_history_mark file, log; /* state at the last st_history_mark */
};

struct st_history_reader {
    struct st_sql sql;
};

/** The last multiple of step_ns up to ns. */
static inline int64_t st_history_floor(int64_t ns, int64_t step_ns)
{
    const int64_t rest = ns % step_ns;
    return ns - (rest < 0 ? rest + step_ns : rest);
}

/* --- history_events.c --- */

void st_history_make_event_table(struct st_sql *sql);

/* --- history_reader.c --- */

/** The columns of a row from `first` on as an object, each under its name in the query; null for
 * NULL. Text is made safe and shortened. New reference; NULL: out of memory. */
json_t *st_history_read_object(sqlite3_stmt *statement, int first);

/* --- history_causes.c --- */

/** Adds the causes of a minute; called by st_history_add_minute. */
void st_history_causes_add(struct st_sql *sql, const struct st_history_minute *minute);

/** Sums the causes of minutes that are some days old to hours; called by st_history_retain. */
void st_history_causes_retain(struct st_sql *sql, int64_t now_wall_ns);

/* --- history_watched.c --- */

/* The times of watching in the file, and those of the current minute that st_history_read_running
 * adds in a temporary table. */
#define ST_HISTORY_WATCHES "(SELECT * FROM main.watch UNION ALL SELECT * FROM temp.watch)"

/* Two minutes of watching with a shorter time between them count as one time without
 * interruption. */
#define ST_HISTORY_WATCH_JOIN_NS (15 * ST_NS_PER_S)

/** Finds the first time within [since, until) in which a watched source knew that nothing played;
 * overlapping times of several sources are joined. @return false: none, or an error. */
bool st_history_read_idle(struct st_sql *sql, int64_t since_ns, int64_t until_ns,
                          int64_t *ret_from_ns, int64_t *ret_to_ns);

/** Number of other programs' dropouts in [since, until). INT64_MIN: unknown, because nothing was
 * watched then; or there was no dropout, and less than least_ns was watched. */
int64_t st_history_read_count(struct st_sql *sql, int64_t since_ns, int64_t until_ns,
                              int64_t least_ns);

/** The sources that were watched, as "watched" of the document: [{source, watched_ns, playing_ns,
 * frames, rate_hz}]. New reference. */
json_t *st_history_read_watched(struct st_sql *sql, int64_t since_ns, int64_t until_ns);
