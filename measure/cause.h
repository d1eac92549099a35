/* Why a wake-up was late: counters read in the loop's slow path, judged against a baseline in the drain
 * thread. */
#pragma once

#include "core/cause_kind.h"
#include "measure/recent.h"
#include "platform/readings.h"

/** A smaller gap between the clocks is noise; a gap of at least this is a suspend of the machine. */
#define ST_CAUSE_SUSPEND_MIN_NS INT64_C(10000000)

/** What the loop's slow path writes into the ring. Counters are absolute. */
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
    int64_t late_ns; /* summed lateness of all cycles that slept so far */
    struct st_readings readings;
};

/** Facts about this machine; only stretch_ns changes. */
struct st_cause_machine {
    int virtualised;    /* 1, 0, -1 unknown */
    int64_t rt_hole_ns; /* rt_period - rt_runtime: time in which real-time threads are throttled; 0: no
                           throttling */
    int64_t stretch_ns; /* most that the kernel may add to a sleep of one period (FreeBSD); 0: nothing, or not
                           known */
};

/** One late wake-up, explained. */
struct st_cause_event {
    enum st_cause cause; /* the cause of the largest part */
    int64_t at_ns;
    int64_t lateness_ns;
    int64_t runq_wait_ns; /* since the baseline, minus the usual amount; at most the lateness */
    int64_t charged_ns;   /* time of a busy CPU that was charged to the loop as CPU time instead of a wait */
    int64_t explained_ns; /* part of the lateness that the figures of the cause explain; INT64_MIN: cause by
                             exclusion, or its counter has no duration */
    uint32_t together_n;  /* late wake-ups that share one look at the counters; the figures are divided by
                             their lateness; 1: alone */
    int cpu;              /* CPU of the wake-up; -1: unknown */
    char culprit[sizeof(((struct st_readings *)0)->culprit)]; /* the interrupt or program that had the CPU, or
                                                                 made a bus lock; "": not known */
    uint64_t switches_involuntary_n, faults_major_n;
};

/** What the drain thread knows about a record besides its baseline. */
struct st_cause_context {
    uint64_t cycle;                        /* cycles so far, in the baseline's count */
    double usual_wait_ns_per_cycle;        /* run-queue wait of an ordinary cycle */
    double most_cpu_and_wait_ns_per_cycle; /* largest recent sum of CPU time and wait of a cycle; < 0: not
                                              known */
    int64_t others_late_ns; /* lateness of the other cycles in the same interval, minus the usual amount */
    double most_switches_per_cycle; /* largest recent number of involuntary switches */
    double most_interrupt_share;    /* largest recent share of the CPU; < 0: not known */
    int64_t named_ns; /* interrupt time between `looked` and `pauses` that earlier late wake-ups were already
                         put down to */
    const struct st_pauses *looked, *pauses; /* at the previous look, and at the next one */
    const struct st_readings *readings;      /* at the next look; NULL: none */
    const struct st_recent *usual_readings;  /* [ST_READINGS]: usual growth per ns between two recent looks */
    bool normal_thread; /* a normal thread: sched_ext may schedule it and a CPU quota stop it, but real-time
                           throttling does not apply */
    int64_t
        together_ns; /* summed lateness of all wake-ups in the interval, including this one; 0: it is alone */
    uint32_t together_n;
};

/** CPU time, on one CPU between two looks, of the threads that run before the loop, and the thread with
 * the most (NULL: none). A program that began between the looks counts with all of its CPU time. 0: not
 * known. Pure. */
int64_t st_cause_interrupts_ns(const struct st_pauses *from, const struct st_pauses *to, int cpu,
                               const struct st_interrupt **ret_most);

/** Growth of a reading, minus the usual growth in that time. @param usual per ns; NULL: none. @return
 * INT64_MIN: not known, or readings of different CPUs. Pure. */
int64_t st_cause_grown(const struct st_readings *from, const struct st_readings *to, enum st_reading reading,
                       const struct st_recent *usual);

/** Was the whole machine slower between two readings? @return heat, power-limit or steal (at least 5 % of
 * the time); ST_CAUSE_UNKNOWN: no, or not known. Pure. */
enum st_cause st_cause_slowed(const struct st_readings *from, const struct st_readings *to);

/** For a callback that took callback_ns and was late by event->lateness_ns: sets the cause to the CPU's
 * clock if that explains half of the lateness. Pure. */
void st_cause_judge_work(const struct st_readings *from, const struct st_readings *to, int64_t callback_ns,
                         struct st_cause_event *event);

/** Explains a record. @param base NULL: no counters, cause unknown. Pure. */
struct st_cause_event st_cause_judge(const struct st_cause_record *record,
                                     const struct st_cause_baseline *base,
                                     const struct st_cause_context *context,
                                     const struct st_cause_machine *machine);

/** Sums for one cause. */
struct st_cause_row {
    uint64_t n;
    int64_t total_ns;
    int64_t max_ns;
    int64_t explained_ns; /* part of total_ns that figures explain; 0 for a cause by exclusion */
};
