/* The causes of late wake-ups: names and sentences. */
#pragma once

#include "core/base.h"

enum st_cause {
    ST_CAUSE_RUN_QUEUE,     /* runnable, another thread had the CPU */
    ST_CAUSE_RT_THROTTLING, /* ~ (rt_period - rt_runtime) of run-queue wait: the kernel's safety net */
    ST_CAUSE_CPU_QUOTA,     /* the CPU quota of its cgroup was used up */
    ST_CAUSE_STOPPED,       /* SIGSTOP or the like, ended by SIGCONT */
    ST_CAUSE_PAGE_FAULT,    /* major faults in the span */
    ST_CAUSE_OWN_WORK,      /* the callback itself took longer than its period */
    ST_CAUSE_SUSPEND,       /* the machine slept */
    ST_CAUSE_KERNEL,        /* kernel work that cannot be preempted, whose time was charged to the loop */
    ST_CAUSE_STRETCHED,     /* FreeBSD: the kernel made the sleep longer, by its own formula */
    ST_CAUSE_TIMER,         /* bare metal: timer, interrupt or idle exit */
    ST_CAUSE_HYPERVISOR_OR_INTERRUPT, /* a guest cannot distinguish these (or the process was stopped) */
    ST_CAUSE_FIRMWARE,                /* system management interrupts were counted */
    ST_CAUSE_STEAL,                   /* a guest, whose host had the CPU */
    ST_CAUSE_BUS_LOCK,                /* the kernel logged split or bus locks */
    ST_CAUSE_IDLE_EXIT,               /* the CPU was in an idle state that takes so long to leave */
    ST_CAUSE_HEAT,                    /* the CPU throttled itself */
    ST_CAUSE_POWER_LIMIT,             /* its power limit did */
    ST_CAUSE_SLOW_CLOCK,              /* the callback would have been in time at the CPU's highest clock */
    ST_CAUSE_SCHED_EXT,               /* a normal thread, and a sched_ext scheduler that let it wait */
    ST_CAUSE_UNKNOWN,                 /* the wait for a CPU is unknown */
    ST_CAUSE_COUNT
};

/** Stable name ("run-queue", "rt-throttling" ...), the sentence for screens, and what to do now; "": nothing
 * is known. */
const char *st_cause_kind_name(enum st_cause cause);
const char *st_cause_kind_text(enum st_cause cause);
const char *st_cause_kind_todo(enum st_cause cause);

/** true: a cause by exclusion: no counter explains it, so the part of the lateness that it made is
 * unknown. */
bool st_cause_kind_by_exclusion(enum st_cause cause);

/** Length of the program's name in a culprit: 6 in "ffmpeg/4711", 0 in "irq/27-hda" and "other" (no
 * thread). */
size_t st_cause_kind_program_len(const char *culprit);
