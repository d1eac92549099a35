/* Late wake-ups of one loop: they wait for the next look at the loop thread's counters, which shows the
 * cause. */
#pragma once

#include "measure/cause.h"
#include "measure/loop.h"
#include "measure/recent.h"
#include "measure/result.h"
#include "measure/session.h"

#define ST_LATE_JUDGE_MAX 512

/** A late wake-up whose cause is not judged yet. */
struct st_late_judge_wake {
    int64_t at_ns, lateness_ns;
};

/** All of the drain thread. */
struct st_late_judge {
    const struct st_loop *loop;
    const struct st_sink *sink;
    struct st_result *result; /* causes and events are added to it */
    struct st_cause_machine machine;

    uint64_t seen; /* cycles, warm-up and lost ones included */
    struct st_late_judge_wake waiting[ST_LATE_JUDGE_MAX];
    size_t waiting_n;
    bool last_late; /* the cycle before began late */

    /* Counters of the loop's thread are read now and then. What they grew by around a late wake-up is
     * compared with what is usual: with intervals between two readings in which no wake-up was late. */
    struct st_cause_baseline base[2]; /* the latest two readings, newest first; at_ns INT64_MIN: none */
    uint64_t causes_since_base;       /* late wake-ups that were judged since base[0] */
    struct st_recent usual_wait;      /* run-queue wait, ns a cycle */
    struct st_recent usual_late;      /* lateness, ns a cycle */
    struct st_recent cpu_and_wait;    /* CPU time and run-queue wait together, ns a cycle */
    struct st_recent switches;        /* involuntary switches a cycle */
    struct st_recent interrupts;      /* share of the loop's CPU that threads before it had */
    struct st_recent usual_readings[ST_READINGS]; /* growth of each reading per ns */

    int64_t late_ns;             /* sum of the lateness of all cycles that slept, so far */
    struct st_pauses pauses;     /* at the last drain */
    struct st_pauses looked;     /* at the last look, which what follows is since */
    int64_t looked_late_ns;      /* late_ns then */
    uint64_t looked_late_n;      /* late wake-ups, those of the warm-up too */
    int64_t named_ns;            /* st_cause_context's */
    struct st_readings readings; /* at the last drain */
};

/** A counted cycle, as the drain thread saw it. */
struct st_late_judge_cycle {
    int64_t due_ns, lateness_ns;
    int64_t last_done_ns, last_callback_ns; /* of the cycle before; INT64_MIN: there was none */
};

void st_late_judge_init(struct st_late_judge *judge, const struct st_loop *loop, const struct st_sink *sink,
                        struct st_result *result, const struct st_cause_machine *machine);

/** Sorts out one counted cycle: a late wake-up waits for its cause, a late start without one is judged at
 * once. */
void st_late_judge_cycle(struct st_late_judge *judge, const struct st_late_judge_cycle *cycle);

/** The loop looked at its counters: judges the late wake-ups that wait. */
void st_late_judge_record(struct st_late_judge *judge, const struct st_cause_record *record);

/** Reads the loop thread's counters as the baseline of late wake-ups to come, and judges those that wait.
 * @return whether *ret_base is such a baseline: false if the counters are unknown or no cycle ran since the
 * one before. */
bool st_late_judge_look(struct st_late_judge *judge, struct st_cause_baseline *ret_base);

/** After the loop returned: judges those that still wait. */
void st_late_judge_finish(struct st_late_judge *judge);
