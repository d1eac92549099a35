/* SQLite with fewer words, for history*.c. */
#ifndef ST_STORE_HISTORY_HISTORY_SQL_H
#define ST_STORE_HISTORY_HISTORY_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "core/base.h"

#define ST_HISTORY_APPLICATION INT64_C(0x534c5450) /* "SLTP" */
#define ST_HISTORY_VERSION     4

/* Lengths in s of what a row stands for. A minute begins when it began; the others at multiples since 1970.
 */
#define ST_HISTORY_MINUTE INT64_C(60)
#define ST_HISTORY_HOUR   INT64_C(3600)
#define ST_HISTORY_DAY    INT64_C(86400) /* since version 2 */

/* Limits on what others may have put into a file. */
#define ST_SQL_VALUE_BYTES (1024 * 1024) /* a row of ours; a histogram of 3 digits has at most 0.5 MB */
#define ST_SQL_READ_NS     INT64_C(10000000000)

/** Limits what the statements of a file can do: no views, no triggers, no writing to the schema, no function
 * with side effects in it, no other file, no row of more than ST_SQL_VALUE_BYTES. Call it right after open.
 */
void st_history_sql_distrust(sqlite3 *db);

/** When statements are ended, by the CPU time of the thread that runs them: a slow disk is no attack. */
struct st_history_sql_time {
    int64_t end_ns;
};
/** From now on, statements of this thread fail with -ETIMEDOUT after max_ns. `time` lives as long as db. */
void st_history_sql_limit_time(sqlite3 *db, struct st_history_sql_time *time, int64_t max_ns);

/** What an SQLite result code is as errno: 0 for OK, ROW and DONE; -ETIMEDOUT: st_history_sql_limit_time; -EBADMSG,
 * also for what is larger than st_history_sql_distrust allows. */
int st_history_sql_errno(sqlite3 *db, int code);

/** What the error r (< 0) of the last statement means, for messages. Valid until the next one. */
const char *st_history_sql_sentence(sqlite3 *db, int r);

/**
 * Prepares a statement and binds one argument a letter of `types`: i int64_t; n int64_t, NULL for INT64_MIN;
 * d double; t text; s text, NULL for ""; b bytes and their size_t.
 * @return 0 or a negative errno value. Finish with sqlite3_finalize.
 */
ST_NODISCARD int st_history_sql_prepare(sqlite3 *db, sqlite3_stmt **ret, const char *sql, const char *types,
                                        ...);
/** The same, and runs it. @return 0 or a negative errno value. */
ST_NODISCARD int st_history_sql_run(sqlite3 *db, const char *sql, const char *types, ...);
/** The next row. @return 1, 0 at the end, or a negative errno value. */
ST_NODISCARD int st_history_sql_step(sqlite3_stmt *statement);
/** The first column of the first row; *ret stays where there is none or it is NULL. */
ST_NODISCARD int st_history_sql_number(sqlite3 *db, int64_t *ret, const char *sql, const char *types, ...);

/** Column i: INT64_MIN for NULL. */
int64_t st_history_sql_int(sqlite3_stmt *statement, int i);
/** The sum, saturated; INT64_MIN, not known, is what is to be added to. */
int64_t st_history_sql_add(int64_t sum, int64_t value);
/** Column i, cut to the room: "" for NULL. */
void st_history_sql_text(sqlite3_stmt *statement, int i, char *buf, size_t buf_bytes);

/** Is it a history, and which version of it? An empty database is version 0.
 * @return 0, -EPROTO (of another program, or with views, triggers or virtual tables), -EPROTONOSUPPORT
 * (newer), -EBADMSG (tables are missing), what SQLite says; with a sentence. */
ST_NODISCARD int st_history_sql_identify(sqlite3 *db, int64_t *ret_version, char *error, size_t error_bytes);

#endif
