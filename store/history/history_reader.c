/* Opens a history for reading, also while another process writes to it. */
#include "store/history/history_private.h"

#include <sys/stat.h>

#include "core/text/json.h"

#define BUSY_MS 1000

static int open_with(struct st_history_reader *reader, const char *path, const char *options,
                     const char **error)
{
    char uri[4096] = "file:"; /* in which '%', '?' and '#' of the path are written as "%25" ... */
    struct st_sql *sql = &reader->sql;
    for (; *path != '\0'; path++)
        ST_APPEND(uri, strchr("%?#", *path) != NULL ? "%%%02X" : "%c", *path);
    ST_APPEND(uri, "?%s", options);
    if (strlen(uri) == sizeof(uri) - 1)
        return -ENAMETOOLONG;
    sql->r = 0;
    const int code = sqlite3_open_v2(
        uri, &sql->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return st_sql_errno(sql, code);
    st_sql_distrust(sql);
    st_sql_limit_time(sql, ST_SQL_READ_NS);
    sqlite3_busy_timeout(sql->db, BUSY_MS);
    if (st_sql_identify(sql, error) == 0 && sql->r == 0)
        return -ENODATA;
    /* Uses a small cache, since each row is read once. Makes the temporary table `watch`, which
     * st_history_read_running fills. */
    static const char prepare[] = "PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY;CREATE "
                                  "TEMP TABLE watch AS SELECT * FROM main.watch WHERE 0";
    st_sql_exec(sql, prepare);
    return sql->r;
}

/* Is there a write-ahead log that is not empty? */
static bool has_log(const char *path)
{
    struct stat status;
    return stat(st_text("%s-wal", path), &status) == 0 && status.st_size > 0;
}

int st_history_read_open(const char *path, struct st_history_reader **ret, const char **error)
{
    struct stat status;
    char whole[PATH_MAX];
    struct st_history_reader *reader = NULL;
    int r = -EINVAL;
    *error = "";
    if (realpath(path, whole) == NULL || stat(path, &status) != 0)
        r = -errno;
    else if (!S_ISREG(status.st_mode))
        *error = "not a regular file";
    /* Refuses an empty file. Files of /proc have size 0, too; reading one could block for ever. */
    else if (status.st_size == 0 && !has_log(path))
        r = -ENODATA;
    else
        r = st_history_look_beside(whole, error);
    if (r == 0 && (reader = calloc(1, sizeof(*reader))) == NULL)
        r = -ENOMEM;
    if (r == 0)
        r = open_with(reader, whole, "mode=ro", error);
    /* SQLite needs a file beside the history to share the log with a writer. If none can be created
     * and there is no log, no process writes, so the file alone is complete and can be read as
     * immutable. */
    if (r < 0 && reader != NULL && r != -EBADMSG && r != -EPROTO && r != -EPROTONOSUPPORT &&
        !has_log(path)) {
        sqlite3_close(reader->sql.db);
        reader->sql.db = NULL;
        *error = "";
        r = open_with(reader, whole, "mode=ro&immutable=1", error);
    }
    if (r == 0) { /* a transaction, so that all reads see the same state */
        st_sql_exec(&reader->sql, "BEGIN");
        r = reader->sql.r;
    }
    if (r == -ENODATA)
        *error = "the history is still empty";
    else if (r < 0 && (*error)[0] == '\0')
        *error = st_text("%s", strerror(-r));
    if (r == 0)
        *ret = reader;
    else
        st_history_read_close(reader);
    return r;
}

void st_history_read_close(struct st_history_reader *reader)
{
    if (reader == NULL)
        return;
    sqlite3_close(reader->sql.db);
    free(reader);
}

int st_history_read_result(const struct st_history_reader *reader)
{
    return reader->sql.r;
}

const char *st_history_read_error(const struct st_history_reader *reader, int r)
{
    return st_sql_sentence(&reader->sql, r);
}

json_t *st_history_read_object(sqlite3_stmt *statement, int first)
{
    json_t *object = json_object();
    char text[256];
    for (int i = first; i < sqlite3_column_count(statement); i++) {
        const int type = sqlite3_column_type(statement, i);
        st_sql_text(statement, i, text, sizeof(text));
        (void)json_object_set_new(
            object, sqlite3_column_name(statement, i),
            type == SQLITE_INTEGER ? json_integer(sqlite3_column_int64(statement, i))
            : type == SQLITE_FLOAT ? st_json_real_or_null(true, sqlite3_column_double(statement, i))
                                   : st_json_text_or_null(text));
    }
    return object;
}
