/* Finds the causes of a loop's late wake-ups. A late wake-up waits in a list until the counters of
 * the loop's thread are read next. */
#pragma once

#include "measure/loop.h"
#include "measure/session.h"

#define ST_LATE_JUDGE_MAX 512

/** A late wake-up whose cause is not judged yet. */
struct st_late_judge_wake {
    int64_t at_ns, lateness_ns;
};

/** The state of the judge. Threads: drain. */
struct st_late_judge {
    const struct st_loop *loop;
    const struct st_sink *sink;
    struct st_result *result; /* the result to which causes are added */
    struct st_cause_machine machine;

    uint64_t seen; /* number of cycles so far, including warm-up and lost ones */
    struct st_late_judge_wake waiting[ST_LATE_JUDGE_MAX];
    size_t waiting_n;
    bool last_late; /* the previous cycle began late */

    /* Counters of the loop's thread are read now and then. Their growth around a late wake-up is
     * compared with the usual growth, which is that between two readings without a late wake-up. */
    /* the latest two readings of the counters, newest first; at_ns INT64_MIN: none */
    struct st_cause_baseline base[2];
    uint64_t causes_since_base;    /* late wake-ups judged since base[0] */
    struct st_recent usual_wait;   /* usual run-queue wait of a cycle (ns) */
    struct st_recent usual_late;   /* usual lateness of a cycle (ns) */
    struct st_recent cpu_and_wait; /* usual sum of CPU time and run-queue wait of a cycle (ns) */
    struct st_recent switches;     /* usual involuntary switches in a cycle */
    /* usual share of the loop's CPU that threads which run before the loop have */
    struct st_recent interrupts;
    struct st_recent usual_readings[ST_READINGS]; /* by how much each figure of `readings` usually
                                                     grows in 1 ns */

    int64_t late_ns;         /* summed lateness of all cycles so far that slept */
    struct st_pauses pauses; /* pauses of the machine at the last drain */
    /* pauses of the machine when the counters were last read, for comparison with `pauses` */
    struct st_pauses looked;
    int64_t looked_late_ns; /* late_ns when the counters were last read */
    uint64_t looked_late_n; /* late wake-ups since the counters were last read, including those in
                               warm-up */
    /* interrupt time that already explains late wake-ups since `looked`
     * (st_cause_context.named_ns) */
    int64_t named_ns;
    struct st_readings readings; /* readings of the machine at the last drain */
};

/** A counted cycle, as the drain thread saw it. */
struct st_late_judge_cycle {
    int64_t due_ns, lateness_ns;
    /* end and callback time of the previous cycle; INT64_MIN: there was none */
    int64_t last_done_ns, last_callback_ns;
};

void st_late_judge_init(struct st_late_judge *judge, const struct st_loop *loop,
                        const struct st_sink *sink, struct st_result *result,
                        const struct st_cause_machine *machine);

/** Takes one counted cycle. A late wake-up waits for its cause; a cycle that began late because the
 * callback before it took too long is judged at once. */
void st_late_judge_cycle(struct st_late_judge *judge, const struct st_late_judge_cycle *cycle);

/** Judges the waiting late wake-ups by a record of the counters that the loop has read. */
void st_late_judge_record(struct st_late_judge *judge, const struct st_cause_record *record);

/** Reads the counters of the loop's thread, judges the waiting late wake-ups, and keeps the reading
 * as a baseline. @return true: *ret_base is the baseline; false: the counters could not be read, or
 * no cycle ran since the previous baseline. */
bool st_late_judge_look(struct st_late_judge *judge, struct st_cause_baseline *ret_base);

/** Judges the late wake-ups that still wait. Call after the loop has returned. */
void st_late_judge_finish(struct st_late_judge *judge);
