/* The history file as its writer uses it: opened when there is something to write, renamed if
 * damaged, not touched if it belongs to another program, kept within its size. All functions: one
 * thread, which may wait for the disk. */
#pragma once

#include "daemon/causes/events.h"
#include "daemon/config/config.h"
#include "store/history/history.h"

/* Settings of the history: where it is, and how much of it is kept. */
#define ST_HISTORY_PATH_BYTES 1024
#define ST_HISTORY_WHY_BYTES  256 /* bytes of a sentence that says what is wrong */

struct st_history_settings {
    char path[ST_HISTORY_PATH_BYTES]; /* path of the file; "": no history */
    char why[ST_HISTORY_WHY_BYTES];   /* why the history is off */
    bool usual;                       /* path is that in the state folder, not history.path */
    bool missing; /* there is no history, because no state folder can be written to */
    int64_t keep_days, max_bytes, traces_bytes;
};

/** The settings of the history by the configuration. Makes the user's state folder if the history
 * belongs there. Threads: any. */
struct st_history_settings st_history_file_settings(const struct st_config *config);

/** A minute or an event that waits to be written. */
struct st_waiting_row {
    struct st_waiting_row *next;
    bool is_event;
    union {
        struct st_event event;
        struct {
            struct st_history_minute
                minute; /* minute.lateness NULL: the loop did not run in this minute */
            struct st_history_watched watched;
        };
    };
};

/** Rows that wait to be written: a queue without a lock, oldest row first. Rows are from malloc;
 * the queue frees them with all that they point to. */
struct st_waiting_rows {
    struct st_waiting_row *rows, **end;
    uint64_t minutes_n, events_n;
    struct st_event_kinds kinds; /* number of waiting events of each kind */
};

void st_history_file_rows_init(struct st_waiting_rows *waiting);

void st_history_file_rows_append(struct st_waiting_rows *waiting, struct st_waiting_row *row);

/** Moves all rows of `from` to the end of `to`; `from` is empty then. */
void st_history_file_rows_move(struct st_waiting_rows *to, struct st_waiting_rows *from);

/** Drops the oldest minute or, with is_event, the oldest event of the most frequent kind. The queue
 * must have such a row. */
void st_history_file_rows_drop(struct st_waiting_rows *waiting, bool is_event);
void st_history_file_rows_drop_all(struct st_waiting_rows *waiting);

/** Frees a row that is not in a queue. */
void st_history_file_rows_free(struct st_waiting_row *row);

struct st_history_file {
    struct st_platform *platform;
    struct st_events *events;
    struct st_history_settings used;
    struct st_history *history; /* NULL: not open */
    int lock_fd; /* descriptor that holds the lock of the file at used.path; -1: none */
    /* bytes of the file that were in use after the last write; < 0: not known */
    int64_t bytes;
    char aside[ST_HISTORY_PATH_BYTES]; /* path to which a damaged file was renamed; "": none was */
    uint64_t opened_n;                 /* number of times that a file was opened */
    /* when old rows were last removed, CLOCK_MONOTONIC; INT64_MIN: not since the file was opened */
    int64_t retained_ns;
    int64_t retained_bytes; /* bytes in use after old rows were last removed */
    /* when the state of the computer was last compared, wall clock; INT64_MIN: not yet in this
     * file */
    int64_t facts_wall_ns;
};

/** Applies other settings. Closes the file if its path changes; the next write opens the other
 * one. */
void st_history_file_use(struct st_history_file *file, const struct st_history_settings *settings);

/** Writes all rows, or none; once an hour also removes rows that are too old, and once a day stores
 * what changed on the computer. @param why set to "", or to a sentence why the rows were not
 * written. @return 0 or a negative errno value. */
ST_NODISCARD int st_history_file_write(struct st_history_file *file,
                                       const struct st_waiting_rows *rows, const char **why);

void st_history_file_close(struct st_history_file *file);
