/* Why a wake-up was late: counters taken in the slow path, judged against a baseline in the drain thread. */
#pragma once

#include "core/cause_kind.h"
#include "measure/recent.h"
#include "platform/readings.h"

/** A gap between the clocks of at least this is a suspend of the machine; less is noise. */
#define ST_CAUSE_SUSPEND_MIN_NS INT64_C(10000000)

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
    int64_t quota_ns; /* st_pauses' */
    struct st_thread_counters counters;
    int64_t late_ns; /* lateness of all cycles that slept so far */
    struct st_readings readings;
};

/** Facts about this machine; only stretch_ns changes. */
struct st_cause_machine {
    int virtualised;    /* 1, 0, -1 unknown */
    int64_t rt_hole_ns; /* rt_period - rt_runtime; 0: no throttling */
    int64_t
        stretch_ns; /* what the kernel may add to a sleep of one period (FreeBSD); 0: nothing, or not known */
};

/** One late wake-up, explained. */
struct st_cause_event {
    enum st_cause cause; /* the largest part */
    int64_t at_ns;
    int64_t lateness_ns;
    int64_t runq_wait_ns; /* since the baseline, less the usual amount; clipped to the lateness */
    int64_t charged_ns;   /* time of a busy CPU that was charged to the loop instead of counted as a wait */
    int64_t explained_ns; /* of the lateness, by the figures of the cause; INT64_MIN: by exclusion, or its
                             counter has no length */
    uint32_t together_n;  /* late wake-ups that share one look at the counters, by their lateness; 1: alone */
    int cpu;              /* where it woke; -1 unknown */
    char culprit[sizeof(((struct st_readings *)0)->culprit)]; /* the interrupt or program that had its CPU,
                                                                 that of a bus lock; "": not known */
    uint64_t switches_involuntary_n, faults_major_n;
};

/** What the drain thread knows about a record besides its baseline. */
struct st_cause_context {
    uint64_t cycle;                        /* cycles so far, in the baseline's count */
    double usual_wait_ns_per_cycle;        /* run-queue wait of an ordinary cycle */
    double most_cpu_and_wait_ns_per_cycle; /* CPU time and wait of one, at most, of late; < 0: not known */
    int64_t others_late_ns;                /* lateness of the span's other cycles, less the usual amount */
    double most_switches_per_cycle;        /* involuntary ones, at most, of late */
    double most_interrupt_share;           /* of the CPU's time, at most, of late; < 0: not known */
    int64_t named_ns;                      /* of the interrupts' time between the two looks that follow: what
                                              late wake-ups before this one were put down to */
    const struct st_pauses *looked, *pauses; /* at the look before it, and after it */
    const struct st_readings *readings;      /* after it; NULL: none */
    const struct st_recent *usual_readings;  /* [ST_READINGS]: per ns, between two looks of late */
    bool normal_thread;  /* sched_ext may decide about it, and a CPU quota stop it; it is not throttled */
    int64_t together_ns; /* lateness of all wake-ups in the span, this one too; 0: it is alone */
    uint32_t together_n;
};

/** How long the threads that run before the loop ran on one CPU between two looks, and which of them most
 * (NULL: none). A program that began between the looks counts whole. 0: not known. Pure. */
int64_t st_cause_interrupts_ns(const struct st_pauses *from, const struct st_pauses *to, int cpu,
                               const struct st_interrupt **ret_most);

/** How much a reading grew, less the usual growth in that time. usual: per ns; NULL: none. @return INT64_MIN:
 * not known, or of different CPUs. Pure. */
int64_t st_cause_grown(const struct st_readings *from, const struct st_readings *to, enum st_reading reading,
                       const struct st_recent *usual);

/** Was the whole machine slower between two readings? @return heat, power-limit or steal (a twentieth of the
 * time or more); ST_CAUSE_UNKNOWN: not known that it was. Pure. */
enum st_cause st_cause_slowed(const struct st_readings *from, const struct st_readings *to);

/** Puts a callback that took callback_ns, too long by event->lateness_ns, down to the CPU's clock if that
 * explains half of it. Pure. */
void st_cause_judge_work(const struct st_readings *from, const struct st_readings *to, int64_t callback_ns,
                         struct st_cause_event *event);

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
