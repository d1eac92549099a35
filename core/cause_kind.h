/* The causes of late wake-ups: names and sentences. */
#pragma once

#include "core/base.h"

enum st_cause {
    ST_CAUSE_RUN_QUEUE,     /* ready to run, but another thread had the CPU */
    ST_CAUSE_RT_THROTTLING, /* run-queue wait of about rt_period - rt_runtime: the kernel throttled real-time
                               threads */
    ST_CAUSE_CPU_QUOTA,     /* the CPU quota of the loop's cgroup was used up */
    ST_CAUSE_STOPPED,       /* SIGSTOP or the like, ended by SIGCONT */
    ST_CAUSE_PAGE_FAULT,    /* major page faults in the interval */
    ST_CAUSE_OWN_WORK,      /* the callback itself took longer than its period */
    ST_CAUSE_SUSPEND,       /* the machine slept */
    ST_CAUSE_KERNEL,        /* kernel work that cannot be preempted, whose time was charged to the loop */
    ST_CAUSE_STRETCHED,     /* FreeBSD: the kernel prolonged the sleep, by its own formula */
    ST_CAUSE_TIMER,         /* bare metal: timer, interrupt or idle exit */
    ST_CAUSE_HYPERVISOR_OR_INTERRUPT, /* in a guest: not distinguishable (or the process was stopped) */
    ST_CAUSE_FIRMWARE,                /* system management interrupts were counted */
    ST_CAUSE_STEAL,                   /* in a guest: the host had the CPU */
    ST_CAUSE_BUS_LOCK,                /* the kernel logged split or bus locks */
    ST_CAUSE_IDLE_EXIT,               /* the CPU was in an idle state with such a long exit */
    ST_CAUSE_HEAT,                    /* the CPU throttled itself */
    ST_CAUSE_POWER_LIMIT,             /* the CPU was throttled by its power limit */
    ST_CAUSE_SLOW_CLOCK,              /* the callback would have been in time at the CPU's highest clock */
    ST_CAUSE_SCHED_EXT,               /* a normal thread that a sched_ext scheduler let wait */
    ST_CAUSE_UNKNOWN,                 /* the wait for a CPU is unknown */
    ST_CAUSE_COUNT
};

/** Stable name ("run-queue", "rt-throttling" ...), the sentence for screens, and what to do now; "":
 * nothing known. */
const char *st_cause_kind_name(enum st_cause cause);
const char *st_cause_kind_text(enum st_cause cause);
const char *st_cause_kind_todo(enum st_cause cause);

/** true: the cause was found by exclusion: no counter explains it, so its part of the lateness is unknown. */
bool st_cause_kind_by_exclusion(enum st_cause cause);

/** Length of the program's name in a culprit: 6 in "ffmpeg/4711"; 0 in "irq/27-hda" and "other", which are
 * no threads. */
size_t st_cause_kind_program_len(const char *culprit);
