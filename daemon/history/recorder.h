/* Keeps the last cycles and what was left in buffers (xruns/cycle_ring.h) when something happened, a dropout
 * or a mark of the listener, and what the kernel's trace has of that time (xruns/cpu_events.h). Copies
 * (store/history/trace_copy.h) are in the folder "traces" beside the history, 0600, named
 * WALL_NS-CAUSE.cycles; what does not fit goes, the oldest first, those of marks last. `sleeptune
 * history --trace` makes a trace of one. */
#pragma once

#include "core/ns.h"
#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

#define ST_RECORDER_EACH_NS (10 * ST_NS_PER_S) /* at most one copy for each cause in this time */

/** All 0 at first. */
struct st_recorder {
    char from[256]; /* the file that the helper program writes; "": none */
    bool wanted;    /* a copy is wanted, for the next two members */
    int64_t wall_ns;
    char cause[40];
    struct st_trace_event *events; /* the kernel's events, from malloc; NULL: none */
    size_t events_n;
    struct st_cycle_levels *levels; /* from malloc; NULL: none */
};

/** Notes a dropout or mark. A mark replaces a dropout that waits. @return true: a copy is wanted. Pure. */
bool st_recorder_note(struct st_recorder *recorder, const struct st_event *event);

/** Makes the wanted copy: takes some tenths of a second, in a thread that may wait for the disk. @param
 * history path of the history file. @param max_bytes of all copies; 0: none is kept. @return 0, or a
 * negative errno value; -ENOENT: nothing is known about that time. */
ST_NODISCARD int st_recorder_keep(const struct st_recorder *recorder, const char *history, int64_t max_bytes);

/** Removes copies beyond max_bytes, as after a changed setting; 0: all. */
void st_recorder_trim(const char *history, int64_t max_bytes);
