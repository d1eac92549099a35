/* Why a wake-up was late: counters taken in the slow path, judged against a baseline in the drain thread. */
#ifndef ST_MEASURE_CAUSE_H
#define ST_MEASURE_CAUSE_H

#include "platform/platform.h"

enum st_cause {
    ST_CAUSE_RUN_QUEUE,     /* runnable, another thread had the CPU */
    ST_CAUSE_RT_THROTTLING, /* ~ (rt_period - rt_runtime) of run-queue wait: the kernel's safety net */
    ST_CAUSE_CPU_QUOTA,     /* the CPU quota of its cgroup was used up */
    ST_CAUSE_STOPPED,       /* SIGSTOP or the like, ended by SIGCONT */
    ST_CAUSE_PAGE_FAULT,    /* major faults in the span */
    ST_CAUSE_OWN_WORK,      /* the callback itself took longer than its period */
    ST_CAUSE_SUSPEND,       /* the machine slept */
    ST_CAUSE_TIMER,         /* bare metal: timer, interrupt or idle exit */
    ST_CAUSE_HYPERVISOR_OR_INTERRUPT, /* guest that cannot tell them apart (or the process was stopped) */
    ST_CAUSE_UNKNOWN,                 /* the wait for a CPU is not known */
    ST_CAUSE_COUNT
};

/** Stable name ("run-queue", "rt-throttling" ...) and the sentence for people. */
const char *st_cause_name(enum st_cause cause);
const char *st_cause_text(enum st_cause cause);

/** true: said because nothing that is counted explains it, so no figure says how much of the lateness it was.
 */
bool st_cause_by_exclusion(enum st_cause cause);

/** What the loop's slow path puts into the ring. Counters are absolute. */
struct st_cause_record {
    int64_t at_ns; /* CLOCK_MONOTONIC */
    int64_t lateness_ns;
    struct st_thread_counters counters;
};

/** Counters at some moment. */
struct st_cause_baseline {
    int64_t at_ns;
    uint64_t cycle;
    int64_t suspended_ns; /* INT64_MIN: not known */
    struct st_pauses pauses;
    struct st_thread_counters counters;
};

/** What is always true of this machine. */
struct st_cause_machine {
    int virtualised;    /* 1, 0, -1 unknown */
    int64_t rt_hole_ns; /* rt_period - rt_runtime; 0: no throttling */
};

/** One late wake-up, explained. */
struct st_cause_event {
    enum st_cause cause; /* the largest part */
    int64_t at_ns;
    int64_t lateness_ns;
    int64_t span_ns;      /* from the baseline to the record */
    int64_t runq_wait_ns; /* in the span, less the usual amount; clipped to the lateness */
    int64_t rest_ns;      /* lateness - runq_wait */
    int64_t explained_ns; /* of the lateness, by the figure of the cause; INT64_MIN: said by exclusion */
    uint32_t together_n;  /* late wake-ups that share one look at the counters, by their lateness; 1: alone */
    int cpu;              /* where it woke; -1 unknown */
    uint64_t switches_involuntary_n, faults_minor_n, faults_major_n;
    bool migrated;
};

/** What the drain thread knows about a record besides its baseline. */
struct st_cause_context {
    uint64_t cycle;                 /* cycles so far, in the baseline's count */
    double usual_wait_ns_per_cycle; /* run-queue wait of an ordinary cycle */
    int64_t suspended_ns;           /* INT64_MIN: not known */
    struct st_pauses pauses;
    bool quota_holds;    /* it is no real-time thread: a CPU quota stops it */
    int64_t together_ns; /* lateness of all wake-ups in the span, this one too; 0: it is alone */
    uint32_t together_n;
};

/** Explains a record. base may be NULL (no counters: unknown). Pure. */
struct st_cause_event st_cause_judge(const struct st_cause_record *record,
                                     const struct st_cause_baseline *base,
                                     const struct st_cause_context *context,
                                     const struct st_cause_machine *machine);

/** Sums by cause: what kept it from running. */
struct st_cause_row {
    uint64_t n;
    int64_t total_ns;
    int64_t max_ns;
    int64_t explained_ns; /* of total_ns, by figures; 0 for a cause by exclusion */
};

#endif
