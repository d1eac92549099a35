/* The causes of late wake-ups, with their names, sentences and next steps. */
#pragma once

#include "core/base.h"

enum st_cause {
    ST_CAUSE_RUN_QUEUE, /* ready to run, but another thread had the CPU */
    /* real-time threads were throttled: the wait in the run queue was about rt_period -
     * rt_runtime */
    ST_CAUSE_RT_THROTTLING,
    ST_CAUSE_CPU_QUOTA,  /* the CPU quota of the loop's cgroup was used up */
    ST_CAUSE_STOPPED,    /* the process was stopped (SIGSTOP or similar) and continued by SIGCONT */
    ST_CAUSE_PAGE_FAULT, /* pages were read from disk between two readings of the counters */
    ST_CAUSE_OWN_WORK,   /* the callback itself took longer than its period */
    ST_CAUSE_SUSPEND,    /* the computer was suspended */
    /* an interrupt or kernel code that cannot be preempted, whose time was charged to the loop */
    ST_CAUSE_KERNEL,
    /* FreeBSD: the kernel made the sleep longer, as kern.timecounter.alloweddeviation allows or its
       timer requires */
    ST_CAUSE_STRETCHED,
    ST_CAUSE_TIMER, /* bare metal: a late timer, an interrupt, or the time to leave an idle state */
    /* in a guest: the hypervisor, or an interrupt; no counter shows which */
    ST_CAUSE_HYPERVISOR_OR_INTERRUPT,
    ST_CAUSE_FIRMWARE,  /* system management interrupts were counted */
    ST_CAUSE_STEAL,     /* in a guest: the host had the CPU */
    ST_CAUSE_BUS_LOCK,  /* a program made split or bus locks, which the kernel logged */
    ST_CAUSE_IDLE_EXIT, /* the CPU was in an idle state, and leaving that state takes as long as the
                           wake-up was late */
    ST_CAUSE_HEAT,      /* the CPU throttled itself because of heat */
    ST_CAUSE_POWER_LIMIT, /* the CPU was throttled by its power limit */
    /* the CPU's clock was low: at its highest rate the callback would have ended in time */
    ST_CAUSE_SLOW_CLOCK,
    ST_CAUSE_SCHED_EXT, /* a sched_ext scheduler let the loop, a normal thread, wait */
    ST_CAUSE_UNKNOWN,   /* no cause was found, because the wait for a CPU could not be read */
    ST_CAUSE_COUNT
};

/** Texts of a cause: the stable name ("run-queue", "rt-throttling" ...), the sentence for screens,
 * and what to do now; "": nothing helps. */
const char *st_cause_kind_name(enum st_cause cause);
const char *st_cause_kind_text(enum st_cause cause);
const char *st_cause_kind_todo(enum st_cause cause);

/** true: the cause is what remains when no counter explains the lateness, so it is not known how
 * much of the lateness it explains. */
bool st_cause_kind_by_exclusion(enum st_cause cause);

/** Length of the program's name in a culprit: 6 in "ffmpeg/4711"; 0 in "irq/27-hda" and "other",
 * which are not threads of a program. */
size_t st_cause_kind_program_len(const char *culprit);
