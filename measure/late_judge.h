/* Late wake-ups of one loop: each waits for the next look at the loop thread's counters, which shows its
 * cause. */
#pragma once

#include "measure/loop.h"
#include "measure/session.h"

#define ST_LATE_JUDGE_MAX 512

/** A late wake-up whose cause is not judged yet. */
struct st_late_judge_wake {
    int64_t at_ns, lateness_ns;
};

/** Used by the drain thread only. */
struct st_late_judge {
    const struct st_loop *loop;
    const struct st_sink *sink;
    struct st_result *result; /* receives causes and events */
    struct st_cause_machine machine;

    uint64_t seen; /* number of cycles, including warm-up and lost ones */
    struct st_late_judge_wake waiting[ST_LATE_JUDGE_MAX];
    size_t waiting_n;
    bool last_late; /* the previous cycle began late */

    /* Counters of the loop's thread are read now and then. Their growth around a late wake-up is compared
     * with the usual growth: in intervals between two readings without a late wake-up. */
    struct st_cause_baseline base[2]; /* the latest two readings, newest first; at_ns INT64_MIN: none */
    uint64_t causes_since_base;       /* late wake-ups judged since base[0] */
    struct st_recent usual_wait;      /* run-queue wait in ns for each cycle */
    struct st_recent usual_late;      /* lateness in ns for each cycle */
    struct st_recent cpu_and_wait;    /* sum of CPU time and run-queue wait in ns for each cycle */
    struct st_recent switches;        /* involuntary switches for each cycle */
    struct st_recent interrupts;      /* share of the loop's CPU used by threads that run before the loop */
    struct st_recent usual_readings[ST_READINGS]; /* growth of each reading per ns */

    int64_t late_ns;             /* summed lateness of all cycles that slept so far */
    struct st_pauses pauses;     /* at the last drain */
    struct st_pauses looked;     /* at the last look, the start of the next three members */
    int64_t looked_late_ns;      /* late_ns at the last look */
    uint64_t looked_late_n;      /* late wake-ups, including warm-up */
    int64_t named_ns;            /* as in st_cause_context */
    struct st_readings readings; /* at the last drain */
};

/** A counted cycle, as the drain thread saw it. */
struct st_late_judge_cycle {
    int64_t due_ns, lateness_ns;
    int64_t last_done_ns, last_callback_ns; /* of the previous cycle; INT64_MIN: none */
};

void st_late_judge_init(struct st_late_judge *judge, const struct st_loop *loop, const struct st_sink *sink,
                        struct st_result *result, const struct st_cause_machine *machine);

/** Sorts one counted cycle: a late wake-up waits for its cause; a late start without a late wake-up is
 * judged at once. */
void st_late_judge_cycle(struct st_late_judge *judge, const struct st_late_judge_cycle *cycle);

/** The loop looked at its counters: judges the waiting late wake-ups. */
void st_late_judge_record(struct st_late_judge *judge, const struct st_cause_record *record);

/** Reads the loop thread's counters as the baseline of future late wake-ups, and judges the waiting ones.
 * @return true: *ret_base is a baseline; false: the counters are unknown, or no cycle ran since the
 * previous baseline. */
bool st_late_judge_look(struct st_late_judge *judge, struct st_cause_baseline *ret_base);

/** Call after the loop returned: judges the late wake-ups that still wait. */
void st_late_judge_finish(struct st_late_judge *judge);
