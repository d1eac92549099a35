/* Short forms of SQLite calls, for history*.c. */
#pragma once

#include <sqlite3.h>

#include "core/text/record.h"

#define ST_HISTORY_APPLICATION INT64_C(0x534c5450) /* "SLTP" */
#define ST_HISTORY_VERSION     17

/* Length of a row in s. Hours and days begin at multiples since 1970, minutes at any time. */
#define ST_HISTORY_MINUTE INT64_C(60)
#define ST_HISTORY_HOUR   INT64_C(3600)
#define ST_HISTORY_DAY    INT64_C(86400)

/* Limits for files that someone else may have written. */
#define ST_SQL_VALUE_BYTES (1024 * 1024) /* largest row; a histogram of 3 digits has at most 0.5 MB */
#define ST_SQL_READ_NS     INT64_C(10000000000)
#define ST_SQL_AMOUNT_MAX  INT64_C(1000000000000000) /* 11 days in ns */

/** Restricts the file: no views, no triggers, no writing to the schema, no functions with side effects in it,
 * no other file, no row of more than ST_SQL_VALUE_BYTES. Call it right after open. */
void st_history_sql_distrust(sqlite3 *db);

/** Limit for statements in CPU time of the thread, because a slow disk is not an attack. */
struct st_history_sql_time {
    int64_t end_ns;
};
/** Statements of this thread fail with -ETIMEDOUT after max_ns. `time` must live as long as db. */
void st_history_sql_limit_time(sqlite3 *db, struct st_history_sql_time *time, int64_t max_ns);

/** An SQLite result code as errno: 0 for OK, ROW and DONE; -ETIMEDOUT for st_history_sql_limit_time; -EBADMSG
 * also for values above the limits of st_history_sql_distrust. */
int st_history_sql_errno(sqlite3 *db, int code);

/** Text for the error r (< 0) of the last statement. Valid until the next one. */
const char *st_history_sql_sentence(sqlite3 *db, int r);

/** Prepares a statement and binds an argument for each letter of `types`: i int64_t; n int64_t, NULL for
 * INT64_MIN; d double; t text; s text, NULL for ""; b bytes and their size_t. @return
 * 0 or a negative errno value. Finish with sqlite3_finalize. */
ST_NODISCARD int st_history_sql_prepare(sqlite3 *db, sqlite3_stmt **ret, const char *sql, const char *types,
                                        ...);
/** The next row. @return 1, 0 at the end, or a negative errno value. */
ST_NODISCARD int st_history_sql_step(sqlite3_stmt *statement);
/** Reads the first column of the first row; *ret is unchanged if there is no row or it is NULL. @param ret
 * NULL: runs to the end. @return 0 or a negative errno value. */
ST_NODISCARD int st_history_sql_number(sqlite3 *db, int64_t *ret, const char *sql, const char *types, ...);
#define st_history_sql_run(db, sql, ...) st_history_sql_number((db), NULL, (sql), __VA_ARGS__)

/** When the first row of `span` of that level begins; *ret is unchanged if there is none. @return as
 * st_history_sql_number. */
ST_NODISCARD int st_history_sql_oldest(sqlite3 *db, int64_t level, int64_t *ret);

/** Reads the first columns of a row, one for each letter of `columns`: i into an int64_t, INT64_MIN for NULL;
 * a the same for a length of time in ns or a number of occurrences, 0 for NULL and for what is none (up to
 * ST_SQL_AMOUNT_MAX); t as st_history_sql_text into the char array and size_t that are given. n is
 * i, s is t: the letters that have written a row read it. */
void st_history_sql_row(sqlite3_stmt *statement, const char *columns, ...);
/** Column i: INT64_MIN for NULL. */
int64_t st_history_sql_int(sqlite3_stmt *statement, int i);
/** A saturated sum; an unknown sum (INT64_MIN) becomes the value. */
int64_t st_history_sql_add(int64_t sum, int64_t value);
/** Column i, cut to buf_bytes; "" for NULL. */
void st_history_sql_text(sqlite3_stmt *statement, int i, char *buf, size_t buf_bytes);

/** Reads the version of a history; that of an empty database is 0. @return 0; with a sentence in `error`:
 * -EPROTO (of another program, or with views, triggers or virtual tables), -EPROTONOSUPPORT (newer), -EBADMSG
 * (older, or tables are missing), or an error of SQLite. */
ST_NODISCARD int st_history_sql_identify(sqlite3 *db, int64_t *ret_version, const char **error);
