/* Functions that make calls of SQLite shorter, and translate its errors. */
#include "store/history/sql.h"

#include "core/ns.h"
#include "platform/posix/posix.h"

/* bytes of the longest statement, of sleeptune or in the schema of a file */
#define SQL_BYTES 16384
/* steps of SQLite's virtual machine after which the CPU time is checked; about 1 ms */
#define OPS_A_LOOK     10000
#define DAMAGED_TEXT   "the history is damaged: "
#define TOO_LARGE_TEXT DAMAGED_TEXT "a value is larger than any that sleeptune writes"

void st_sql_distrust(struct st_sql *sql)
{
    static const int settings[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};
    static const int limits[][2] = {{SQLITE_LIMIT_LENGTH, ST_SQL_VALUE_BYTES},
                                    {SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES},
                                    {SQLITE_LIMIT_ATTACHED, 0},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                    {SQLITE_LIMIT_WORKER_THREADS, 0}};
    /* The results are not checked: SQLite 3.35, which the build requires, knows all of these
     * settings, and they cannot fail on an open file. Temporary views are still allowed. */
    ST_EACH (setting, settings)
        (void)sqlite3_db_config(sql->db, (*setting)[0], (*setting)[1], NULL);
    ST_EACH (limit, limits)
        (void)sqlite3_limit(sql->db, (*limit)[0], (*limit)[1]);
}

static int is_over(void *ctx)
{
    const struct st_sql *sql = ctx;
    return st_posix_clock_ns(CLOCK_THREAD_CPUTIME_ID) > sql->end_ns;
}

void st_sql_limit_time(struct st_sql *sql, int64_t max_ns)
{
    sql->end_ns = st_posix_clock_ns(CLOCK_THREAD_CPUTIME_ID) + max_ns;
    sqlite3_progress_handler(sql->db, OPS_A_LOOK, is_over, sql);
}

const char *st_sql_sentence(const struct st_sql *sql, int r)
{
    switch (sqlite3_errcode(sql->db) & 0xff) {
    case SQLITE_OK: /* SQLite itself succeeded, but a value is not valid */
    case SQLITE_ROW:
    case SQLITE_DONE:
        return r == -EBADMSG ? DAMAGED_TEXT "a histogram cannot be read" : strerror(-r);
    case SQLITE_INTERRUPT:
        return "reading the history took more than 10 s of CPU time: sleeptune probably did not "
               "write it";
    case SQLITE_TOOBIG:
        return TOO_LARGE_TEXT;
    default:
        return sqlite3_errmsg(sql->db);
    }
}

int st_sql_errno(const struct st_sql *sql, int code)
{
    const int system = sql->db != NULL ? sqlite3_system_errno(sql->db) : 0;
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return 0;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_READONLY:
        return -EROFS;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return -EACCES;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:
        return -EBADMSG;
    case SQLITE_INTERRUPT:
        return -ETIMEDOUT;
    case SQLITE_ERROR:
        return -EINVAL;
    case SQLITE_NOMEM:
        return -ENOMEM;
    default: /* CANTOPEN, IOERR and unexpected codes */
        return system > 0 ? -system : -EIO;
    }
}

static int bind(sqlite3_stmt *statement, const char *types, va_list args)
{
    for (int i = 1; types[i - 1] != '\0'; i++) {
        int code = SQLITE_MISUSE;
        switch (types[i - 1]) {
        case 'i':
            code = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
            break;
        case 'n': {
            const int64_t value = va_arg(args, int64_t);
            code = value == INT64_MIN ? sqlite3_bind_null(statement, i)
                                      : sqlite3_bind_int64(statement, i, value);
            break;
        }
        case 'd':
            code = sqlite3_bind_double(statement, i, va_arg(args, double));
            break;
        case 't':
        case 's': {
            const char *text = va_arg(args, const char *);
            code = types[i - 1] == 's' && text[0] == '\0'
                       ? sqlite3_bind_null(statement, i)
                       : sqlite3_bind_text(statement, i, text, -1, SQLITE_TRANSIENT);
            break;
        }
        case 'b': {
            const void *bytes = va_arg(args, const void *);
            const size_t n = va_arg(args, size_t);
            code = sqlite3_bind_blob64(statement, i, bytes, n, SQLITE_TRANSIENT);
            break;
        }
        default:
            break;
        }
        if (code != SQLITE_OK)
            return code;
    }
    return SQLITE_OK;
}

static sqlite3_stmt *begin(struct st_sql *sql, const char *text, const char *types, va_list args)
{
    sqlite3_stmt *rows = NULL;
    if (sql->r == 0)
        sql->r = st_sql_errno(sql, sqlite3_prepare_v2(sql->db, text, -1, &rows, NULL));
    if (sql->r == 0)
        sql->r = st_sql_errno(sql, bind(rows, types, args));
    if (sql->r == 0)
        return rows;
    sqlite3_finalize(rows);
    return NULL;
}

sqlite3_stmt *st_sql_rows(struct st_sql *sql, const char *statement, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *rows = begin(sql, statement, types, args);
    va_end(args);
    return rows;
}

void st_sql_exec(struct st_sql *sql, const char *statements)
{
    if (sql->r == 0)
        sql->r = st_sql_errno(sql, sqlite3_exec(sql->db, statements, NULL, NULL, NULL));
}

void st_sql_text(sqlite3_stmt *row, int i, char *buf, size_t buf_bytes)
{
    const char *text = (const char *)sqlite3_column_text(row, i);
    snprintf(buf, buf_bytes, "%s", st_text_or(text, ""));
}

bool st_sql_next(struct st_sql *sql, sqlite3_stmt *rows, const char *columns, ...)
{
    const int code = sql->r == 0 && rows != NULL ? sqlite3_step(rows) : SQLITE_DONE;
    if (code != SQLITE_ROW) {
        sql->r = sql->r == 0 ? st_sql_errno(sql, code) : sql->r;
        sqlite3_finalize(rows);
        return false;
    }
    va_list args;
    va_start(args, columns);
    for (int i = 0; columns[i] != '\0'; i++) {
        void *to = va_arg(args, void *);
        if (columns[i] == 't') {
            st_sql_text(rows, i, to, va_arg(args, size_t));
            continue;
        }
        const int64_t value =
            sqlite3_column_type(rows, i) == SQLITE_NULL ? INT64_MIN : sqlite3_column_int64(rows, i);
        *(int64_t *)to = columns[i] != 'a' || (value > 0 && value <= ST_SQL_AMOUNT_MAX) ? value : 0;
    }
    va_end(args);
    return true;
}

void st_sql_run(struct st_sql *sql, const char *statement, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *rows = begin(sql, statement, types, args);
    va_end(args);
    while (st_sql_next(sql, rows, "")) {
    }
}

int64_t st_sql_number(struct st_sql *sql, int64_t none, const char *statement, const char *types,
                      ...)
{
    int64_t ret = INT64_MIN;
    va_list args;
    va_start(args, types);
    sqlite3_stmt *rows = begin(sql, statement, types, args);
    va_end(args);
    if (st_sql_next(sql, rows, "i", &ret))
        sqlite3_finalize(rows);
    return ret != INT64_MIN ? ret : none;
}

int64_t st_sql_oldest(struct st_sql *sql, int64_t level, int64_t none)
{
    return st_sql_number(sql, none, "SELECT min(from_ns) FROM span WHERE level = ?", "i", level);
}

/* A condition for entries of the schema that have pages in the file: tables and indexes, but no
 * view, trigger or virtual table. */
#define IS_STORED    "(type IN ('table', 'index') AND rootpage > 0)"
#define OUR_TABLES_N 3

int64_t st_sql_identify(struct st_sql *sql, const char **error)
{
    const int64_t
        application = st_sql_number(sql, 0, "PRAGMA application_id", ""),
        version = st_sql_number(sql, 0, "PRAGMA user_version", ""),
        all_n = st_sql_number(sql, 0, "SELECT count(*) FROM sqlite_schema", ""),
        strange_n =
            st_sql_number(sql, 0, "SELECT count(*) FROM sqlite_schema WHERE NOT " IS_STORED, ""),
        ours_n = st_sql_number(
            sql, 0,
            "SELECT count(DISTINCT name) FROM sqlite_schema WHERE type = 'table' AND " IS_STORED
            " AND name IN ('span', 'event', 'conditions')",
            "");
    const bool is_new =
        (application == 0 || application == ST_HISTORY_APPLICATION) && version == 0 && all_n == 0;
    if (sql->r < 0) {
        *error = st_text("%s", st_sql_sentence(sql, sql->r));
    } else if (!is_new && (application != ST_HISTORY_APPLICATION || version < 1)) {
        *error = "the database of another program";
        sql->r = -EPROTO;
    } else if (!is_new && version != ST_HISTORY_VERSION) {
        const bool newer = version > ST_HISTORY_VERSION;
        *error = st_text(
            "a history of version %jd, made by %s sleeptune; this sleeptune reads version %d",
            version, newer ? "a newer" : "an early", ST_HISTORY_VERSION);
        sql->r = newer ? -EPROTONOSUPPORT : -EBADMSG;
    } else if (strange_n > 0) {
        *error = "this is no history of sleeptune: the file has a view, a trigger or a virtual "
                 "table, which sleeptune never makes";
        sql->r = -EPROTO;
    } else if (!is_new && ours_n < OUR_TABLES_N) {
        *error = "this is no history of sleeptune: some tables are missing in the file";
        sql->r = -EBADMSG;
    }
    return version;
}
