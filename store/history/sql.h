/* Short functions for SQLite, for history*.c. */
#pragma once

#include <sqlite3.h>

#include "xruns/event.h"

#define ST_HISTORY_APPLICATION INT64_C(0x534c5450) /* "SLTP": marks an SQLite file as a history */
/* Version of the tables, plus the number of fields of an event: a new field makes a new version. */
#define ST_HISTORY_VERSION (1900 + (int)st_event_record.n)

/* Length of a row (s). Hours begin at whole hours since 1970, minutes at any time. */
#define ST_HISTORY_MINUTE INT64_C(60)
#define ST_HISTORY_HOUR   INT64_C(3600)

/* Limits for a file that another user may have written. */
#define ST_SQL_VALUE_BYTES (1024 * 1024) /* largest row; a histogram takes at most 0.5 MB */
#define ST_SQL_READ_NS     INT64_C(10000000000)
/* largest duration (ns, 11 days) or count that is accepted */
#define ST_SQL_AMOUNT_MAX INT64_C(1000000000000000)

/** A database, and the first error of its statements. After an error no statement runs, there are
 * no more rows, and numbers are `none`. So a caller can run several statements and check r once. */
struct st_sql {
    sqlite3 *db;
    int r; /* 0 or a negative errno value; a caller that reads rows may set an error to end them */
    int64_t end_ns; /* CPU time at which st_sql_limit_time ends statements */
};

/** Restricts what an untrusted file can do: no views, no triggers, no writes to the schema, no
 * functions with side effects in the schema, no other file, no row of more than ST_SQL_VALUE_BYTES.
 * Call right after the database was opened. */
void st_sql_distrust(struct st_sql *sql);

/** Makes statements of this thread fail with -ETIMEDOUT when it has used max_ns of CPU time. Not of
 * elapsed time, because a slow disk is not an attack. *sql must live as long as its db. */
void st_sql_limit_time(struct st_sql *sql, int64_t max_ns);

/** Converts an SQLite result code to errno: 0 for OK, ROW and DONE; -ETIMEDOUT for
 * st_sql_limit_time; -EBADMSG also for values above the limits of st_sql_distrust. */
int st_sql_errno(const struct st_sql *sql, int code);

/** Text for the error r (< 0) of the last statement. Valid until the next statement. */
const char *st_sql_sentence(const struct st_sql *sql, int r);

/** Runs statements without arguments. */
void st_sql_exec(struct st_sql *sql, const char *statements);

/** Begins a statement, and binds an argument for each letter of `types`: i int64_t; n int64_t, NULL
 * for INT64_MIN; d double; t text; s text, NULL for ""; b bytes and their size_t. @return rows for
 * st_sql_next; NULL after an error. */
sqlite3_stmt *st_sql_rows(struct st_sql *sql, const char *statement, const char *types, ...);
/** Reads the first columns of the next row, one for each letter of `columns`: i into an int64_t,
 * INT64_MIN for NULL; a into an int64_t, for a duration (ns) or a count, 0 for NULL and for values
 * outside of 0 .. ST_SQL_AMOUNT_MAX; t as st_sql_text into a char array, whose size_t follows.
 * @return false: no row, or an error; the rows are freed. A caller that stops earlier calls
 * sqlite3_finalize. */
bool st_sql_next(struct st_sql *sql, sqlite3_stmt *rows, const char *columns, ...);
/** Runs a statement to its end. */
void st_sql_run(struct st_sql *sql, const char *statement, const char *types, ...);
/** The first column of the first row; `none` if there is no row, for NULL, and after an error. */
int64_t st_sql_number(struct st_sql *sql, int64_t none, const char *statement, const char *types,
                      ...);

/** When the oldest row of the table `span` with that level begins; `none` as in st_sql_number. */
int64_t st_sql_oldest(struct st_sql *sql, int64_t level, int64_t none);

/** Column i of a row, cut to buf_bytes; "" for NULL. */
void st_sql_text(sqlite3_stmt *row, int i, char *buf, size_t buf_bytes);

/** Finds the version of a history; 0: an empty database. Sets r, with a sentence in *error: -EPROTO
 * (a file of another program, or with views, triggers or virtual tables), -EPROTONOSUPPORT (a newer
 * version), -EBADMSG (an older one, or tables are missing), or an error of SQLite. */
int64_t st_sql_identify(struct st_sql *sql, const char **error);
