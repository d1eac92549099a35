/* The laboratory's seam: what it asks of an operating system beyond struct st_platform, one row each for
 * Linux, FreeBSD and the fake. */
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
    int64_t wall_ns;            /* from before it is started until it is known to have ended */
    int64_t user_ns, system_ns; /* CPU time of it and what it waited for */
    int status;                 /* exit status; 128 + the signal that ended it */
};

/** A table: its i-th row, which begins with its name; NULL after the last. */
typedef const void *st_lab_table(struct st_lab *lab, size_t i);

struct st_lab {
    struct st_platform *platform;

    st_lab_table *sleep_method; /* ways of sleeping: struct st_sleep_method */
    st_lab_table *call_method;  /* calls whose cost can be measured: struct st_call_method */
    st_lab_table *wake_method;  /* ways of waking a sleeper early: struct st_wake_method */

    /** Starts a sleeper for w, which has method, platform and lab; each thread stays on its CPU.
     *  @return 0, -EINVAL (no such CPU), or what the kernel said. */
    int (*wake_open)(struct st_wake *w, const struct st_wake_setting *setting);
    /** One wait, woken by a signal after slice_ns (> 0, at most 10 s), or timed out then.
     *  @return 0, -ETIMEDOUT (it does not wake: only wake_close helps), or what the kernel said. */
    int (*wake_round)(struct st_wake *w, int64_t slice_ns, bool interrupted, struct st_wake_stamps *ret);
    void (*wake_close)(struct st_wake *w); /* ends the sleeper */

    /** By how many ppm the kernel now lets CLOCK_MONOTONIC run faster than its counter (NTP). An uncorrected
     *  tick seems to be longer by the same ppm. @return 0, -ENOTSUP, -EPERM ... Threads: any. */
    int (*clock_correction_ppm)(struct st_lab *lab, double *ret_ppm);

    /** Runs a program, looked for in PATH, to its end: input and output are /dev/null, stderr is ours.
     *  @return 0, -ENOENT, -EACCES ... (it could not be started). */
    int (*time_program)(struct st_lab *lab, char *const argv[], struct st_program_time *ret);
    /** Sends a signal to the program that time_program runs, or, between two, to the next one as soon as it
     *  has begun. Async-signal-safe. Threads: that of time_program, in a handler of SIGINT, SIGTERM or
     *  SIGHUP. */
    void (*signal_program)(struct st_lab *lab, int signal_number);
};

/** The row of the system that this was built for. Never fails; no need to free. */
struct st_lab *st_lab_native(void);

/** CLOCK_MONOTONIC. */
static inline int64_t st_lab_now_ns(struct st_lab *lab)
{
    return st_platform_now_ns(lab->platform);
}

/** The row of that name in a table of the lab. @return NULL: none here. */
const void *st_lab_find(struct st_lab *lab, st_lab_table *table, const char *name);
