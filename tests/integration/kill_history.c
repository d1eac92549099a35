/* Kills a process that writes a history, again and again at random moments, and looks at the file
 * each time: it is sound, it has all that was committed, and at most one minute more; hours and
 * days are the sums of minutes.
 *
 * kill_history FOLDER HISTORY.DB KILLS [SEED]. Each tenth kill is of a new file: empty, or a copy
 * of the one that was given. Prints how many kills there were, and of how many minutes. Exit status
 * 1: not sound. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "core/text/text.h"
#include "store/history/hist_deflate.h"
#include "store/history/history.h"
#include "store/history/sql.h"

#define FROM_S    INT64_C(1800000000)
#define CYCLES    1000
#define KILL_NS   30000000 /* at most, after the start */
#define NEW_EVERY 10

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "kill_history: %s: %s\n", what, why);
    exit(1);
}

/* The child: minutes `first` .. one after the other; each that is committed is told with a byte. */
static _Noreturn void write_minutes(const char *path, int64_t first, int told)
{
    struct st_history *history;
    struct st_hist hist;
    const char *error;
    if (st_history_open(path, &history, &error) < 0 || st_hist_init(&hist, ST_HISTORY_DIGITS) != 0)
        _exit(2);
    for (int64_t i = first;; i++) {
        const struct st_event event =
            st_event_make((FROM_S + 60 * i) * ST_NS_PER_S, ST_EVENT_LATE_WAKE, "%s", "");
        st_hist_reset(&hist);
        st_hist_add_n(&hist, 1000 + i * 100, CYCLES);
        struct st_history_minute minute = {.from_wall_ns = (FROM_S + 60 * i) * ST_NS_PER_S,
                                           .to_wall_ns = (FROM_S + 60 * i + 60) * ST_NS_PER_S,
                                           .measured_ns = 60 * ST_NS_PER_S,
                                           .cycles = CYCLES,
                                           .lateness_max_ns = hist.max_ns};
        minute.lateness = st_hist_deflate(&hist, &minute.lateness_bytes);
        if (minute.lateness == NULL)
            _exit(2);
        st_history_begin(history);
        st_history_add_minute(history, &minute);
        st_history_add_event(history, &event);
        if (st_history_commit(history) < 0 || write(told, "", 1) != 1)
            _exit(2);
        free(minute.lateness);
        if (i % 16 == 15 &&
            st_history_retain(history, minute.to_wall_ns, 400, INT64_C(1000000000)) < 0)
            _exit(2);
    }
}

static int64_t number(struct st_sql *sql, const char *statement)
{
    const int64_t value = st_sql_number(sql, 0, statement, "");
    if (sql->r < 0)
        die(statement, sqlite3_errmsg(sql->db));
    return value;
}

static void check_text(struct st_sql *sql)
{
    char said[256] = "";
    sqlite3_stmt *rows = st_sql_rows(sql, "PRAGMA integrity_check", "");
    if (st_sql_next(sql, rows, "t", said, sizeof(said)))
        sqlite3_finalize(rows);
    if (strcmp(said, "ok") != 0)
        die("integrity_check", said);
}

/* Opened as the next daemon would. @return minutes in it that are ours. */
static int64_t check(const char *path, int64_t committed)
{
    struct st_history *history;
    struct st_sql db = {0};
    const char *error;
    if (st_history_open(path, &history, &error) < 0)
        die("open", error);
    st_history_close(history);
    if (sqlite3_open_v2(path, &db.db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        die("open", sqlite3_errmsg(db.db));
    check_text(&db);
    char sql[128];
    ST_PRINT(sql, "SELECT count(*) FROM span WHERE level = 60 AND from_ns >= %lld",
             (long long)FROM_S * 1000000000);
    const int64_t minutes = number(&db, sql);
    if (minutes < committed || minutes > committed + 1) {
        error = st_text("%lld are there", (long long)minutes);
        ST_PRINT(sql, "%lld minutes were committed", (long long)committed);
        die(sql, error);
    }
    ST_PRINT(sql, "SELECT sum(cycles) FROM span WHERE level = 3600 AND from_ns >= %lld",
             (long long)FROM_S * 1000000000);
    if (number(&db, sql) != minutes * CYCLES)
        die("sums", "hours are not the sums of their minutes");
    sqlite3_close(db.db);
    return minutes;
}

static void copy(const char *from, const char *to)
{
    char buf[65536];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t n;
    if (in == NULL || out == NULL)
        die(from, strerror(errno));
    while ((n = fread(buf, 1, sizeof(buf), in)) > 0) {
        if (fwrite(buf, 1, n, out) != n)
            die(to, strerror(errno));
    }
    fclose(in);
    fclose(out);
}

static void begin_anew(const char *path, const char *old)
{
    char beside[4200];
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    ST_EACH (suffixe, suffixes) {
        ST_PRINT(beside, "%s%s", path, *suffixe);
        unlink(beside);
    }
    if (old != NULL)
        copy(old, path);
}

int main(int argc, char **argv)
{
    struct st_random chance = {argc > 4 ? strtoull(argv[4], NULL, 10) : 1};
    int64_t minutes = 0, all = 0;
    char path[4096];
    if (argc < 4) {
        fprintf(stderr, "usage: kill_history FOLDER HISTORY.DB KILLS [SEED]\n");
        return 3;
    }
    ST_PRINT(path, "%s/history.db", argv[1]);
    const int kills = atoi(argv[3]);
    for (int i = 0; i < kills; i++) {
        int told[2];
        if (i % NEW_EVERY == 0) {
            begin_anew(path, i / NEW_EVERY % 2 == 0 ? NULL : argv[2]);
            all += minutes;
            minutes = 0;
        }
        if (pipe(told) != 0)
            die("pipe", strerror(errno));
        const pid_t child = fork();
        if (child < 0)
            die("fork", strerror(errno));
        if (child == 0) {
            close(told[0]);
            write_minutes(path, minutes, told[1]);
        }
        close(told[1]);
        const struct timespec wait = {.tv_nsec = (long)st_random_below(&chance, KILL_NS)};
        nanosleep(&wait, NULL);
        int status;
        kill(child, SIGKILL);
        if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
            die("child", "it ended by itself");
        char bytes[4096];
        int64_t committed = minutes;
        for (ssize_t n; (n = read(told[0], bytes, sizeof(bytes))) > 0;)
            committed += n;
        close(told[0]);
        minutes = check(path, committed);
    }
    printf("%d kills, %lld minutes\n", kills, (long long)(all + minutes));
    return 0;
}
