/* Recordings: text files with every lateness of a run, in order and exact. docs/recording-format.md
 * describes the format. A file that was cut can be read up to its last whole line. Lines are
 * written once a second, so a crash loses at most a second. */
#pragma once

#include "core/period.h"

#define ST_RECORDING_TEXT_MAX_BYTES 65536
#define ST_RECORDING_UNKNOWN_NS     INT64_MIN

/** Properties of a run that are known before it starts. */
struct st_recording_meta {
    struct st_period period;
    uint32_t frames, rate_hz; /* 0: the period was given in ns */
    bool has_callback;
    int64_t started_wall_ns; /* CLOCK_REALTIME; ST_RECORDING_UNKNOWN_NS: not known */
};

struct st_recording_totals {
    uint64_t cycles, skipped_periods, lost_cycles;
};

/* --- writing: one thread (the drain thread) --- */

struct st_recording;

/** Creates the file `path`. An existing file is overwritten only if it is empty or a recording, and
 * only when the first lines are written: it survives a run in which nothing is counted. @return 0;
 * -EEXIST (another kind of file), -EBUSY (another process is recording into it), -ERANGE (period),
 * -ENOMEM or an error of open and write. */
ST_NODISCARD int st_recording_create(const char *path, const struct st_recording_meta *meta,
                                     struct st_recording **ret);

/* The next functions return 0 or a negative errno value. The first error of the file (-ENOSPC, -EIO
 * ...) is kept: later calls return it again, and the file can be read up to that point. */

/** Adds "key: value" lines to the test conditions, at any time; at most ST_RECORDING_TEXT_MAX_BYTES
 * in total
 * (-E2BIG). */
ST_NODISCARD int st_recording_text(struct st_recording *recording, const char *lines);

/** Sets the time of deadline 0 (CLOCK_MONOTONIC); call when it is known. */
ST_NODISCARD int st_recording_t0(struct st_recording *recording, int64_t t0_ns);

/** Adds one cycle. Period indices must ascend (-EINVAL); a missing index is a gap. @param
 * callback_ns 0 without a callback. */
ST_NODISCARD int st_recording_cycle(struct st_recording *recording, uint64_t period_index,
                                    int64_t lateness_ns, int64_t callback_ns);

/** Adds n skipped periods. @param lateness_ns lateness of the first skipped period; that of each
 * further one is one period less. */
ST_NODISCARD int st_recording_skipped(struct st_recording *recording, uint64_t first_period_index,
                                      uint64_t n, int64_t lateness_ns);

/** Adds n cycles that are missing because the ring was full. */
ST_NODISCARD int st_recording_lost(struct st_recording *recording, uint64_t first_period_index,
                                   uint64_t n);

/** Writes the lines if they cover at least a second. Call after each drain. */
ST_NODISCARD int st_recording_flush(struct st_recording *recording);

/** Writes the remaining lines and the end mark, closes and frees. NULL is allowed. @return the
 * first error of the file. */
int st_recording_close(struct st_recording *recording, bool interrupted);

/* --- reading: one thread --- */

enum st_recording_kind { ST_RECORDING_CYCLE, ST_RECORDING_SKIPPED, ST_RECORDING_LOST };

struct st_recording_event {
    enum st_recording_kind kind;
    uint64_t period_index; /* of the first period */
    uint64_t n;            /* 1 for a cycle */
    int64_t lateness_ns;   /* lateness of the first period; 0 for lost cycles */
    int64_t callback_ns;   /* only of cycles in a run with a callback, else 0 */
};

enum st_recording_end {
    ST_RECORDING_OPEN,        /* the end was not reached yet */
    ST_RECORDING_COMPLETE,    /* end mark: the run took its whole duration */
    ST_RECORDING_INTERRUPTED, /* end mark: the run was ended early */
    ST_RECORDING_CUT, /* no end mark, because the writer was stopped; all whole lines were read */
    ST_RECORDING_DAMAGED, /* an invalid line, after which nothing was read; or the sums of the end
                           * mark differ
                           */
};

/** What has been read of a recording so far. */
struct st_recording_info {
    struct st_recording_meta meta;
    struct st_recording_totals totals; /* of the events returned so far */
    enum st_recording_end end;
    int64_t t0_ns; /* time of deadline 0; ST_RECORDING_UNKNOWN_NS until it is read */
    /* test conditions read so far; "": none. Control characters except newline are replaced by
     * '?' */
    const char *conditions;
};

struct st_recording_reader;

/** Opens a recording. @return 0; -EBADMSG (not a recording, or cut within its first lines),
 * -EPROTONOSUPPORT (another version), -ENOMEM or an error of open. */
ST_NODISCARD int st_recording_open(const char *path, struct st_recording_reader **ret);
/** As st_recording_open, from a stream. The reader closes the stream, also after an error. */
ST_NODISCARD int st_recording_open_stream(FILE *stream, struct st_recording_reader **ret);

/** Reads the next event, in order. @return 1; 0 at the end (st_recording_info says which end);
 * -EIO. */
ST_NODISCARD int st_recording_next(struct st_recording_reader *reader,
                                   struct st_recording_event *ret);
void st_recording_close_reader(struct st_recording_reader *reader); /* NULL is fine */

/** State of the reading so far. Valid until the reader is closed. */
const struct st_recording_info *st_recording_info(const struct st_recording_reader *reader);
