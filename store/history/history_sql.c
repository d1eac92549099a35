/* SQLite with fewer words. */
#include "store/history/history_sql.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "platform/posix/posix.h"

#define SQL_BYTES      16384 /* a statement of ours, or one in a schema */
#define OPS_A_LOOK     10000 /* of SQLite's virtual machine: about 1 ms */
#define DAMAGED_TEXT   "it is damaged: "
#define TOO_LARGE_TEXT DAMAGED_TEXT "a value in the history is larger than any that sleeptune writes"

void st_history_sql_distrust(sqlite3 *db)
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
    /* SQLite 3.35, which the build asks for, knows all of them, and lets temporary views be; a setting cannot
     * fail on an open file */
    ST_EACH (setting, settings)
        (void)sqlite3_db_config(db, (*setting)[0], (*setting)[1], NULL);
    ST_EACH (limit, limits)
        (void)sqlite3_limit(db, (*limit)[0], (*limit)[1]);
}

static int is_over(void *ctx)
{
    const struct st_history_sql_time *time = ctx;
    return st_posix_thread_cpu_ns(NULL) > time->end_ns;
}

void st_history_sql_limit_time(sqlite3 *db, struct st_history_sql_time *time, int64_t max_ns)
{
    time->end_ns = st_posix_thread_cpu_ns(NULL) + max_ns;
    sqlite3_progress_handler(db, OPS_A_LOOK, is_over, time);
}

const char *st_history_sql_sentence(sqlite3 *db, int r)
{
    switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_OK: /* SQLite succeeded, but the content is invalid */
    case SQLITE_ROW:
    case SQLITE_DONE:
        return r == -EBADMSG ? DAMAGED_TEXT "a histogram in the history cannot be read" : strerror(-r);
    case SQLITE_INTERRUPT:
        return "reading the history took more than 10 s of CPU time: sleeptune probably did not write it";
    case SQLITE_TOOBIG:
        return TOO_LARGE_TEXT;
    default:
        return sqlite3_errmsg(db);
    }
}

int st_history_sql_errno(sqlite3 *db, int code)
{
    const int system = db != NULL ? sqlite3_system_errno(db) : 0;
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

static int prepare(sqlite3 *db, sqlite3_stmt **ret, const char *sql, const char *types, va_list args)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = bind(statement, types, args);
    if (code != SQLITE_OK) {
        const int r = st_history_sql_errno(db, code);
        sqlite3_finalize(statement);
        return r;
    }
    *ret = statement;
    return 0;
}

int st_history_sql_prepare(sqlite3 *db, sqlite3_stmt **ret, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    const int r = prepare(db, ret, sql, types, args);
    va_end(args);
    return r;
}

int st_history_sql_step(sqlite3_stmt *statement)
{
    const int code = sqlite3_step(statement);
    return code == SQLITE_ROW ? 1 : st_history_sql_errno(sqlite3_db_handle(statement), code);
}

int st_history_sql_number(sqlite3 *db, int64_t *ret, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list args;
    va_start(args, types);
    int r = prepare(db, &statement, sql, types, args);
    va_end(args);
    if (r < 0)
        return r;
    do
        r = st_history_sql_step(statement);
    while (r == 1 && ret == NULL);
    if (r == 1 && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        *ret = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return r < 0 ? r : 0;
}

int st_history_sql_oldest(sqlite3 *db, int64_t level, int64_t *ret)
{
    return st_history_sql_number(db, ret, "SELECT min(from_ns) FROM span WHERE level = ?", "i", level);
}

int64_t st_history_sql_int(sqlite3_stmt *statement, int i)
{
    return sqlite3_column_type(statement, i) == SQLITE_NULL ? INT64_MIN : sqlite3_column_int64(statement, i);
}

void st_history_sql_row(sqlite3_stmt *statement, const char *columns, ...)
{
    va_list args;
    va_start(args, columns);
    for (int i = 0; columns[i] != '\0'; i++) {
        void *to = va_arg(args, void *);
        if (columns[i] == 't' || columns[i] == 's') {
            st_history_sql_text(statement, i, to, va_arg(args, size_t));
            continue;
        }
        const int64_t value = st_history_sql_int(statement, i);
        *(int64_t *)to = columns[i] != 'a' || (value > 0 && value <= ST_SQL_AMOUNT_MAX) ? value : 0;
    }
    va_end(args);
}

int64_t st_history_sql_add(int64_t sum, int64_t value)
{
    if (sum == INT64_MIN)
        return value;
    return value == INT64_MIN ? sum : st_ns_add(sum, value);
}

void st_history_sql_text(sqlite3_stmt *statement, int i, char *buf, size_t buf_bytes)
{
    const char *text = (const char *)sqlite3_column_text(statement, i);
    snprintf(buf, buf_bytes, "%s", text != NULL ? text : "");
}

/* An entry of the schema with pages of its own, so not a view, a trigger or a virtual table. */
#define IS_STORED    "(type IN ('table', 'index') AND rootpage > 0)"
#define OUR_TABLES_N 3

int st_history_sql_identify(sqlite3 *db, int64_t *ret_version, const char **error)
{
    int64_t application = 0, version = 0, all_n = 0, strange_n = 0, ours_n = 0;
    const struct {
        int64_t *ret;
        const char *sql;
    } numbers[] = {{&application, "PRAGMA application_id"},
                   {&version, "PRAGMA user_version"},
                   {&all_n, "SELECT count(*) FROM sqlite_schema"},
                   {&strange_n, "SELECT count(*) FROM sqlite_schema WHERE NOT " IS_STORED},
                   {&ours_n,
                    "SELECT count(DISTINCT name) FROM sqlite_schema WHERE type = 'table' AND " IS_STORED
                    " AND name IN ('span', 'event', 'conditions')"}};
    int r = 0;
    ST_EACH (number, numbers)
        r = r == 0 ? st_history_sql_number(db, number->ret, number->sql, "") : r;
    if (r < 0) {
        *error = st_text("%s", st_history_sql_sentence(db, r));
        return r;
    }
    const bool is_new =
        (application == 0 || application == ST_HISTORY_APPLICATION) && version == 0 && all_n == 0;
    if (!is_new && (application != ST_HISTORY_APPLICATION || version < 1)) {
        *error = "it is the database of another program";
        return -EPROTO;
    }
    if (version > ST_HISTORY_VERSION) {
        *error = st_text("it is of version %lld, made by a newer sleeptune; this sleeptune reads version %d",
                         (long long)version, ST_HISTORY_VERSION);
        return -EPROTONOSUPPORT;
    }
    if (!is_new && version < ST_HISTORY_VERSION) {
        *error = st_text("it is of version %lld, made by an early sleeptune; this sleeptune reads version %d",
                         (long long)version, ST_HISTORY_VERSION);
        return -EBADMSG;
    }
    if (strange_n > 0) {
        *error = "the file has a view, a trigger or a virtual table, which sleeptune never makes";
        return -EPROTO;
    }
    if (!is_new && ours_n < OUR_TABLES_N) {
        *error = "some tables of a history are missing in the file";
        return -EBADMSG;
    }
    *ret_version = version;
    return 0;
}
