/* Rights that a program gives up before it listens to the sound of other programs. */
#pragma once

#include "core/base.h"

/** From now on, all threads are limited to their own memory, threads, timers and open files, and
 * leave no core file. They can still query whether a file exists, its size and times (newfstatat
 * takes a path). Any other system call fails with ENOSYS. @return 0 or a negative errno value:
 * -ENOTSUP if the kernel, or this program on this processor, has no filter of system calls. */
int st_sandbox_enter(void);
