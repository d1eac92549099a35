/* Stores what happened around a dropout, or around a moment at which the user reported one:
 * PipeWire's last cycles and the levels of buffers (xruns/cycle_ring.h), and the kernel's trace of
 * that time (xruns/cpu_events.h). The copies (store/history/trace_copy.h) are in the folder
 * "traces" beside the history, mode 0600, named WALL_NS-CAUSE.cycles. If they need too much space,
 * the oldest are removed first, but those for a report of the user only after all others.
 * `sleeptune history --trace` shows a copy. */
#pragma once

#include "core/ns.h"
#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

/* shortest time between two copies for the same cause */
#define ST_RECORDER_EACH_NS (10 * ST_NS_PER_S)

/** What the next copy of the last cycles, which is kept with a dropout, will contain. All 0 at
 * first. */
struct st_recorder {
    char from[256]; /* file with the last cycles that PipeWire's helper program writes; "": none */
    bool wanted;    /* a copy will be made, for the dropout at wall_ns with this cause */
    int64_t wall_ns;
    char cause[40];
    struct st_trace_event *events; /* the kernel's events, from malloc; NULL: none were passed */
    size_t events_n;
    struct st_cycle_levels *levels; /* levels of buffers, from malloc; NULL: none were passed */
};

/** Notes a dropout, or a report of the user, for the next copy; a report of the user replaces a
 * dropout.
 * @return true: a copy must be made. Pure. */
bool st_recorder_note(struct st_recorder *recorder, const struct st_event *event);

/** Makes the copy. Takes some tenths of a second; call in a thread that may wait for the disk.
 * @param history path of the history file. @param max_bytes of all copies together; 0: none is
 * stored. @return 0, or a negative errno value; -ENOENT: nothing is known about that time. */
ST_NODISCARD int st_recorder_keep(const struct st_recorder *recorder, const char *history,
                                  int64_t max_bytes);

/** Removes copies beyond max_bytes, for example after a changed setting; 0: removes all. */
void st_recorder_trim(const char *history, int64_t max_bytes);
