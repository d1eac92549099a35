/* What a late wake-up can be put down to: names and sentences. */
#ifndef ST_CORE_CAUSE_KIND_H
#define ST_CORE_CAUSE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

enum st_cause {
    ST_CAUSE_RUN_QUEUE,     /* runnable, another thread had the CPU */
    ST_CAUSE_RT_THROTTLING, /* ~ (rt_period - rt_runtime) of run-queue wait: the kernel's safety net */
    ST_CAUSE_CPU_QUOTA,     /* the CPU quota of its cgroup was used up */
    ST_CAUSE_STOPPED,       /* SIGSTOP or the like, ended by SIGCONT */
    ST_CAUSE_PAGE_FAULT,    /* major faults in the span */
    ST_CAUSE_OWN_WORK,      /* the callback itself took longer than its period */
    ST_CAUSE_SUSPEND,       /* the machine slept */
    ST_CAUSE_KERNEL,        /* the CPU did what cannot be preempted, and its time was charged to the loop */
    ST_CAUSE_TIMER,         /* bare metal: timer, interrupt or idle exit */
    ST_CAUSE_HYPERVISOR_OR_INTERRUPT, /* guest that cannot tell them apart (or the process was stopped) */
    ST_CAUSE_UNKNOWN,                 /* the wait for a CPU is not known */
    ST_CAUSE_COUNT
};

/** Stable name ("run-queue", "rt-throttling" ...) and the sentence for people. */
const char *st_cause_kind_name(enum st_cause cause);
const char *st_cause_kind_text(enum st_cause cause);

/** true: said because nothing that is counted explains it, so no figure says how much of the lateness it was.
 */
bool st_cause_kind_by_exclusion(enum st_cause cause);

/** The cause of that name. @return 0 or -ENOENT. */
ST_NODISCARD int st_cause_kind_find(const char *name, enum st_cause *ret);

/** How much of a culprit is its program's name: "ffmpeg/4711" 6, "irq/27-hda" and "other" 0, as no thread. */
size_t st_cause_kind_program_len(const char *culprit);

#endif
