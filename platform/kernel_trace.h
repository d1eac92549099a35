/* Our instance of the kernel's trace. Linux; elsewhere there is none. */
#ifndef ST_PLATFORM_KERNEL_TRACE_H
#define ST_PLATFORM_KERNEL_TRACE_H

#include "core/base.h"

#define ST_TRACEFS        "/sys/kernel/tracing" /* used where it is mounted; sleeptune never mounts it */
#define ST_TRACE_INSTANCE "sleeptune"

/** @param r 0: removed; -EBUSY: a process has a file of it open; another negative errno value: left. */
typedef void (*st_trace_left_fn)(const char *path, int r);

/**
 * Removes the instance of a daemon that was killed, which also turns its events off. A daemon that traces
 * holds a file of its instance open: the kernel does not remove that one. Calls fn if the instance is there;
 * not without tracefs, or without the right to look into it. Threads: any.
 */
void st_kernel_trace_clear(st_trace_left_fn fn);

#endif
