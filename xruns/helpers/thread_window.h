/* What a client's thread did in a late cycle, and who had the CPU meanwhile: from two samples around that
 * cycle. Pure. */
#pragma once

#include "core/ns.h"
#include "xruns/helpers/dropout_judge.h"

/** Between two samples. */
struct st_thread_window {
    int64_t from_ns, to_ns;     /* when they were taken */
    int64_t ran_ns, process_ns; /* CPU time in between: of the thread, and of all threads of its process */
    double used, process_used;  /* the same as shares of a CPU in the last seconds: what is usual */
    int64_t tick_ns; /* the kernel adds the CPU time of a thread that runs at its clock tick only: a sample
                        that is taken sooner after a cycle may lack the end of it */
};

/** Fills cpu_ns, cpu_error_ns, others_ns and usual_ns. Other cycles than the late one run in the window, too:
 * what they usually need is taken off. */
void st_thread_window_take(const struct st_thread_window *window, struct st_dropout_figures *figures);

/** A thread that may have had the CPU. */
struct st_thread_rival {
    const char *name;
    int cpu;
    int64_t rt_priority;
    int64_t ran_ns;  /* 0: it is out of question */
    int64_t more_ns; /* ... than it usually does in such a time */
    bool plays;      /* what clients and the server usually do takes the CPU from no one */
};

/** Who had the CPU while a thread waited for it so long: of those that ran long enough, together with others
 * of the same name, and whose priority is not lower, one of higher priority and on the same CPU, and the one
 * that did so most unusually. @return its place; n: no one. */
size_t st_thread_window_culprit(const struct st_thread_rival *rivals, size_t n,
                                const struct st_thread_rival *own, int64_t queue_ns);
