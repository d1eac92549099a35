/* Why a client was not ready, from the times of its cycle and from what its thread did in that
 * time. Pure.
 *
 * Each reason is tested by asking whether the client would have been ready without it. What a
 * client computes is CPU time, of its thread or, while that waits, of others of its process. Times
 * are CLOCK_MONOTONIC in ns, 0 where they are not known. */
#pragma once

#include "xruns/xrun.h"

/* in place of a client's number: the server's own process */
#define ST_DROPOUT_SERVER (UINT32_MAX - 1)

struct st_dropout_figures {
    int64_t cycle_ns;        /* start of the cycle */
    int64_t signal_ns;       /* the client's inputs were ready */
    int64_t awake_ns;        /* the client woke up; 0: not yet */
    int64_t end_ns;          /* the client finished, or was last seen unfinished */
    int64_t deadline_ns;     /* start of the next cycle */
    int64_t usual_signal_ns; /* usual time from the start of the cycle until the inputs are ready */
    int64_t usual_ns;        /* usual time that the client needs; CPU time if `measured` */
    bool waited;             /* the end of another client signalled this one */
    bool exited;             /* the client's process has gone */
    bool skips_next;    /* the client computes nothing between its end and the start of a cycle */
    bool of_server;     /* the thread belongs to pipewire-pulse, which plays for the client */
    bool wants_culprit; /* find who took the CPU */

    /* about the thread that computes, between signal and end; only if `measured` */
    bool measured, stopped;
    int64_t stopped_ns;   /* time stopped, accurate to one sample */
    bool taken_by_itself; /* another thread of the client's process had the CPU that the client
                             waited for */
    int64_t
        cpu_ns; /* CPU time of the thread, minus its usual work in the other cycles of that time */
    int64_t cpu_error_ns;             /* error of cpu_ns, up or down */
    int64_t others_ns;                /* CPU time of other threads of the process */
    uint64_t faults_n;                /* major page faults; some may be up to 2 s older */
    int64_t queue_ns;                 /* time ready to run, but without a CPU */
    char culprit[ST_XRUN_NAME_BYTES]; /* the process that had the CPU; "": not known */
    uint32_t culprits[2];             /* the clients of the culprit's process, at most two */
    size_t culprits_n;
};

/** CPU time of the client in the cycle, accurate to cpu_error_ns; 0: not measured. */
int64_t st_dropout_judge_computed_ns(const struct st_dropout_figures *figures);

enum st_dropout_reason st_dropout_judge(const struct st_dropout_figures *figures);
