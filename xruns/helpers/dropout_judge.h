/* Why a client was not ready, from the times of its cycle and from what its thread did in that time. Pure.
 *
 * Each reason is tested by asking whether the client would have been ready without it. What a client
 * computes is CPU time, of its thread or, while that waits, of others of its process. Times are
 * CLOCK_MONOTONIC in ns, 0 where they are not known. */
#pragma once

#include "xruns/xrun.h"

#define ST_DROPOUT_SERVER (UINT32_MAX - 1) /* the server's own process, in the place of a client */

struct st_dropout_figures {
    int64_t cycle_ns;        /* the cycle began */
    int64_t signal_ns;       /* its inputs were ready */
    int64_t awake_ns;        /* it woke up; 0: not yet */
    int64_t end_ns;          /* it finished, or was last seen unfinished */
    int64_t deadline_ns;     /* the next cycle began */
    int64_t usual_signal_ns; /* usually its inputs are ready so long after the cycle began */
    int64_t usual_ns;        /* usually it needs so long; if measured: CPU time */
    bool waited;             /* another client's end signalled it */
    bool exited;             /* its process has gone */
    bool skips_next;         /* it computes nothing between its end and the beginning of a cycle */
    bool of_server;          /* its thread is one of PipeWire's server for PulseAudio, which plays for it */
    bool wants_culprit;      /* find who took the CPU */

    /* of the thread that computes, between signal and end; only if measured */
    bool measured, stopped;
    int64_t stopped_ns;               /* for so long, to a sample */
    bool taken_by_itself;             /* another thread of its process had the CPU when it waited for one */
    int64_t cpu_ns;                   /* it ran, less than the usual work of the other cycles around ... */
    int64_t cpu_error_ns;             /* ... which is known to this, up or down */
    int64_t others_ns;                /* other threads of its process ran */
    uint64_t faults_n;                /* major page faults, some up to half a second before */
    int64_t queue_ns;                 /* it was ready to run, but had no CPU */
    char culprit[ST_XRUN_NAME_BYTES]; /* process that had it; "" when not known */
    uint32_t culprits[2];             /* the clients of that process, two of them at most */
    size_t culprits_n;
};

/** How much it computed in the cycle, to cpu_error_ns; 0: not measured. */
int64_t st_dropout_judge_computed_ns(const struct st_dropout_figures *figures);

enum st_dropout_reason st_dropout_judge(const struct st_dropout_figures *figures);
