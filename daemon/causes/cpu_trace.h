/* Finds which thread or interrupt had a CPU while another thread waited for it, from scheduler and
 * interrupt events of the kernel's trace. */
#pragma once

#include "core/cause_kind.h"
#include "platform/platform.h"
#include "xruns/cpu_events.h"

#define ST_TRACEFS        "/sys/kernel/tracing" /* used if mounted; sleeptune never mounts it */
#define ST_TRACE_INSTANCE "sleeptune"

#define ST_TRACE_CULPRIT_BYTES 64

/** The culprit: the thread or interrupt that had the CPU longest. */
struct st_trace_culprit {
    char name[ST_TRACE_CULPRIT_BYTES]; /* "ffmpeg/4711", "irq/27-hda", "softirq/NET_RX" */
    /* CPU time (ns) of the culprit while the waiting thread should have run */
    int64_t ns;
    /* from the wake-up of the waiting thread until it got the CPU (ns); 0: its wake-up is not in
     * the trace */
    int64_t waited_ns;
    /* if the culprit is a thread: for how long it had the CPU, from switch to switch, also before
     * the due time (ns); 0: not completely known */
    int64_t turns_ns;
    int cpu;
    bool waking_was_seen;
    bool explains; /* the culprit's time explains ns of the lateness; false: perhaps only a part of
                      it */
};

/**
 * Finds the culprit that kept thread `tid` from its CPU. The thread was due at due_ns and ran at
 * woke_ns at the latest.
 *
 * The examined time is from due_ns until the switch to the thread. Which other threads are suspects
 * depends on `cause`, which the counters gave. If the thread waited for its CPU (run-queue,
 * kernel-or-interrupt; or unknown, when it may have waited), another thread counts from the moment
 * at which the wake-up was under way. If the thread did not wait, on bare metal (timer), another
 * thread counts before that moment as well, if the wake-up itself took most of the time: such a
 * thread may have had interrupts off. In a guest (hypervisor-or-interrupt) no thread counts, since
 * the host may have taken the CPU from all of them. Interrupts and softirqs always count, from
 * entry to exit. The idle thread never counts.
 *
 * Time without events has no owner: the time before the first event, and on a CPU with an
 * ST_TRACE_LOST the time between the event before the loss and the ST_TRACE_LOST. After a loss, the
 * CPU belongs to the thread from which the next switch takes it. If the waking is not among the
 * events, the beginning of the wait is unknown: interrupts and softirqs count, and a thread only if
 * the counters show a wait for the CPU. The CPU time of such a thread since due_ns may exceed the
 * wait, so it explains no more than the counters do.
 *
 * turns_ns is how long a culprit thread had the CPU in each of its turns: from the switch to the
 * thread, even before due_ns, to the switch from it, including interrupts. The kernel counts the
 * same as the thread's CPU time if it does not account interrupts separately.
 *
 * @param events  sorted by time, of one or more CPUs; events before due_ns show who had the CPU
 * then, and that there was a trace.
 * @return 0; -ENODATA: the switch is not among the events; -ENOENT: no thread or interrupt that
 * counts had the CPU for a fifth of the time or more, or no other thread is the cause (a stop, a
 * throttle). Pure; threads: any. */
ST_NODISCARD int st_cpu_trace_find_culprit(const struct st_trace_event *events, size_t n, int tid,
                                           enum st_cause cause, int64_t due_ns, int64_t woke_ns,
                                           struct st_trace_culprit *ret);

/** Completes the name of a thread, which the kernel cuts at 15 characters: if the thread still runs
 * and the name of its program begins with the same letters, it gets that name. */
void st_cpu_trace_complete_name(struct st_platform *machine, struct st_trace_culprit *culprit);

/* --- the module sleeptune-trace.so, which reads the trace through libtracefs (Linux) --- */

#define ST_TRACE_SYMBOL "st_trace_module"

struct st_trace;

/** The functions of the module; one object of this type is exported under ST_TRACE_SYMBOL. Threads:
 * each trace is used by one thread. */
struct st_trace_module {
    const char *version; /* ST_VERSION of the module; must be that of the program that loads it */
    /** Makes the instance (an own trace buffer of tracefs) and turns its events on; -EEXIST if
     * there is one. Does not mount tracefs. @param buffer_kb kB for each CPU; reduced so that all
     * CPUs together have at most 64 MB. @return 0 or a negative errno value, with a sentence in
     * error. */
    int (*open)(int64_t buffer_kb, struct st_trace **ret, char *error, size_t error_bytes);
    /** Takes all events out of the buffer, sorted by time, with an ST_TRACE_LOST where events were
     * overwritten. @return 0 or a negative errno value. */
    int (*read)(struct st_trace *trace, void (*take)(void *ctx, const struct st_trace_event *event),
                void *ctx);
    /** Turns the events off and removes the instance. */
    void (*close)(struct st_trace *trace);
};
