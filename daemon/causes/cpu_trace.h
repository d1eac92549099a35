/* Who had a CPU while a thread waited for it, from the scheduler and interrupt events of a kernel's
 * trace. */
#pragma once

#include "core/cause_kind.h"
#include "platform/platform.h"
#include "xruns/cpu_events.h"

#define ST_TRACEFS        "/sys/kernel/tracing" /* used if mounted; sleeptune never mounts it */
#define ST_TRACE_INSTANCE "sleeptune"

#define ST_TRACE_CULPRIT_BYTES 64

/** The thread or interrupt that had the CPU longest. */
struct st_trace_culprit {
    char name[ST_TRACE_CULPRIT_BYTES]; /* "ffmpeg/4711", "irq/27-hda", "softirq/NET_RX" */
    int64_t ns;                        /* CPU time while the waiting thread should have run */
    int64_t waited_ns; /* from the wake-up of the waiting thread until it got the CPU; 0: not seen */
    int64_t turns_ns;  /* of a thread: from switch to switch, including time before the due time; 0: not
                          completely known */
    int cpu;
    bool waking_was_seen;
    bool explains; /* the culprit explains ns of the lateness; false: perhaps only a part */
};

/**
 * Who kept thread `tid`, which was due at due_ns and ran at woke_ns at the latest, from its CPU.
 *
 * What counts is from due_ns until the switch to the thread. Whom it may be depends on what the wake-up is
 * put down to by its counters: where the thread waited for its CPU (run-queue, kernel-or-interrupt; unknown:
 * it may have), a thread counts from the moment that the wake-up was under way; where it did not, on bare
 * metal (timer), also before it if the wake-up itself took the better half of the time, as when the thread
 * had interrupts off. In a guest (hypervisor-or-interrupt) the host may have taken the CPU away: whoever was
 * on it then did nothing, and no thread counts. Interrupts and softirqs count all of it, from their entry to
 * their exit. The idle thread does not count.
 *
 * Time that the events do not show has no owner: the time before the first of all, and on its CPU the time
 * from the event before an ST_TRACE_LOST to it. From then on the CPU is the thread's that the next switch
 * takes it from. Where the waking is not among the events, since when the thread waited is not known: then
 * interrupts and softirqs count, and a thread only where the counters say that the CPU was waited for. What
 * it had from due_ns on may be more than that wait, so it explains nothing beyond what the counters do.
 *
 * turns_ns is how long a thread had the CPU each time that it had it then, from the switch to it, also before
 * due_ns, to the switch from it, with the interrupts that came meanwhile. That is what the kernel counts as
 * its CPU time, where interrupts are not accounted on their own.
 *
 * @param events  by time, of one or more CPUs; those before due_ns say who had the CPU by then, and that
 * there was a trace.
 * @return 0; -ENODATA: the switch is not among the events; -ENOENT: no thread or interrupt that counts had
 * the CPU for a fifth of the time or more, or another thread is not the cause (a stop, a throttle). Pure;
 * threads: any. */
ST_NODISCARD int st_cpu_trace_find_culprit(const struct st_trace_event *events, size_t n, int tid,
                                           enum st_cause cause, int64_t due_ns, int64_t woke_ns,
                                           struct st_trace_culprit *ret);

/** Completes a name that the kernel cut at 15 characters: a thread that still runs gets its program's name
 * if that begins with the same letters. */
void st_cpu_trace_complete_name(struct st_platform *machine, struct st_trace_culprit *culprit);

/* --- the module sleeptune-trace.so, which reads the ring by libtracefs (Linux) --- */

#define ST_TRACE_SYMBOL "st_trace_module"

struct st_trace;

/** One object of this type is exported under ST_TRACE_SYMBOL. Threads: one a ring. */
struct st_trace_module {
    const char *version; /* ST_VERSION; must equal the loading program's */
    /** Makes the instance and turns it on; -EEXIST if there is one. Does not mount tracefs. @param
     * buffer_kb for each CPU; reduced so that all CPUs together have at most 64 MB. @return 0 or a
     * negative errno value, with a sentence in error. */
    int (*open)(int64_t buffer_kb, struct st_trace **ret, char *error, size_t error_bytes);
    /** Takes the events in the ring, sorted by time, with ST_TRACE_LOST where events were overwritten.
     * @return 0 or a negative errno value. */
    int (*read)(struct st_trace *trace, void (*take)(void *ctx, const struct st_trace_event *event),
                void *ctx);
    /** Removes the instance. */
    void (*close)(struct st_trace *trace);
};
