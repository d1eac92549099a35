/* What the main thread waits for: descriptors, signals and a time, all at once. */
#pragma once

#include <signal.h>
#include <sys/select.h>

#include "platform/platform.h"

/** libmicrohttpd fills the sets, so they are those of pselect: descriptors below FD_SETSIZE. */
struct st_wait {
    fd_set read, write, error;
    int fd_max;     /* -1: no descriptor */
    int64_t due_ns; /* CLOCK_MONOTONIC */
};

/** Nothing yet but a time. */
void st_wait_init(struct st_wait *wait, int64_t due_ns);

/** Ends earlier, at due_ns. */
void st_wait_until(struct st_wait *wait, int64_t due_ns);

/** Ends when fd can be read. */
void st_wait_to_read(struct st_wait *wait, int fd);

/** Ends when fd can be written to. */
void st_wait_to_write(struct st_wait *wait, int fd);

/** Waits with these signals blocked, and no others. The sets then have what is ready: nothing after a signal,
 * or at due_ns. */
void st_wait(struct st_wait *wait, struct st_platform *platform, const sigset_t *blocked);

/** After st_wait. */
bool st_wait_can_read(const struct st_wait *wait, int fd);
