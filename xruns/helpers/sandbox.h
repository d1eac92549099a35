/* Rights that a program gives up which hears what others play. */
#pragma once

#include "core/base.h"

/** From here on, in all threads: has only its own memory, threads and timers, what is open, and what comes
 * over that; leaves no core file. It can ask whether a file is there, its size and times (newfstatat takes a
 * path). Any other system call does not exist (ENOSYS). @return 0 or a negative errno value: -ENOTSUP where
 * the kernel, or this program on this processor, has no filter of system calls.
 */
int st_sandbox_enter(void);
