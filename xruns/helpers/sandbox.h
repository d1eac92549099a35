/* Rights that a program gives up which hears what others play. */
#pragma once

#include "core/base.h"

/** From here on, in all threads: opens no file, makes and connects no socket, starts no program, looks into
 * no process, and leaves no core file. What is open stays open. @return 0 or a negative errno value: -ENOTSUP
 * where the kernel, or this program on this processor, has no filter of system calls. */
int st_sandbox_enter(void);
