/* What a client's thread did in a late cycle, and who had the CPU meanwhile, from two samples
 * around that cycle. Pure. */
#pragma once

#include "core/ns.h"
#include "xruns/helpers/dropout_judge.h"

/** The time between two samples. */
struct st_thread_window {
    int64_t from_ns, to_ns;     /* times of the two samples */
    int64_t ran_ns, process_ns; /* CPU time between the samples: of the thread, and of all threads
                                   of its process */
    double used, process_used;  /* usual CPU time as a share of a CPU, over the last seconds: of
                                   the thread, and of its process */
    int64_t
        tick_ns; /* the kernel updates the CPU time of a running thread at its clock tick only, so a
                    sample taken less than this after a cycle may lack the end of the cycle */
};

/** Fills cpu_ns, cpu_error_ns, others_ns and usual_ns. The usual CPU time of the other cycles in
 * the window is subtracted. */
void st_thread_window_take(const struct st_thread_window *window,
                           struct st_dropout_figures *figures);

/** A thread that may have had the CPU. */
struct st_thread_rival {
    const char *name;
    int cpu;
    int64_t rt_priority;
    int64_t ran_ns;  /* CPU time; 0: not a candidate */
    int64_t more_ns; /* CPU time beyond the usual amount in such a time */
    bool plays;      /* a client or the server: its usual work takes the CPU from no one */
};

/** Who had the CPU while a thread waited for it for queue_ns. Candidates ran long enough, together
 * with others of the same name, and have no lower priority. Preferred are a higher priority and the
 * same CPU, then the most unusual CPU time. @return the index; n: no one. */
size_t st_thread_window_culprit(const struct st_thread_rival *rivals, size_t n,
                                const struct st_thread_rival *own, int64_t queue_ns);
