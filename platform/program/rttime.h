/* A real-time thread of this process that does not sleep loses its policy before the machine hangs. */
#ifndef ST_PLATFORM_PROGRAM_RTTIME_H
#define ST_PLATFORM_PROGRAM_RTTIME_H

#include "platform/platform.h"

/**
 * Limits what a real-time thread of this process may run without a sleep to 1 s of CPU time (RLIMIT_RTTIME):
 * at half of it the thread loses its policy, at all of it the kernel ends the program. FreeBSD has no such
 * limit; there only a SIGXCPU from outside does it. @param demoted  called in the signal handler, in that
 * thread, after the thread lost its policy; async-signal-safe; may be NULL.
 */
void st_rttime_limit(struct st_platform *p, void (*demoted)(void));

#endif
