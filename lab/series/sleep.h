/* Ways of sleeping. Each is a struct st_sleep_method in a table of lab/linux/lab_linux.c,
 * lab/freebsd/lab_freebsd.c or tests/fake/fake_clock.c. */
#pragma once

#include "platform/platform.h"

struct st_sleep;

struct st_sleep_method {
    const char *name;    /* stable: letters, digits, '-' and '_' */
    const char *summary; /* one line */
    const char *clock;   /* name of the clock that the sleep uses, such as "monotonic" */
    int clock_id;        /* the clock as a clockid_t, for calls that take one */
    int64_t unit_ns;     /* the sleep is a multiple of this; requests are rounded up */

    /** Creates what the sleeps need, in the thread that will sleep, and tries the call if that
     * takes no time.
     * @return 0, or the error of the kernel: -ENOTSUP, -EINVAL (no such clock), -EPERM, -ENOSYS,
     * -ENOMEM
     * ... */
    int (*open)(struct st_sleep *s);
    /** Sleeps once: until s->due_ns, or for requested_ns. @return 0, -EINTR, or the error of the
     * kernel. */
    int (*sleep)(struct st_sleep *s, int64_t requested_ns);
    void (*close)(struct st_sleep *s); /* NULL: nothing to undo */
};

/** One method in use. Belongs to the thread that opened it. */
struct st_sleep {
    const struct st_sleep_method *method;
    struct st_platform *platform;
    int64_t due_ns; /* when the last sleep should end, on CLOCK_MONOTONIC */
    int fd;         /* a descriptor that the method sleeps with, such as a timerfd; -1: none */
    void *state;    /* private to the method */
};

/** Opens a method. @return the result of method->open. Close with st_sleep_close. */
ST_NODISCARD int st_sleep_open(struct st_sleep *s, struct st_platform *p,
                               const struct st_sleep_method *method);

/**
 * Sleeps for requested_ns from start_ns on, which the caller has just read from platform->now_ns. A
 * relative method counts from its call, a little later. Afterwards s->due_ns is the time at which
 * the thread should have woken up, on the clock of now_ns.
 * @param requested_ns > 0. @return 0, -EINTR (a signal came first), or the error of the kernel. */
ST_NODISCARD int st_sleep_once(struct st_sleep *s, int64_t start_ns, int64_t requested_ns);

void st_sleep_close(struct st_sleep *s);
