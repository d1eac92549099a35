/* Short forms of SQLite calls, for history*.c. */
#pragma once

#include <sqlite3.h>

#include "xruns/event.h"

#define ST_HISTORY_APPLICATION INT64_C(0x534c5450) /* "SLTP" */
/* Version of the tables, plus the number of fields of an event. */
#define ST_HISTORY_VERSION (1900 + (int)st_event_record.n)

/* Length of a row in s. Hours begin at multiples since 1970, minutes at any time. */
#define ST_HISTORY_MINUTE INT64_C(60)
#define ST_HISTORY_HOUR   INT64_C(3600)
#define ST_HISTORY_DAY    INT64_C(86400)

/* Limits for files that someone else may have written. */
#define ST_SQL_VALUE_BYTES (1024 * 1024) /* largest row; a histogram has at most 0.5 MB */
#define ST_SQL_READ_NS     INT64_C(10000000000)
#define ST_SQL_AMOUNT_MAX  INT64_C(1000000000000000) /* 11 days in ns */

/** A database, and the first error of its statements: after an error no statement runs, rows end, and
 * numbers are missing. So a caller checks r once, after several statements. */
struct st_sql {
    sqlite3 *db;
    int r; /* 0 or a negative errno value; code that reads rows may set an error, which ends the rows */
    int64_t end_ns; /* of st_sql_limit_time */
};

/** Restricts the file: no views, no triggers, no writes to the schema, no functions with side effects in
 * the schema, no other file, no row of more than ST_SQL_VALUE_BYTES. Call right after open. */
void st_sql_distrust(struct st_sql *sql);

/** Makes statements of this thread fail with -ETIMEDOUT after max_ns of its CPU time; CPU time, because a
 * slow disk is no attack. The struct must live as long as its db. */
void st_sql_limit_time(struct st_sql *sql, int64_t max_ns);

/** Converts an SQLite result code to errno: 0 for OK, ROW and DONE; -ETIMEDOUT for st_sql_limit_time;
 * -EBADMSG also for values above the limits of st_sql_distrust. */
int st_sql_errno(const struct st_sql *sql, int code);

/** Text for the error r (< 0) of the last statement. Valid until the next statement. */
const char *st_sql_sentence(const struct st_sql *sql, int r);

/** Runs statements without arguments. */
void st_sql_exec(struct st_sql *sql, const char *statements);

/** Begins a statement and binds an argument for each letter of `types`: i int64_t; n int64_t, NULL for
 * INT64_MIN; d double; t text; s text, NULL for ""; b bytes and their size_t. @return rows for
 * st_sql_next; NULL after an error. */
sqlite3_stmt *st_sql_rows(struct st_sql *sql, const char *statement, const char *types, ...);
/** Reads the first columns of the next row, one for each letter of `columns`: i into an int64_t, INT64_MIN
 * for NULL; a into an int64_t, for a duration in ns or a count, 0 for NULL and for values outside of 0 ..
 * ST_SQL_AMOUNT_MAX; t as st_sql_text into the given char array and size_t. @return false: no row, or an
 * error; the rows are then freed. A caller that ends earlier calls sqlite3_finalize. */
bool st_sql_next(struct st_sql *sql, sqlite3_stmt *rows, const char *columns, ...);
/** Runs a statement to its end. */
void st_sql_run(struct st_sql *sql, const char *statement, const char *types, ...);
/** The first column of the first row; `none` without a row, for NULL, or after an error. */
int64_t st_sql_number(struct st_sql *sql, int64_t none, const char *statement, const char *types, ...);

/** When the first row of `span` with that level begins; `none` as in st_sql_number. */
int64_t st_sql_oldest(struct st_sql *sql, int64_t level, int64_t none);

/** Column i: INT64_MIN for NULL. */
int64_t st_sql_int(sqlite3_stmt *row, int i);
/** Column i, cut to buf_bytes; "" for NULL. */
void st_sql_text(sqlite3_stmt *row, int i, char *buf, size_t buf_bytes);

/** Version of a history; 0: an empty database. Sets r, with a sentence in `error`: -EPROTO (a file of
 * another program, or with views, triggers or virtual tables), -EPROTONOSUPPORT (newer), -EBADMSG (older,
 * or tables are missing), or an error of SQLite. */
int64_t st_sql_identify(struct st_sql *sql, const char **error);
