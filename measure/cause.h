/* Finds why a wake-up was late. The loop reads counters, such as CPU time and page faults, after a
 * late wake-up; they are compared with those that another thread of the session, the drain thread,
 * read before it: the baseline. */
#pragma once

#include "core/cause_kind.h"
#include "measure/recent.h"
#include "platform/readings.h"

/** If the suspended time of the clocks grows by more than this, the machine was suspended; less is
 * noise. */
#define ST_CAUSE_SUSPEND_MIN_NS INT64_C(10000000)

/** What the loop writes into the ring after a late wake-up. Its counters are totals since the
 * thread began. */
struct st_cause_record {
    int64_t at_ns; /* when the loop woke (CLOCK_MONOTONIC) */
    int64_t lateness_ns;
    struct st_thread_counters counters;
};

/** What was read at a moment before a late wake-up, for comparison with what is read after it. */
struct st_cause_baseline {
    int64_t at_ns;
    uint64_t cycle;
    int64_t quota_ns; /* quota_ns of st_pauses */
    struct st_thread_counters counters;
    int64_t late_ns; /* sum of the lateness of all cycles so far that slept */
    struct st_readings readings;
};

/** Properties of this machine; only stretch_ns changes during a run. */
struct st_cause_machine {
    int virtualised; /* 1: in a virtual machine; 0: not; -1: unknown */
    /* rt_period - rt_runtime: time for which the kernel throttles real-time threads; 0: no
     * throttling */
    int64_t rt_hole_ns;
    /* FreeBSD: longest time (ns) that the kernel may add to a sleep of one period; 0: none, not
     * known, or another system */
    int64_t stretch_ns;
};

/** A late wake-up with its cause. */
struct st_cause_event {
    enum st_cause cause; /* causes are tried from the surest on: this is the first one that explains
                            half of the lateness, or the one that remains */
    int64_t at_ns;
    int64_t lateness_ns;
    int64_t runq_wait_ns; /* time that the thread waited for a CPU since the baseline, minus the
                             usual wait; at most the lateness */
    /* time in which the CPU did something else, but which the kernel charged to the loop as its CPU
     * time instead of as a wait */
    int64_t charged_ns;
    /* part of the lateness that the cause's figures explain; INT64_MIN: the cause was found by
     * exclusion, or its counter has no duration */
    int64_t explained_ns;
    /* late wake-ups since the baseline that share one reading of the counters; the growth is
     * divided among them by their lateness; 1: this one alone */
    uint32_t together_n;
    int cpu; /* CPU of the wake-up; -1: unknown */
    /* the interrupt or program that had the CPU, or that made a bus lock; "": not known */
    char culprit[sizeof(((struct st_readings *)0)->culprit)];
    uint64_t switches_involuntary_n, faults_major_n;
};

/** What the drain thread knows about a late wake-up, besides the baseline. */
struct st_cause_context {
    uint64_t cycle;                 /* cycles so far, including warm-up, as in st_cause_baseline */
    double usual_wait_ns_per_cycle; /* run-queue wait of a usual cycle */
    /* largest sum of CPU time and run-queue wait of a cycle in recent intervals; < 0: not known */
    double most_cpu_and_wait_ns_per_cycle;
    int64_t others_late_ns; /* lateness of the other cycles since the baseline, minus the usual
                               amount */
    double most_switches_per_cycle; /* most involuntary switches of a cycle in recent intervals */
    /* largest share of the CPU that threads running before the loop had in recent intervals; < 0:
     * not known
     */
    double most_interrupt_share;
    /* part of the interrupt time between `looked` and `pauses` that already explained earlier late
     * wake-ups, so that no part is used twice */
    int64_t named_ns;
    const struct st_pauses *looked, *pauses; /* readings before and after the wake-up */
    const struct st_readings *readings; /* reading of the machine after the wake-up; NULL: none */
    /* usual growth of each reading per ns, from recent intervals: an array of ST_READINGS */
    const struct st_recent *usual_readings;
    /* the loop is a normal thread: sched_ext may schedule it and a CPU quota may stop it, but
     * real-time throttling does not apply */
    bool normal_thread;
    /* summed lateness of all late wake-ups since the baseline, including this one; 0: it is the
     * only one */
    int64_t together_ns;
    uint32_t together_n;
};

/** Adds up the CPU time that threads which run before the loop (interrupt threads, real-time
 * threads of other programs) had on one CPU between two readings. A program that began in between
 * counts with all of its CPU time. @param ret_most the thread with the most CPU time; NULL: none.
 * @return ns; 0: none, or not known. Pure. */
int64_t st_cause_interrupts_ns(const struct st_pauses *from, const struct st_pauses *to, int cpu,
                               const struct st_interrupt **ret_most);

/** Growth of a reading, minus its usual growth in that time. @param usual growth per ns; NULL:
 * none. @return INT64_MIN: not known, or the readings are of different CPUs. Pure. */
int64_t st_cause_grown(const struct st_readings *from, const struct st_readings *to,
                       enum st_reading reading, const struct st_recent *usual);

/** Was the whole machine slower between two readings? @return the cause heat, power-limit or steal
 * (at least 5 % of the time); ST_CAUSE_UNKNOWN: no, or not known. Pure. */
enum st_cause st_cause_slowed(const struct st_readings *from, const struct st_readings *to);

/** Judges a callback that ended too late. Sets the cause to the CPU's clock if the low clock
 * explains at least half of event->lateness_ns; otherwise changes nothing. @param callback_ns how
 * long the callback took. Pure. */
void st_cause_judge_work(const struct st_readings *from, const struct st_readings *to,
                         int64_t callback_ns, struct st_cause_event *event);

/** Finds the cause of a late wake-up. @param base NULL: no counters, so the cause is unknown.
 * Pure. */
struct st_cause_event st_cause_judge(const struct st_cause_record *record,
                                     const struct st_cause_baseline *base,
                                     const struct st_cause_context *context,
                                     const struct st_cause_machine *machine);

/** The late wake-ups with one cause. */
struct st_cause_row {
    uint64_t n;
    int64_t total_ns;
    int64_t max_ns;
    /* part of total_ns that a counter of the kernel explains; 0 for a cause that was found by
     * exclusion */
    int64_t explained_ns;
};
