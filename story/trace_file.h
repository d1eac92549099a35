/* A trace in Chrome's format (story/trace_json.h) of the last cycles that the daemon kept
 * (daemon/history/recorder.h), with the events of that time and, where the daemon traced, what the kernel
 * did. */
#pragma once

#include <jansson.h>

#include "store/history/trace_copy.h"

/** What was kept. */
struct st_trace_file {
    struct st_trace_copy copy;
    const json_t *happened; /* "events" of sleeptune-events/1; NULL: none */
    /* of what was written */
    size_t cycles_n, missed_n; /* cycles of clients, and those that missed a deadline */
    int64_t dropouts_n;        /* that were recorded in this time */
    int64_t reach_ns; /* the kernel's half begins so long before the event; INT64_MIN: there is none */
};

/** One thread at a time. @return 0 or -ENOMEM. */
ST_NODISCARD int st_trace_file_write(FILE *out, struct st_trace_file *file);
