/* Writes the history of sleeptuned to an SQLite file: a row for each minute, sums of hours, a row
 * for each event, and when which sound server was watched. Dropouts are events. The file is in WAL
 * mode with synchronous = FULL: each commit is one fsync of the log, so committed rows survive a
 * power cut. (With NORMAL, SQLite syncs only at checkpoints, which are hours apart at a row per
 * minute; a checkpoint per minute would be two fsyncs.) A process that is killed leaves the file as
 * its last commit left it. */
#pragma once

#include "store/history/cause_sums.h"
#include "xruns/event.h"

#define ST_HISTORY_MINUTES_DAYS 30 /* days for which minutes are kept; hours are kept longer */
#define ST_HISTORY_DIGITS       2  /* decimal digits of precision of a minute's histogram */

/** The test conditions of a minute. "" or INT64_MIN: unknown. */
struct st_history_conditions {
    char kernel[96], governor[32], policy[16];
    int64_t priority, cpu /* -1: any */, frames, rate_hz;
    double load_percent;
};

/** A minute of the timing test; the first and the last one may be shorter. */
struct st_history_minute {
    /* begin and end; if the wall clock was set in between, to_wall_ns - from_wall_ns is not the
     * real duration
     */
    int64_t from_wall_ns, to_wall_ns;
    int64_t measured_ns; /* time in which the loop ran (CLOCK_MONOTONIC) */
    uint64_t cycles, misses, skipped_periods, late_wakes;
    uint64_t own_dropouts_n;
    int64_t miss_events;     /* missed deadlines close together count as one event
                                (evidence/miss_events.h) */
    int64_t lateness_max_ns; /* exact, not from the histogram; INT64_MIN: no cycle */
    uint8_t
        *lateness; /* histogram of lateness with ST_HISTORY_DIGITS digits, from st_hist_deflate */
    size_t lateness_bytes;
    struct st_history_conditions conditions;
    int64_t late_above_ns;       /* limit above which a wake-up counts in late_wakes */
    struct st_cause_sum *causes; /* causes of late_wakes */
    size_t causes_n;
};

/** How one source of other programs' dropouts was watched in a minute. */
struct st_history_watch {
    char source[16];
    int64_t watched_ns;
    int64_t playing; /* 1: a client played, 0: none played; INT64_MIN: the source cannot know */
    int64_t frames, rate_hz; /* buffer size and rate of the device; INT64_MIN: unknown */
    /* the program that played; of several, the one of the minute before or the busiest; "":
     * unknown */
    char client[64];
};

#define ST_HISTORY_WATCHES_MAX 8

/** The sources that were watched in a minute. */
struct st_history_watched {
    int64_t from_wall_ns, to_wall_ns;
    struct st_history_watch watches[ST_HISTORY_WATCHES_MAX];
    size_t watches_n;
};

/** The current state of something that may influence dropouts. kind is "kernel", "firmware",
 * "package", "setting" or "file". */
struct st_history_fact {
    const char *kind;
    char *name, *value; /* of a file: its path, and a hash of its content */
};

struct st_history;

/** Size at which SQLite moves its log into the file. The log is at most this size plus one
 * transaction, unless a reader blocks the move. */
#define ST_HISTORY_LOG_BYTES (1024 * 1024)

/** Identifies a file by its first bytes. Changes, locks and creates nothing; but removes the locks
 * of a history that this process has opened on the same file. @param error after an error, a
 * sentence without the path. @return 0: a history (whole or damaged), an empty file, no file, or an
 * unreadable one; -EPROTO: a file of another program; -ELOOP: a symbolic link; -EINVAL: not a
 * regular file. Threads: any. */
ST_NODISCARD int st_history_look(const char *path, const char **error);

/** Opens a history; creates it if the file is missing or empty. @param error after an error, a
 * sentence without the path. @return 0; -EBADMSG: damaged, not a database, or too old a version;
 * -EPROTO: a file of another program; -EPROTONOSUPPORT: a newer version; -ELOOP, -EINVAL: the file,
 * its log or its lock is a symbolic link or not a regular file; -EBUSY: another program kept it
 * locked for 2 s; -EROFS: read-only; -ENOSPC, -EACCES, -ENOENT, -EIO, -ENOMEM. Threads: any, one
 * for each history. */
ST_NODISCARD int st_history_open(const char *path, struct st_history **ret, const char **error);
void st_history_close(struct st_history *history); /* NULL is allowed */

enum st_history_state {
    ST_HISTORY_OURS,    /* unchanged since this process last wrote to it */
    ST_HISTORY_CHANGED, /* another program wrote to the file or its log; opening it again checks
                         * it */
    ST_HISTORY_EMPTIED, /* another program truncated the file to 0 bytes */
    ST_HISTORY_GONE,    /* moved, removed or replaced */
};

/** Compares the file and its log with their state at the last st_history_mark. Does not notice a
 * change that the kernel did not make (a bad disk), or after which the time of modification was set
 * back. */
enum st_history_state st_history_look_again(const struct st_history *history);
/** Notes the state of the file and its log for st_history_look_again; call after writing. */
void st_history_mark(struct st_history *history);
/** Closes a history whose file or log may be damaged: the log is not moved into the file. NULL is
 * allowed. */
void st_history_abandon(struct st_history *history);

/** Renames a file and its log to PATH.aside-YYYYMMDDTHHMMSSZ; never overwrites such a file. @return
 * 0 with the new name in buf; -EINVAL: not a regular file; or the error of rename. */
ST_NODISCARD int st_history_put_aside(const char *path, int64_t now_wall_ns, char *buf,
                                      size_t buf_bytes);

/** Begins a transaction: all rows added before commit are written, or none. st_history_commit
 * returns the first error, as st_history_open; then call st_history_rollback. */
void st_history_begin(struct st_history *history);
void st_history_add_minute(struct st_history *history, const struct st_history_minute *minute);
void st_history_add_watched(struct st_history *history, const struct st_history_watched *watched);
void st_history_add_event(struct st_history *history, const struct st_event *event);
/** Adds a row for each fact that differs from its last row, and for each file or package that was
 * removed; together they are one change. The first facts of a kind are not a change. @param from_ns
 * when the facts were last compared. */
void st_history_add_facts(struct st_history *history, int64_t from_ns, int64_t wall_ns,
                          const struct st_history_fact *facts, size_t facts_n);
ST_NODISCARD int st_history_commit(struct st_history *history);
void st_history_rollback(struct st_history *history);

/** Removes old rows: minutes after ST_HISTORY_MINUTES_DAYS, all rows after keep_days, but in each
 * call at most one day of rows, because now_wall_ns may be years ahead. While more than max_bytes
 * are in use, removes the oldest minutes except those of the last day, then the oldest hours, then
 * the minutes of the last day except its last hour. Events may use half of max_bytes; beyond that,
 * the oldest events of the most frequent kind (name and source) are removed. @return 0, or an error
 * as st_history_open. */
ST_NODISCARD int st_history_retain(struct st_history *history, int64_t now_wall_ns,
                                   int64_t keep_days, int64_t max_bytes);

/** Bytes in use, without free pages of the file; < 0: an error. */
int64_t st_history_bytes(struct st_history *history);
/** Bytes of the file, with free pages and without its log; < 0: an error. */
int64_t st_history_file_bytes(struct st_history *history);

/** Text for the error r (< 0) of the last call. */
const char *st_history_error(const struct st_history *history, int r);
