/* What the main thread waits for: descriptors, signals and a due time at once. */
#pragma once

#include <signal.h>
#include <sys/select.h>

#include "platform/platform.h"

/** The sets of pselect, with descriptors below FD_SETSIZE. Not poll, since libmicrohttpd fills such
 * sets. */
struct st_wait {
    fd_set read, write, error;
    int fd_max;     /* -1: no descriptor */
    int64_t due_ns; /* latest end of the wait, CLOCK_MONOTONIC */
};

/** Begins a wait with a due time only. */
void st_wait_init(struct st_wait *wait, int64_t due_ns);

/** Makes the wait end at due_ns at the latest. */
void st_wait_until(struct st_wait *wait, int64_t due_ns);

/** Adds a descriptor: the wait ends when fd can be read. */
void st_wait_to_read(struct st_wait *wait, int fd);

/** Adds a descriptor: the wait ends when fd can be written to. */
void st_wait_to_write(struct st_wait *wait, int fd);

/** Waits while only the signals in `blocked` are blocked. Afterwards the sets hold the ready
 * descriptors; they are empty after a signal or at due_ns. */
void st_wait(struct st_wait *wait, struct st_platform *platform, const sigset_t *blocked);

/** Can fd be read? Call after st_wait. */
bool st_wait_can_read(const struct st_wait *wait, int fd);
