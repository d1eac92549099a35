/* The kernel's half of a trace: for each CPU what ran, interrupts and softirqs; for each client's thread, and
 * each one that was stopped, what it did. */
#pragma once

#include "story/trace_items.h"
#include "xruns/cpu_events.h"
#include "xruns/cycle_ring.h"

/** A client's cycle, CLOCK_MONOTONIC. */
struct st_trace_cycle {
    int64_t from_ns, to_ns;
};

struct st_trace_cpus;

/** @param events  as st_cpu_events_check lets them; must stay. @param ring  whose threads are the clients'.
 * @return NULL: no memory. */
struct st_trace_cpus *st_trace_cpus_new(const struct st_trace_event *events, size_t n,
                                        const struct st_cycle_ring *ring);

/** Since when nothing is missing up to that time; INT64_MAX: at that time, too. */
int64_t st_trace_cpus_reach_ns(const struct st_trace_cpus *cpus, int64_t at_ns);

/** Adds what was from from_ns on. Threads keep their names that are a client's, have real-time priority, are
 * the kernel's for one CPU ("kworker/0:1"), were stopped, or had a CPU at a stretch for a fifth of a missed
 * cycle; the others are "other 1", "other 2", unless `names`. */
void st_trace_cpus_add(struct st_trace_cpus *cpus, struct st_trace_items *items, int64_t from_ns,
                       const struct st_trace_cycle *missed, size_t missed_n, bool names);

/** After st_trace_cpus_add. */
void st_trace_cpus_tracks(const struct st_trace_cpus *cpus, FILE *out);

/** After the items were written. NULL is fine. */
void st_trace_cpus_free(struct st_trace_cpus *cpus);
