/* What the CPUs did, from the kernel's trace: scheduler and interrupt events. */
#pragma once

#include "core/base.h"

#define ST_CPU_EVENTS_MAX  65536 /* that are kept: seconds of a busy machine */
#define ST_CPU_EVENTS_CPUS 1024

#define ST_TRACE_NAME_BYTES 16 /* of a thread, as the kernel's comm */

enum st_trace_kind {
    ST_TRACE_SWITCH, /* prev leaves the CPU, next gets it */
    ST_TRACE_WAKING, /* pid gets a wake-up */
    ST_TRACE_IRQ_ENTRY,
    ST_TRACE_IRQ_EXIT,
    ST_TRACE_SOFTIRQ_ENTRY,
    ST_TRACE_SOFTIRQ_EXIT,
    ST_TRACE_LOST, /* events of this CPU are missing before it, back to its event before, or all of them */
    ST_TRACE_KINDS
};

struct st_trace_event {
    int64_t at_ns; /* CLOCK_MONOTONIC */
    int cpu;
    enum st_trace_kind kind;
    int pid;                        /* switch: next; waking: who is woken */
    int prev_pid;                   /* switch */
    int number;                     /* interrupt, softirq */
    char name[ST_TRACE_NAME_BYTES]; /* switch: next's; interrupt entry: its handler's */
    char prev_name[ST_TRACE_NAME_BYTES];
};

/** "ffmpeg/4711", "irq/27-hda", "softirq/NET_RX"; safe to print. @param number  of the thread, interrupt or
 * softirq. */
void st_cpu_events_name(enum st_trace_kind kind, int number, const char *name, char *buf, size_t buf_bytes);

/** Are they possible? Ends their names. Pure. */
bool st_cpu_events_check(struct st_trace_event *events, size_t n);
