/* Why a client was not ready, from the times of its cycle and from what its thread did in that time. Pure.
 *
 * Each reason is tested by asking whether the client would have been ready without it. Times are
 * CLOCK_MONOTONIC in ns, 0 where they are not known. */
#ifndef ST_DAEMON_OBSERVE_DROPOUT_JUDGE_H
#define ST_DAEMON_OBSERVE_DROPOUT_JUDGE_H

#include "platform/xrun/xrun.h"

struct st_dropout_figures {
    int64_t cycle_ns;        /* the cycle began */
    int64_t signal_ns;       /* its inputs were ready */
    int64_t awake_ns;        /* it woke up; 0: not yet */
    int64_t end_ns;          /* it finished, or was last seen unfinished */
    int64_t deadline_ns;     /* the next cycle began */
    int64_t usual_signal_ns; /* usually its inputs are ready so long after the cycle began */
    bool exited;             /* its process or node has gone */

    /* of the thread that computes, between signal and end; only if measured */
    bool measured, stopped;
    bool taken_by_itself;             /* another thread of its process had the CPU when it waited for one */
    int64_t cpu_ns;                   /* it ran, less than the usual work of the other cycles around */
    uint64_t faults_n;                /* major page faults since half a second before */
    int64_t queue_ns;                 /* it was ready to run, but had no CPU */
    char culprit[ST_XRUN_NAME_BYTES]; /* thread that had it; "" when not known */
};

enum st_dropout_reason st_dropout_judge(const struct st_dropout_figures *figures);

#endif
