/* The history file as its writer needs it: opened when there is something to write, set aside if damaged,
 * left alone if it is another program's, kept within its size. All functions: one thread, which may wait
 * for the disk. */
#pragma once

#include "daemon/causes/events.h"
#include "daemon/config/config.h"
#include "store/history/history.h"

/* Where the history is, and how much of it is kept, by the configuration. */
#define ST_HISTORY_PATH_BYTES 1024
#define ST_HISTORY_WHY_BYTES  256 /* a sentence */

struct st_history_settings {
    char path[ST_HISTORY_PATH_BYTES]; /* "": off */
    char why[ST_HISTORY_WHY_BYTES];   /* why the history is off */
    bool usual;                       /* path is in the state folder */
    bool missing;                     /* off, because there is no state folder */
    int64_t keep_days, max_bytes, traces_bytes;
};

/** Makes the user's state folder if the history is stored there. Threads: any. */
struct st_history_settings st_history_file_settings(const struct st_config *config);

/** A minute or an event that waits to be written. */
struct st_waiting_row {
    struct st_waiting_row *next;
    bool is_event;
    union {
        struct st_event event;
        struct {
            struct st_history_minute minute; /* without lateness: the loop did not run */
            struct st_history_watched watched;
        };
    };
};

/** A queue without a lock, oldest row first. Rows are from malloc; the queue frees them, including what
 * they point to. */
struct st_waiting_rows {
    struct st_waiting_row *rows, **end;
    uint64_t minutes_n, events_n;
    struct st_event_kinds kinds; /* kinds of the events */
};

void st_history_file_rows_init(struct st_waiting_rows *waiting);

void st_history_file_rows_append(struct st_waiting_rows *waiting, struct st_waiting_row *row);

/** Moves all rows of `from` to the end of `to`. */
void st_history_file_rows_move(struct st_waiting_rows *to, struct st_waiting_rows *from);

/** Drops the oldest minute, or the oldest event of the most frequent kind. The queue must have one. */
void st_history_file_rows_drop(struct st_waiting_rows *waiting, bool is_event);
void st_history_file_rows_drop_all(struct st_waiting_rows *waiting);

/** Frees a row that is in no queue. */
void st_history_file_rows_free(struct st_waiting_row *row);

struct st_history_file {
    struct st_platform *platform;
    struct st_events *events;
    struct st_history_settings used;
    struct st_history *history;        /* NULL: not open */
    int lock_fd;                       /* lock of the file at used.path; -1: none */
    int64_t bytes;                     /* bytes in use after the last write; < 0: not known */
    char aside[ST_HISTORY_PATH_BYTES]; /* a file that was set aside; "" */
    uint64_t opened_n;                 /* number of times that a file was opened */
    int64_t retained_ns;    /* last removal of old rows; INT64_MIN: none since the file was opened */
    int64_t retained_bytes; /* bytes in use after that removal */
    int64_t facts_wall_ns;  /* last look for changes of the computer; INT64_MIN: none in this file */
};

/** Sets other settings; does not open another file yet. */
void st_history_file_use(struct st_history_file *file, const struct st_history_settings *settings);

/** Writes all rows, or none; at regular times also removes rows that are too old and notes changes of the
 * computer. @param why "": written. @return 0 or a negative errno value. */
ST_NODISCARD int st_history_file_write(struct st_history_file *file, const struct st_waiting_rows *rows,
                                       const char **why);

void st_history_file_close(struct st_history_file *file);
