/* Short forms of SQLite calls, for history*.c. */
#pragma once

#include <sqlite3.h>

#include "core/text/record.h"
#include "xruns/event.h"

#define ST_HISTORY_APPLICATION INT64_C(0x534c5450) /* "SLTP" */
/* Of the tables, and how many fields an event has. */
#define ST_HISTORY_VERSION (1900 + (int)st_event_record.n)

/* Length of a row in s. Hours begin at multiples since 1970, minutes at any time. */
#define ST_HISTORY_MINUTE INT64_C(60)
#define ST_HISTORY_HOUR   INT64_C(3600)
#define ST_HISTORY_DAY    INT64_C(86400)

/* Limits for files that someone else may have written. */
#define ST_SQL_VALUE_BYTES (1024 * 1024) /* largest row; a histogram has at most 0.5 MB */
#define ST_SQL_READ_NS     INT64_C(10000000000)
#define ST_SQL_AMOUNT_MAX  INT64_C(1000000000000000) /* 11 days in ns */

/** A file, and the first error of what was asked of it: after that no further statement runs, rows end, and
 * numbers are missing. So an answer that is made of several statements looks at r once, at its end. */
struct st_sql {
    sqlite3 *db;
    int r;          /* 0 or a negative errno value; whoever reads rows may set one, which ends them */
    int64_t end_ns; /* of st_sql_limit_time */
};

/** Restricts the file: no views, no triggers, no writing to the schema, no functions with side effects in it,
 * no other file, no row of more than ST_SQL_VALUE_BYTES. Call it right after open. */
void st_sql_distrust(struct st_sql *sql);

/** Statements of this thread fail with -ETIMEDOUT after max_ns of its CPU time, because a slow disk is not an
 * attack. The struct must live as long as its db. */
void st_sql_limit_time(struct st_sql *sql, int64_t max_ns);

/** An SQLite result code as errno: 0 for OK, ROW and DONE; -ETIMEDOUT for st_sql_limit_time; -EBADMSG also
 * for values above the limits of st_sql_distrust. */
int st_sql_errno(const struct st_sql *sql, int code);

/** Text for the error r (< 0) of the last statement. Valid until the next one. */
const char *st_sql_sentence(const struct st_sql *sql, int r);

/** Runs statements without arguments. */
void st_sql_exec(struct st_sql *sql, const char *statements);

/** Begins a statement and binds an argument for each letter of `types`: i int64_t; n int64_t, NULL for
 * INT64_MIN; d double; t text; s text, NULL for ""; b bytes and their size_t. @return for st_sql_next; NULL
 * after an error. */
sqlite3_stmt *st_sql_rows(struct st_sql *sql, const char *statement, const char *types, ...);
/** Reads the first columns of the next row, one for each letter of `columns`: i into an int64_t, INT64_MIN
 * for NULL; a the same for a length of time in ns or a number of occurrences, 0 for NULL and for what is none
 * (up to ST_SQL_AMOUNT_MAX); t as st_sql_text into the char array and size_t that are given. @return false:
 * there is none, or an error; the rows are then freed. Who ends earlier calls sqlite3_finalize. */
bool st_sql_next(struct st_sql *sql, sqlite3_stmt *rows, const char *columns, ...);
/** Runs a statement to its end. */
void st_sql_run(struct st_sql *sql, const char *statement, const char *types, ...);
/** The first column of the first row; `none` if there is no row, it is NULL, or after an error. */
int64_t st_sql_number(struct st_sql *sql, int64_t none, const char *statement, const char *types, ...);

/** When the first row of `span` of that level begins; `none` as in st_sql_number. */
int64_t st_sql_oldest(struct st_sql *sql, int64_t level, int64_t none);

/** Column i: INT64_MIN for NULL. */
int64_t st_sql_int(sqlite3_stmt *row, int i);
/** Column i, cut to buf_bytes; "" for NULL. */
void st_sql_text(sqlite3_stmt *row, int i, char *buf, size_t buf_bytes);

/** The version of a history; 0: of an empty database. Sets r, with a sentence in `error`: -EPROTO (of another
 * program, or with views, triggers or virtual tables), -EPROTONOSUPPORT (newer), -EBADMSG (older, or tables
 * are missing), or an error of SQLite. */
int64_t st_sql_identify(struct st_sql *sql, const char **error);
