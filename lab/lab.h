/* What the laboratory needs from an operating system beyond struct st_platform. Linux, FreeBSD and
 * the fake of the tests fill one struct st_lab each. */
#pragma once

#include "lab/series/sleep.h"
#include "platform/platform.h"

struct st_lab;
struct st_call_method; /* syscall/call.h */
struct st_wake_method; /* wake/wake.h */
struct st_wake;
struct st_wake_setting;
struct st_wake_stamps;

/** One run of a program. */
struct st_program_time {
    int64_t wall_ns;            /* from just before its start until its end is known */
    int64_t user_ns, system_ns; /* CPU time of the program and of the children it waited for */
    int status;                 /* exit status; 128 + the signal that ended it */
};

/** A function that returns element i of a table of methods, such as a struct st_sleep_method; NULL
 * after the last one. The first member of each method is its name. */
typedef const void *st_lab_table(struct st_lab *lab, size_t i);

struct st_lab {
    struct st_platform *platform;

    st_lab_table *sleep_method; /* ways of sleeping: struct st_sleep_method */
    st_lab_table *call_method;  /* calls whose cost can be measured: struct st_call_method */
    st_lab_table *wake_method;  /* ways of waking a sleeper early: struct st_wake_method */

    /** Starts the sleeping thread for w, whose method, platform and lab are set; sender and sleeper
     * each stay on their CPU.
     * @return 0, -EINVAL (no such CPU), or the error of the kernel. */
    int (*wake_open)(struct st_wake *w, const struct st_wake_setting *setting);
    /** One wait: the sender signals the sleeper after slice_ns (> 0, at most 10 s), or, if not
     * interrupted, the wait times out after slice_ns.
     * @return 0, -ETIMEDOUT (the sleeper does not wake up: only wake_close may follow), or the
     * error of the kernel. */
    int (*wake_round)(struct st_wake *w, int64_t slice_ns, bool interrupted,
                      struct st_wake_stamps *ret);
    void (*wake_close)(struct st_wake *w); /* ends the sleeper */

    /** By how many ppm the kernel makes CLOCK_MONOTONIC faster than its counter at present (NTP). A
     * tick that is not corrected seems longer by the same ppm. @return 0, -ENOTSUP, -EPERM ...
     * Threads: any. */
    int (*clock_correction_ppm)(struct st_lab *lab, double *ret_ppm);

    /** Runs a program, which is searched in PATH, to its end: its input and output are /dev/null,
     * its stderr is that of this process. @return 0, -ENOENT, -EACCES ... (the program could not be
     * started). */
    int (*time_program)(struct st_lab *lab, char *const argv[], struct st_program_time *ret);
    /** Sends a signal to the program that time_program runs; if none runs, to the next one as soon
     * as it has started. Async-signal-safe. Threads: that of time_program, in a handler of SIGINT,
     * SIGTERM or SIGHUP. */
    void (*signal_program)(struct st_lab *lab, int signal_number);
};

/** The laboratory of the operating system that this program was built for. Never fails; not
 * freed. */
struct st_lab *st_lab_native(void);

/** The time on CLOCK_MONOTONIC, ns. */
static inline int64_t st_lab_now_ns(struct st_lab *lab)
{
    return st_platform_now_ns(lab->platform);
}

/** Finds the method with this name in a table of the lab. @return NULL: the system does not have
 * it. */
const void *st_lab_find(struct st_lab *lab, st_lab_table *table, const char *name);
