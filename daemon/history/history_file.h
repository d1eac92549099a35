/* The file of the history as its writer needs it: opened when there is something to write, put aside if it is
 * damaged, left alone if it is not ours, kept within its size. All functions: one thread, which may wait for
 * the disk. */
#pragma once

#include "daemon/causes/events.h"
#include "daemon/history/history_settings.h"
#include "daemon/history/waiting_rows.h"
#include "platform/platform.h"

struct st_history_file {
    struct st_platform *platform;
    struct st_events *events;
    struct st_history_settings used;
    struct st_history *history;        /* NULL: not open */
    int lock_fd;                       /* of the file at used.path; -1: none */
    int64_t bytes;                     /* in use after the last write; < 0: not known */
    char aside[ST_HISTORY_PATH_BYTES]; /* a file that was put aside; "" */
    uint64_t opened_n;                 /* how often a file was opened */
    int64_t retained_ns;               /* INT64_MIN: not since it was opened */
    int64_t retained_bytes;            /* in use after that */
    int64_t facts_wall_ns;             /* when it was looked what changed; INT64_MIN: not in this file */
};

/** Other settings: another file is not opened yet. */
void st_history_file_use(struct st_history_file *file, const struct st_history_settings *settings);

/** Writes all of it, or nothing; when it is time, what is too old goes, and what changed on the computer is
 * noted. @param why  on error only. @return 0 or a negative errno value. */
ST_NODISCARD int st_history_file_write(struct st_history_file *file, const struct st_waiting_rows *rows,
                                       char why[ST_HISTORY_WHY_BYTES]);

void st_history_file_close(struct st_history_file *file);
