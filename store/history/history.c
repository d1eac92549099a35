/* Opens, creates, checks and renames the file of a history. */
#include "store/history/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/history/history_private.h"

#define BUSY_MS    2000
#define PAGE_BYTES 4096 /* page size of the file, SQLite's default */
/* where ST_HISTORY_APPLICATION is in the head of an SQLite file: sqlite.org/fileformat2.html */
#define APPLICATION_AT 68

/* The tables of an empty file. A file of another version is renamed, not converted. */
static const char tables[] =
    "CREATE TABLE conditions ( id INTEGER PRIMARY KEY, kernel TEXT, governor TEXT, policy TEXT, "
    "priority INTEGER, cpu INTEGER, frames INTEGER, rate_hz INTEGER, load_percent REAL);"
    /* Minutes and hours of the timing test. level: length of the row, 60 or 3600 s. lateness: a
     * histogram, which only rows of minutes have. */
    "CREATE TABLE span ( id INTEGER PRIMARY KEY, level INTEGER NOT NULL, from_ns INTEGER NOT NULL, "
    "to_ns INTEGER NOT NULL, measured_ns INTEGER NOT NULL, cycles INTEGER NOT NULL, misses INTEGER "
    "NOT NULL, skipped_periods INTEGER NOT NULL, late_wakes INTEGER NOT NULL, dropouts_own INTEGER "
    "NOT NULL, lateness_max_ns INTEGER, conditions INTEGER REFERENCES conditions, lateness BLOB, "
    "miss_events INTEGER NOT NULL);CREATE INDEX span_time ON span (level, from_ns);"
    /* causes of late wake-ups */
    "CREATE TABLE cause ( id INTEGER PRIMARY KEY, level INTEGER NOT NULL, from_ns INTEGER NOT "
    "NULL, to_ns INTEGER NOT NULL, above_ns INTEGER, cause TEXT NOT NULL, culprit TEXT NOT NULL, n "
    "INTEGER NOT NULL, total_ns INTEGER NOT NULL, worst_ns INTEGER NOT NULL, explained_ns "
    "INTEGER);CREATE INDEX cause_time ON cause (from_ns);"
    /* when which source of dropouts was watched */
    "CREATE TABLE watch ( id INTEGER PRIMARY KEY, source TEXT NOT NULL, from_ns INTEGER NOT NULL, "
    "to_ns INTEGER NOT NULL, playing INTEGER, frames INTEGER, rate_hz INTEGER, client TEXT);CREATE "
    "INDEX watch_time ON watch (source, to_ns);CREATE INDEX watch_end ON watch (to_ns);"
    /* Versions, settings and files that may influence dropouts. A new row is added when one of
     * them differs; change_n is 0 in the first row of each. */
    "CREATE TABLE fact ( id INTEGER PRIMARY KEY, from_ns INTEGER NOT NULL, at_ns INTEGER NOT NULL, "
    "change_n INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT, was TEXT)";

static void create_tables(struct st_sql *sql)
{
    st_sql_exec(sql, "BEGIN IMMEDIATE");
    st_sql_exec(sql, tables);
    st_history_make_event_table(sql);
    st_sql_exec(sql, st_text("PRAGMA user_version = %d", ST_HISTORY_VERSION));
    st_sql_exec(sql, "COMMIT");
}

/* Checks with PRAGMA quick_check that the file is not damaged. If it is, the error message quotes
 * the first line of SQLite's report after headings ("*** in database main ***"). */
static void check_pages(struct st_sql *sql, const char **error)
{
    char said[1024]; /* the report: one or more lines, depending on the version of SQLite */
    const char *first = NULL;
    sqlite3_stmt *rows = st_sql_rows(sql, "PRAGMA quick_check(1)", "");
    while (st_sql_next(sql, rows, "t", said, sizeof(said))) {
        char *rest = said;
        for (const char *line; first == NULL && (line = strsep(&rest, "\n")) != NULL;)
            first =
                line[0] != '\0' && !st_text_begins(line, "***") ? st_text("%.159s", line) : NULL;
    }
    if (sql->r < 0 || (first != NULL && st_text_is(first, "ok")))
        return;
    *error = st_text("the history is damaged: %s",
                     st_text_or(first, "SQLite does not report in which part of the file"));
    sql->r = -EBADMSG;
}

static void prepare_file(struct st_history *history, const char **error)
{
    struct st_sql *sql = &history->sql;
    sqlite3_extended_result_codes(sql->db, 1);
    st_sql_distrust(sql);
    sqlite3_busy_timeout(sql->db, BUSY_MS);
    st_sql_exec(sql, "PRAGMA cache_size = -512");
    const int64_t version = st_sql_identify(sql, error);
    /* A read-only database can be opened, but nothing can be added to it. */
    if (sql->r == 0 && sqlite3_db_readonly(sql->db, "main") == 1) {
        *error =
            st_text("%s", access(history->path, W_OK) != 0 ? strerror(errno) : "it is read-only");
        sql->r = -EROFS;
    }
    /* Writes the application id before the write-ahead log exists, so that it gets into the file
     * itself, where st_history_look reads it. */
    if (version == 0)
        st_sql_exec(sql, st_text("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = %jd",
                                 ST_HISTORY_APPLICATION));
    st_sql_exec(sql,
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    st_sql_exec(sql, st_text("PRAGMA journal_size_limit = %d; PRAGMA wal_autocheckpoint = %d",
                             ST_HISTORY_LOG_BYTES, ST_HISTORY_LOG_BYTES / PAGE_BYTES));
    check_pages(sql, error);
    if (version == 0)
        create_tables(sql);
}

/* Refuses anything but a regular file: a FIFO would block, and a symbolic link may lead to a file
 * of another user. @param suffix "" for the history itself. */
static int look_at_path(const char *path, const char *suffix, const char **error)
{
    char whole[4096];
    struct stat status;
    if (ST_PRINT(whole, "%s%s", path, suffix) >= (int)sizeof(whole))
        return -ENAMETOOLONG;
    if (lstat(whole, &status) != 0 || S_ISREG(status.st_mode))
        return 0;
    const char *what = S_ISLNK(status.st_mode) ? "a symbolic link" : "not a file";
    if (suffix[0] == '\0')
        *error = st_text("it is %s", what);
    else
        *error = st_text("%s in the same folder is %s", st_text_base(whole), what);
    return S_ISLNK(status.st_mode) ? -ELOOP : -EINVAL;
}

int st_history_look_beside(const char *path, const char **error)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal", ".lock"};
    int r = 0;
    for (size_t i = 0; r == 0 && i < ST_ARRAY_LEN(suffixes); i++)
        r = look_at_path(path, suffixes[i], error);
    return r;
}

int st_history_look(const char *path, const char **error)
{
    static const char magic[16] = "SQLite format 3";
    char head[APPLICATION_AT + 4] = "";
    *error = "";
    const int r = look_at_path(path, "", error);
    if (r < 0)
        return r;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t n = read(fd, head, sizeof(head));
    close(fd);
    if (n <= 0)
        return 0;
    if (memcmp(head, magic, sizeof(magic)) != 0)
        *error = "not a database";
    else if (memcmp(head + APPLICATION_AT, "SLTP", 4) != 0)
        *error = "the database of another program";
    return (*error)[0] == '\0' ? 0 : -EPROTO;
}

int st_history_open(const char *path, struct st_history **ret, const char **error)
{
    *error = "";
    int r = look_at_path(path, "", error);
    if (r == 0)
        r = st_history_look_beside(path, error);
    if (r < 0)
        return r;
    struct st_history *history = calloc(1, sizeof(*history));
    if (history == NULL)
        return -ENOMEM;
    struct st_sql *sql = &history->sql;
    history->path = strdup(path);
    r = history->path != NULL ? 0 : -ENOMEM;
    if (r == 0) {
        const int code = sqlite3_open_v2(
            path, &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
        sql->r = st_sql_errno(sql, sql->db != NULL ? sqlite3_extended_errcode(sql->db) : code);
        if (sql->r == 0)
            prepare_file(history, error);
        r = sql->r;
    }
    if (r < 0) {
        if ((*error)[0] == '\0')
            *error = st_text("%s", r == -EBADMSG ? st_sql_sentence(sql, r) : strerror(-r));
        st_history_close(history);
        return r;
    }
    st_history_mark(history);
    *ret = history;
    return 0;
}

void st_history_close(struct st_history *history)
{
    if (history == NULL)
        return;
    sqlite3_close(history->sql.db);
    free(history->path);
    free(history);
}

void st_history_abandon(struct st_history *history)
{
    if (history != NULL)
        sqlite3_db_config(history->sql.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    st_history_close(history);
}

/* Reads identity, size and time of modification of PATH + suffix: of the history ("") or its log
 * ("-wal"). All 0: there is no such file. */
static struct st_history_mark mark_of(const struct st_history *history, const char *suffix)
{
    char whole[4096];
    struct stat status;
    ST_PRINT(whole, "%s%s", history->path, suffix);
    if (stat(whole, &status) != 0)
        return (struct st_history_mark){0};
    return (struct st_history_mark){status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

void st_history_mark(struct st_history *history)
{
    history->file = mark_of(history, "");
    history->log = mark_of(history, "-wal");
}

static bool is_same_file(const struct st_history_mark *a, const struct st_history_mark *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static bool is_same(const struct st_history_mark *a, const struct st_history_mark *b)
{
    return is_same_file(a, b) && a->bytes == b->bytes && a->written.tv_sec == b->written.tv_sec &&
           a->written.tv_nsec == b->written.tv_nsec;
}

enum st_history_state st_history_look_again(const struct st_history *history)
{
    const struct st_history_mark file = mark_of(history, ""), log = mark_of(history, "-wal");
    if (!is_same_file(&file, &history->file))
        return ST_HISTORY_GONE;
    if (file.bytes == 0)
        return ST_HISTORY_EMPTIED;
    if (is_same(&file, &history->file) && is_same(&log, &history->log))
        return ST_HISTORY_OURS;
    return ST_HISTORY_CHANGED;
}

const char *st_history_error(const struct st_history *history, int r)
{
    return st_sql_sentence(&history->sql, r);
}

static int rename_beside(const char *path, const char *suffix, const char *to)
{
    char from[4096], into[4096];
    if (ST_PRINT(from, "%s%s", path, suffix) >= (int)sizeof(from) ||
        ST_PRINT(into, "%s%s", to, suffix) >= (int)sizeof(into))
        return -ENAMETOOLONG;
    return rename(from, into) == 0 || errno == ENOENT ? 0 : -errno;
}

int st_history_put_aside(const char *path, int64_t now_wall_ns, char *buf, size_t buf_bytes)
{
    const time_t now_s = (time_t)(now_wall_ns / ST_NS_PER_S);
    struct tm utc;
    char when[32] = "unknown-time";
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return -EINVAL;
    if (gmtime_r(&now_s, &utc) != NULL)
        strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
    int n = snprintf(buf, buf_bytes, "%s.aside-%s", path, when);
    for (unsigned again = 2; n > 0 && (size_t)n < buf_bytes && access(buf, F_OK) == 0; again++)
        n = snprintf(buf, buf_bytes, "%s.aside-%s-%u", path, when, again);
    if (n < 0 || (size_t)n >= buf_bytes)
        return -ENAMETOOLONG;
    /* Renames the write-ahead log first: otherwise SQLite would use it as the log of the new
     * file. */
    int r = rename_beside(path, "-wal", buf);
    if (r == 0)
        r = rename_beside(path, "-shm", buf);
    if (r == 0)
        r = rename_beside(path, "-journal", buf);
    if (r == 0)
        r = rename(path, buf) == 0 ? 0 : -errno;
    return r;
}
