/* Ways of sleeping, one row each: lab/linux/lab_linux.c, lab/freebsd/lab_freebsd.c,
 * tests/fake/fake_clock.c. */
#pragma once

#include "platform/platform.h"

struct st_sleep;

struct st_sleep_method {
    const char *name;    /* stable: letters, digits, '-' and '_' */
    const char *summary; /* one line */
    const char *clock;   /* the clock of the time, as "monotonic" */
    int clock_id;        /* the same for the calls that take one */
    int64_t unit_ns;     /* what can be asked for is a multiple of this; rounded up */

    /** Makes what the sleeps need, in the thread that will sleep, and tries it where that takes no time.
     *  @return 0, or what the kernel said: -ENOTSUP, -EINVAL (no such clock), -EPERM, -ENOSYS, -ENOMEM ... */
    int (*open)(struct st_sleep *s);
    /** Sleeps once: until s->due_ns or for requested_ns. @return 0, -EINTR, or what the kernel said. */
    int (*sleep)(struct st_sleep *s, int64_t requested_ns);
    void (*close)(struct st_sleep *s); /* NULL: nothing to undo */
};

/** One method in use. Belongs to the thread that opened it. */
struct st_sleep {
    const struct st_sleep_method *method;
    struct st_platform *platform;
    int64_t due_ns; /* CLOCK_MONOTONIC: when the last sleep was to end */
    int fd;         /* -1: none */
    void *state;    /* the method's own */
};

/** @return what method->open says. Close with st_sleep_close. */
ST_NODISCARD int st_sleep_open(struct st_sleep *s, struct st_platform *p,
                               const struct st_sleep_method *method);

/**
 * Sleeps requested_ns from start_ns on, which the caller has just read from platform->now_ns. A relative
 * method starts counting when it is called. Afterwards s->due_ns is when it should have woken, on the clock
 * of now_ns.
 * @param requested_ns > 0. @return 0, -EINTR (a signal came first), or what the kernel said. */
ST_NODISCARD int st_sleep_once(struct st_sleep *s, int64_t start_ns, int64_t requested_ns);

void st_sleep_close(struct st_sleep *s);
