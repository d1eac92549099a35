/* Writes a trace in Chrome's format from a copy of PipeWire's last cycles that
 * the daemon made (daemon/history/recorder.h), with the events of that time and, if the daemon
 * traced, the kernel's events. */
#pragma once

#include <jansson.h>

#include "store/history/trace_copy.h"

/** What a trace is made from. */
struct st_trace_file {
    struct st_trace_copy copy;
    const json_t *happened; /* "events" of sleeptune-events/1, also of other times; NULL: none */
};

/** Writes the trace. Called by one thread at a time. @return 0 or -ENOMEM. */
ST_NODISCARD int st_trace_file_write(FILE *out, const struct st_trace_file *file);
