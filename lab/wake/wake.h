/* Ways of waking a sleeper early, one row each: what `sleeptune-lab wake` compares. The list of an OS is
 * st_lab.wake_method (linux/lab_linux.c, freebsd/lab_freebsd.c, tests/fake/lab_fake.c). */
#pragma once

#include "lab/lab.h"

struct st_wake_ops; /* posix/wake_posix.h: what the platform does with it */

struct st_wake_method {
    const char *name;    /* first (st_lab_find); stable: letters, digits, '-' and '_' */
    const char *summary; /* one line: what the sleeper waits in, what the sender calls */
    const struct st_wake_ops *ops;
};

/** Who wakes whom, and where. */
struct st_wake_setting {
    int sender_cpu, sleeper_cpu;
};

/** What one round says; CLOCK_MONOTONIC. */
struct st_wake_stamps {
    int64_t signal_ns; /* right before the sender signals; interrupted rounds only */
    int64_t sent_ns;   /* right behind it */
    int64_t due_ns;    /* when the wait was to time out; timed-out rounds only */
    int64_t woke_ns;   /* right after the wait has returned */
};

/** A sender, which is the calling thread, and a sleeper. One open at a time; one thread. The functions are
 * the lab's (lab/lab.h). */
struct st_wake {
    const struct st_wake_method *method;
    struct st_platform *platform;
    struct st_lab *lab;
    void *state; /* the platform's own */
};
