/* The kernel's half of a trace: for each CPU what ran, interrupts and softirqs. */
#pragma once

#include "story/trace_json.h"
#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

/** A client's cycle, CLOCK_MONOTONIC. */
struct st_trace_cycle {
    int64_t from_ns, to_ns;
};

/** Since when nothing is missing up to that time; INT64_MAX: at that time, too. */
int64_t st_trace_cpus_reach_ns(const struct st_trace_event *events, size_t n, int64_t at_ns);

/** Writes what was since the file's beginning. Threads keep their names that are a client's, have real-time
 * priority, are the kernel's for one CPU ("kworker/0:1"), were stopped, or had a CPU at a stretch for a fifth
 * of a missed cycle; the others are "other 1", "other 2", unless `names`. @param events as
 * st_cpu_events_check lets them. @param ring whose threads are the clients'. @return 0 or -ENOMEM. */
ST_NODISCARD int st_trace_cpus_write(const struct st_trace_json *json, const struct st_trace_event *events,
                                     size_t n, const struct st_cycle_ring *ring,
                                     const struct st_trace_cycle *missed, size_t missed_n, bool names);
