/* Ways of waking a sleeper early, which `sleeptune-lab wake` compares. Each is a struct
 * st_wake_method; st_lab.wake_method returns those of a system (linux/lab_linux.c,
 * freebsd/lab_freebsd.c, tests/fake/lab_fake.c). */
#pragma once

#include "lab/lab.h"

struct st_wake_ops; /* the functions of a way of waking, private to the platform:
                     * posix/wake_posix.h */

struct st_wake_method {
    const char
        *name; /* must be the first member (st_lab_find); stable: letters, digits, '-' and '_' */
    const char *summary; /* one line: what the sleeper waits in, what the sender calls */
    const struct st_wake_ops *ops;
};

/** The CPUs of the two threads. */
struct st_wake_setting {
    int sender_cpu, sleeper_cpu;
};

/** Times of one round, ns on CLOCK_MONOTONIC. */
struct st_wake_stamps {
    int64_t signal_ns; /* right before the sender signals; interrupted rounds only */
    int64_t sent_ns;   /* right after the sender has signalled; interrupted rounds only */
    int64_t due_ns;    /* when the wait should time out; timed-out rounds only */
    int64_t woke_ns;   /* right after the wait has returned */
};

/** A sender, which is the calling thread, and a sleeper. Only one may be open at a time, in one
 * thread. Its functions are members of struct st_lab (lab/lab.h). */
struct st_wake {
    const struct st_wake_method *method;
    struct st_platform *platform;
    struct st_lab *lab;
    void *state; /* private to the platform */
};
