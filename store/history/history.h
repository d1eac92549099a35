/* The history of sleeptuned in an SQLite file: a row a minute, sums of hours, a row an event. Writing.
 *
 * The file is in WAL mode with synchronous = FULL: each commit is one fsync of the log, so what
 * st_history_commit said 0 to survives a power cut. (NORMAL syncs at checkpoints only, which at a row a
 * minute are hours apart; a checkpoint a minute would be two fsyncs.) A process that dies leaves the file as
 * the last commit left it.
 */
#ifndef ST_STORE_HISTORY_HISTORY_H
#define ST_STORE_HISTORY_HISTORY_H

#include <stdbool.h>

#include "core/base.h"
#include "store/history/cause_sums.h"
#include "store/history/event.h"

#define ST_HISTORY_MINUTES_DAYS 30 /* minutes are kept so long; their hours longer */
#define ST_HISTORY_DIGITS       2  /* of a minute's histogram; hours have 3 */

/** What a minute was measured under. "" or INT64_MIN: not known. */
struct st_history_circumstances {
    char kernel[96], governor[32], policy[16];
    int64_t priority, cpu /* -1: any */, frames, rate_hz, periods;
    double load_percent;
};

/** A minute, or less for the first and the last. */
struct st_history_minute {
    int64_t from_wall_ns, to_wall_ns; /* a clock that was set may make them disagree with measured_ns */
    int64_t measured_ns;              /* on CLOCK_MONOTONIC */
    uint64_t cycles, misses, skipped_periods, late_wakes;
    uint64_t simulated_xruns, own_xruns;
    int64_t observed_xruns, starved_clients; /* INT64_MIN: nobody watched */
    int64_t lateness_max_ns;                 /* exact; INT64_MIN: no cycle */
    uint8_t *lateness;                       /* st_hist_deflate of ST_HISTORY_DIGITS digits */
    size_t lateness_bytes;
    struct st_history_circumstances circumstances;
    int64_t late_above_ns;       /* from which lateness on a wake-up is late */
    struct st_cause_sum *causes; /* why */
    size_t causes_n;
    uint64_t xruns_unknown_n; /* simulated xruns without a known cause */
};

struct st_history;

/** SQLite's log beside the file: it goes into the file at this size, so that it has this and the rows of one
 * transaction, while no reader holds it up. */
#define ST_HISTORY_LOG_BYTES (1024 * 1024)

/**
 * Whose file is it, by its first bytes? Nothing is changed, locked or made.
 * @param error  a sentence without the path, when it fails.
 * @return 0: a history, whole or damaged, an empty file, no file, or one that cannot be read; -EPROTO: of
 * somebody else; -ELOOP: a symbolic link; -EINVAL: no file. Threads: any.
 */
ST_NODISCARD int st_history_look(const char *path, char *error, size_t error_bytes);

/**
 * Opens a history, makes a new one where there is no file or an empty one, and brings an older one up to
 * date.
 * @param error  a sentence without the path, when it fails.
 * @return 0; -EBADMSG: damaged or no database; -EPROTO: of another program; -EPROTONOSUPPORT: of a newer
 * version; -ELOOP, -EINVAL: it, its log or its lock is a symbolic link or no file; -EBUSY: locked by another
 * program for 2 s; -EROFS: it can only be read; -ENOSPC, -EACCES, -ENOENT, -EIO, -ENOMEM. Threads: any, one a
 * history.
 */
ST_NODISCARD int st_history_open(const char *path, struct st_history **ret, char *error, size_t error_bytes);
void st_history_close(struct st_history *history); /* NULL is fine */

/** Is it still the file at its path? Somebody may have moved or removed it. */
bool st_history_is_at_path(const struct st_history *history);

/**
 * Renames a file, with its log, to PATH.aside-YYYYMMDDTHHMMSSZ; it is never overwritten.
 * @return 0, -EINVAL: no file, or what rename said; what it is called now is in buf.
 */
ST_NODISCARD int st_history_put_aside(const char *path, int64_t now_wall_ns, char *buf, size_t buf_bytes);

/** Rows are added between begin and commit; all of them are there then, or none. Errors as st_history_open;
 * after one st_history_rollback is to be called. */
ST_NODISCARD int st_history_begin(struct st_history *history);
ST_NODISCARD int st_history_add_minute(struct st_history *history, const struct st_history_minute *minute);
ST_NODISCARD int st_history_add_event(struct st_history *history, const struct st_event *event);
ST_NODISCARD int st_history_commit(struct st_history *history);
void st_history_rollback(struct st_history *history);

/**
 * Removes what is too old: minutes after ST_HISTORY_MINUTES_DAYS, all after keep_days, but a day's worth a
 * call at most, since now_wall_ns may be years ahead. Then, while more than max_bytes are in use, the oldest
 * minutes but those of the last day, then the oldest hours, then minutes of the last day but its last hour.
 * Events take at most half of max_bytes; of those, the most frequent kind (name and source) loses its oldest.
 * @return 0 or as above.
 */
ST_NODISCARD int st_history_retain(struct st_history *history, int64_t now_wall_ns, int64_t keep_days,
                                   int64_t max_bytes);

/** Bytes in use, free pages in the file not counted; < 0: an error. */
int64_t st_history_bytes(struct st_history *history);
/** Bytes of the file without its log, free pages counted; < 0: an error. */
int64_t st_history_file_bytes(struct st_history *history);

/** What the error r (< 0) of the last call means, for messages. */
const char *st_history_error(const struct st_history *history, int r);

#endif
