/* Scheduler and interrupt events of the CPUs, from the kernel's trace. */
#pragma once

#include "core/base.h"

#define ST_CPU_EVENTS_MAX  65536 /* most events kept: seconds of a busy machine */
#define ST_CPU_EVENTS_CPUS 1024

#define ST_TRACE_NAME_BYTES 16 /* size of a thread's name, as the kernel's comm */

enum st_trace_kind {
    ST_TRACE_SWITCH, /* prev leaves the CPU, next gets it */
    ST_TRACE_WAKING, /* pid gets a wake-up */
    ST_TRACE_IRQ_ENTRY,
    ST_TRACE_IRQ_EXIT,
    ST_TRACE_SOFTIRQ_ENTRY,
    ST_TRACE_SOFTIRQ_EXIT,
    ST_TRACE_LOST, /* events of this CPU are missing between its previous event (or the beginning)
                      and this one */
    ST_TRACE_KINDS
};

struct st_trace_event {
    int64_t at_ns; /* CLOCK_MONOTONIC */
    int cpu;
    enum st_trace_kind kind;
    int pid;                        /* switch: the next thread; waking: the woken thread */
    int prev_pid;                   /* switch: the previous thread */
    int number;                     /* number of the interrupt or softirq */
    char name[ST_TRACE_NAME_BYTES]; /* switch: the next thread; interrupt entry: the handler */
    char prev_name[ST_TRACE_NAME_BYTES];
};

/** "ffmpeg/4711", "irq/27-hda", "softirq/NET_RX"; safe to print. @param number of the thread,
 * interrupt or softirq. */
void st_cpu_events_name(enum st_trace_kind kind, int number, const char *name, char *buf,
                        size_t buf_bytes);

/** Are the events plausible? Terminates their names. Pure. */
bool st_cpu_events_check(struct st_trace_event *events, size_t n);
