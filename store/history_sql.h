/* SQLite with fewer words, for history*.c. */
#ifndef ST_STORE_HISTORY_SQL_H
#define ST_STORE_HISTORY_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "lib/base.h"

#define ST_HISTORY_APPLICATION INT64_C(0x534c5450) /* "SLTP" */
#define ST_HISTORY_VERSION     4

/* Lengths in s of what a row stands for. A minute begins when it began; the others at multiples since 1970.
 */
#define ST_HISTORY_MINUTE INT64_C(60)
#define ST_HISTORY_HOUR   INT64_C(3600)
#define ST_HISTORY_DAY    INT64_C(86400) /* since version 2 */

/** What an SQLite result code is as errno: 0 for OK, ROW and DONE. */
int st_sql_errno(sqlite3 *db, int code);

/**
 * Prepares a statement and binds one argument a letter of `types`: i int64_t; n int64_t, NULL for INT64_MIN;
 * d double; t text; s text, NULL for ""; b bytes and their size_t.
 * @return 0 or a negative errno value. Finish with sqlite3_finalize.
 */
ST_NODISCARD int st_sql_prepare(sqlite3 *db, sqlite3_stmt **ret, const char *sql, const char *types, ...);
/** The same, and runs it. @return 0 or a negative errno value. */
ST_NODISCARD int st_sql_run(sqlite3 *db, const char *sql, const char *types, ...);
/** The next row. @return 1, 0 at the end, or a negative errno value. */
ST_NODISCARD int st_sql_step(sqlite3_stmt *statement);
/** The first column of the first row; *ret stays where there is none or it is NULL. */
ST_NODISCARD int st_sql_number(sqlite3 *db, int64_t *ret, const char *sql, const char *types, ...);

/** Column i: INT64_MIN for NULL. */
int64_t st_sql_int(sqlite3_stmt *statement, int i);
/** The sum, saturated; INT64_MIN, not known, is what is to be added to. */
int64_t st_sql_add(int64_t sum, int64_t value);
/** Column i, cut to the room: "" for NULL. */
void st_sql_text(sqlite3_stmt *statement, int i, char *buf, size_t buf_bytes);

/** Is it a history, and which version of it? An empty database is version 0.
 * @return 0, -EPROTO (of another program), -EPROTONOSUPPORT (newer), what SQLite says; with a sentence. */
ST_NODISCARD int st_sql_identify(sqlite3 *db, int64_t *ret_version, char *error, size_t error_bytes);

#endif
