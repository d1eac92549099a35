/* The seam: what this process and its threads may do, and what they used. Conventions of the seam:
 * platform/platform.h. */
#pragma once

#include <sys/types.h>

#include "core/base.h"

enum st_policy { ST_POLICY_OTHER, ST_POLICY_FIFO, ST_POLICY_RR };

/** "other", "fifo", "rr". */
const char *st_platform_policy_name(enum st_policy policy);

/** What a thread has used so far, from its start. A member is valid only if its bit is in `valid`. */
struct st_thread_counters {
    unsigned valid; /* ST_COUNTER_* */
    int64_t cpu_ns;
    int64_t runq_wait_ns; /* runnable, but waiting for a CPU */
    uint64_t switches_involuntary_n;
    uint64_t faults_minor_n;
    uint64_t faults_major_n;
    int cpu;              /* where it runs (ran last) */
    int64_t suspended_ns; /* the machine, as suspended_ns() says it: read at the same moment */
};

#define ST_COUNTER_CPU        0x01u
#define ST_COUNTER_RUNQ_WAIT  0x02u
#define ST_COUNTER_SWITCHES   0x04u
#define ST_COUNTER_FAULTS     0x08u
#define ST_COUNTER_CPU_NUMBER 0x10u
#define ST_COUNTER_SUSPENDED  0x20u

/** Open handle on one thread's counters; opened by that thread, readable by it and by others. */
struct st_counters_handle {
    pid_t tid;
    int fd_schedstat; /* -1: none */
    int fd_stat;      /* -1: none */
    int fd_status;    /* -1: none */
};

#define ST_INTERRUPTS_MAX 64

/** A thread that runs before the loop: it handles an interrupt, or is another program's real-time thread. */
struct st_interrupt {
    pid_t tid;
    bool is_program;
    char name[20];    /* "irq22: hdac0"; of a program its name */
    int64_t run_ns;   /* since boot */
    int64_t began_ns; /* CLOCK_MONOTONIC when that program began; INT64_MIN: an interrupt */
    int cpu;          /* where it ran last */
};

/** What kept the whole process from running, as far as the OS says it. */
struct st_pauses {
    int64_t quota_ns;     /* its cgroups were throttled (cpu.max), in all; INT64_MIN: no quota is counted */
    int64_t continued_ns; /* CLOCK_MONOTONIC of the latest SIGCONT; INT64_MIN: none so far */
    int64_t
        smi_n; /* system management interrupts, where Linux counts them by perf (AMD); INT64_MIN: not known */
    int64_t at_ns;       /* CLOCK_MONOTONIC of what follows, which FreeBSD says */
    size_t interrupts_n; /* 0: not known */
    struct st_interrupt interrupts[ST_INTERRUPTS_MAX];
};

/** What lock_memory achieved. */
enum st_lock { ST_LOCK_NONE, ST_LOCK_ALL, ST_LOCK_ON_FAULT };

/** What this process may do, from its limits and from trying. */
struct st_rt_rights {
    int fifo_errno; /* 0: SCHED_FIFO at the asked priority was granted to a short-lived child; else its errno
                     */
    int fifo_priority;    /* the priority tried */
    int64_t rtprio_limit; /* soft limit; -1: unlimited; -ENOTSUP as INT64_MIN: no such limit here (FreeBSD) */
    int64_t memlock_limit_bytes; /* soft limit; -1: unlimited */
};

struct st_threads {
    /** Sets the calling thread's policy. priority: FIFO/RR 1..99, ignored for other; FreeBSD has
     *  0..31, and 70 becomes 21 (freebsd/priority.h). @return 0, -EPERM, -EINVAL. */
    int (*set_policy)(struct st_threads *threads, enum st_policy policy, int priority);
    /** Policy and priority of the calling thread as the kernel says them. */
    int (*get_policy)(struct st_threads *threads, enum st_policy *ret_policy, int *ret_priority);
    /** Kernel's id of the calling thread (Linux TID, FreeBSD LWP). */
    pid_t (*thread_id)(struct st_threads *threads);
    /** Takes real-time policy away from another thread of this process (the demoting watchdog). */
    int (*demote)(struct st_threads *threads, pid_t tid);
    /** Pins the calling thread to one CPU. @return 0, -EINVAL (no such CPU), -EPERM. */
    int (*pin)(struct st_threads *threads, int cpu);
    /** Lets another thread of this process run on all CPUs that the calling thread may use. */
    int (*unpin)(struct st_threads *threads, pid_t tid);
    /** CPUs the calling thread may use, ascending. @return how many (also when more than max), or an
     * error. */
    int (*cpus_allowed)(struct st_threads *threads, int *cpus, int max);
    /** Name of the calling thread, at most 15 bytes. */
    int (*set_name)(struct st_threads *threads, const char *name);
    /** Timer slack of the calling thread. -ENOTSUP: no such thing (FreeBSD). */
    int (*timer_slack_ns)(struct st_threads *threads, int64_t *ret_ns);
    int (*set_timer_slack_ns)(struct st_threads *threads, int64_t ns);
    /** Asks that no CPU takes longer than `us` to wake (PM QoS, /dev/cpu_dma_latency), for all programs,
     * until the handle is released or the process ends. @return handle >= 0, -ENOTSUP (FreeBSD), -ENOENT (a
     * kernel without it), -EACCES, ... */
    int (*hold_latency)(struct st_threads *threads, int32_t us);
    void (*release_latency)(struct st_threads *threads, int handle);
    int (*counters_open)(struct st_threads *threads, struct st_counters_handle *ret); /* self */
    /** Slow path of the cycle loop, by the thread itself: some 2 us, no allocation, no page fault after the
     * first call. */
    int (*counters_self)(struct st_threads *threads, const struct st_counters_handle *h,
                         struct st_thread_counters *ret);
    /** CPU time of the calling thread: one system call. @return -1: not known. */
    int64_t (*thread_cpu_ns)(struct st_threads *threads);
    /** The same counters, read by another thread of the process. */
    int (*counters_other)(struct st_threads *threads, const struct st_counters_handle *h,
                          struct st_thread_counters *ret);
    void (*counters_close)(struct st_threads *threads, struct st_counters_handle *h);
    /** Some 20 us where a quota is counted. FreeBSD copies a row (1088 bytes) for each thread of the machine:
     * estimated as 1 ms for 400 threads, not measured. Thread: always the same one of the process; the only
     * one that does not block SIGCONT, so that it has seen it when it goes on after a stop. */
    void (*pauses)(struct st_threads *threads, struct st_pauses *ret);
    /** Locks present memory, on fault where the OS can, and future memory where no limit (RLIMIT_MEMLOCK)
     * would make later allocations fail for it: call it when all that must not fault is there.
     *  @param ret what was reached (may be NULL). @return 0, -EPERM, -ENOMEM. */
    int (*lock_memory)(struct st_threads *threads, enum st_lock *ret);
    /** Limits the CPU time of real-time threads without a sleep (RLIMIT_RTTIME): SIGXCPU at half of ns, the
     * process is killed at ns (one limit for both would kill without a signal). Lower limits stay.
     *  @return 0, -EINVAL, -ENOTSUP. */
    int (*set_rttime_limit_ns)(struct st_threads *threads, int64_t ns);
    /** Tries SCHED_FIFO at `priority` in a short-lived child, never on this process; reads the limits. */
    int (*rt_rights)(struct st_threads *threads, int priority, struct st_rt_rights *ret);
};
