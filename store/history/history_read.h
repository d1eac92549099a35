/* Reads a history as JSON: docs/schema/sleeptune-history-1.json, sleeptune-events-1.json,
 * sleeptune-causes-1.json. */
#pragma once

#include <jansson.h>

#include "core/ns.h"
#include "store/history/history.h"

#define ST_HISTORY_ROWS_MAX 2000 /* most rows of an answer */

struct st_history_reader;

/** Opens a history that another process may be writing, also on a read-only medium. All reads see
 * the state of the first read until the reader is closed, so use one reader for one answer: after
 * all reads, st_history_read_result says whether they succeeded. The file is untrusted: a view, a
 * trigger or a value that is too large is refused, and after 10 s of CPU time of this thread all
 * reads fail with -ETIMEDOUT. @param error after an error, a sentence without the path.
 * @return 0, -ENOENT, -EACCES, -EBADMSG (no database, damaged), -EPROTO (a file of another
 * program), -EPROTONOSUPPORT (a newer version), -EBUSY, -EIO, -ETIMEDOUT, -ENOMEM. Threads: any,
 * one for each reader. */
ST_NODISCARD int st_history_read_open(const char *path, struct st_history_reader **ret,
                                      const char **error);
void st_history_read_close(struct st_history_reader *reader); /* NULL is allowed */

/** Adds what was watched in the current minute, in memory only. Call once. */
void st_history_read_running(struct st_history_reader *reader,
                             const struct st_history_watched *watched);

/** Adds events whose dropouts are still being summed and which are not in the file yet, with ids
 * below 0, in memory only. All answers except the array "changes" include them. Call once. */
void st_history_read_open_events(struct st_history_reader *reader, const struct st_event *events,
                                 size_t n);

/** The first error of all reads so far, as st_history_read_open; 0: none. After an error all reads
 * find nothing. */
ST_NODISCARD int st_history_read_result(const struct st_history_reader *reader);

/** Text for the error r (< 0) of the last call. */
const char *st_history_read_error(const struct st_history_reader *reader, int r);

/** Reads one row for each step, and one without figures for each gap. Where the file has only
 * hours, a row is at least an hour. since_ns is moved back to the start of its step, and until_ns
 * forward to the end of the last row. A row may end up to a minute after its step, so that its
 * measured time fits into it, unless the clock was set back. More than ST_HISTORY_ROWS_MAX rows are
 * the error -E2BIG. @param since_ns, until_ns wall clock, since_ns <= until_ns. @param step_ns
 * length of a row; 0: chosen so that there are at most 25 rows; a step above ten years becomes ten
 * years. @return new reference; NULL: out of memory. */
json_t *st_history_read_steps(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                              int64_t step_ns);

enum st_history_document {
    ST_HISTORY_OF_STEPS,
    ST_HISTORY_OF_EVENTS,
    ST_HISTORY_OF_CAUSES,
    ST_HISTORY_OF_HEARD,
    ST_HISTORY_OF_SIZES
};

/** What is asked for. */
struct st_history_asked {
    int64_t since_ns, until_ns; /* by the wall clock; INT64_MIN, INT64_MAX: no limit */
    int64_t limit;              /* only for events: the most, which are the latest ones; >= 1 */
    const char *kind;           /* only for events: their name; "": all events */
    /* only for st_history_document_text */
    enum st_history_document document;
    int64_t step_ns; /* only for steps */
};

/** Events for st_history_read_next, which has to be called until there is no further one. */
struct sqlite3_stmt;

/** The events, oldest first. @param ret_more older events are left out because of the limit. */
struct sqlite3_stmt *st_history_read_events(struct st_history_reader *reader,
                                            const struct st_history_asked *wish, bool *ret_more);

/** The events of other programs' dropouts in [since, until), sorted by source and client.
 * @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit. */
struct sqlite3_stmt *st_history_read_dropouts(struct st_history_reader *reader, int64_t since_ns,
                                              int64_t until_ns);

/* Longest time from a late wake-up to its event in the file. */
#define ST_HISTORY_LATE_NS (125 * ST_NS_PER_S)

/** The late wake-ups that were under way at some time from from_ns to to_ns (wall clock). */
struct sqlite3_stmt *st_history_read_late(struct st_history_reader *reader, int64_t from_ns,
                                          int64_t to_ns);

/** Reads the next event of a kind that this version knows. @param ret_id never used again; below 0:
 * not in the file yet. @return false: there is none, or an error (st_history_read_result). */
bool st_history_read_next(struct st_history_reader *reader, struct sqlite3_stmt *events,
                          int64_t *ret_id, struct st_event *ret);

/** Finds where the last n events begin. @return time of the event before them; INT64_MIN: there are
 * at most n. */
int64_t st_history_read_last(struct st_history_reader *reader, int64_t n);

/** Finds the time in which all late wake-ups of the timing test are known: its minutes around
 * from_ns to_ns (wall clock), if their late wake-ups are in the file. Otherwise sets nothing: the
 * minute is not in the file yet, or was removed already. */
void st_history_read_loop_seen(struct st_history_reader *reader, int64_t from_ns, int64_t to_ns,
                               int64_t *ret_from_ns, int64_t *ret_to_ns);

/** Reads the document sleeptune-causes/1. @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit.
 * @param sums, span of a minute that is not in the file yet; NULL: none. @return new reference;
 * NULL: out of memory. */
json_t *st_history_read_causes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                               const struct st_cause_sums *sums, const struct st_cause_span *span);

/** Reads the last 64 changes of the computer in the whole file, and whether dropouts changed with
 * them (evidence/since.h): the array "changes" of sleeptune-history/1. @return new reference; NULL:
 * out of memory. */
json_t *st_history_read_changes(struct st_history_reader *reader);

/* Dropouts of one source within this time count as one burst, and statistical bounds use bursts:
 * dropouts often follow each other, so bounds from single dropouts would be too narrow. Events sum
 * dropouts of 10 s, too (ST_OBSERVED_EVENT_EACH_NS). */
#define ST_HISTORY_BURST_S INT64_C(10)

/** How a buffer size of one sound server was used. */
struct st_history_size {
    char source[16];
    int64_t frames, rate_hz; /* both are more than 0 */
    int64_t
        playing_ns; /* time in which something played with this buffer size; precise to a minute */
    int64_t dropouts_n, bursts_n;
};

/** A time in which one buffer size was used. */
struct st_history_run {
    char source[16];
    int64_t from_wall_ns, to_wall_ns; /* precise to a minute */
    int64_t frames, rate_hz;          /* 0: not known */
};

#define ST_HISTORY_SIZES_MAX 64 /* further sizes are left out */
#define ST_HISTORY_RUNS_MAX  500

struct st_history_sizes {
    struct st_history_size sizes[ST_HISTORY_SIZES_MAX];
    size_t n;
    struct st_history_run runs[ST_HISTORY_RUNS_MAX + 1]; /* sorted by time; only the latest ones */
    size_t runs_n; /* more than ST_HISTORY_RUNS_MAX: earlier ones were left out */
};

/** Reads which buffer sizes were used in [since, until) while something played, sorted by source
 * and period.
 * @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit. */
void st_history_read_sizes(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns,
                           struct st_history_sizes *ret);
