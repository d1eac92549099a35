/* Ctrl-C, SIGTERM and SIGHUP end a measurement early, which still prints what it has. */
#pragma once

#include "platform/platform.h"

/** Catches these signals from now on. A second one, not at once, ends the program. SIGHUP stays ignored under
 * nohup. @param first_seen called in the signal handler at the first one; async-signal-safe; may be NULL. */
void st_stop_catch(void (*first_seen)(void));

/** Has one come? Any thread. */
bool st_stop_asked(void);

/** The signal to pass on to child processes, because a process sent it; 0: none, or it came from the
 * terminal, which sends it to the children as well. Async-signal-safe. */
int st_stop_to_pass_on(void);

/**
 * Limits what a real-time thread of this process may run without a sleep to 1 s of CPU time (RLIMIT_RTTIME):
 * at half of it the thread loses its policy, at all of it the kernel ends the program. FreeBSD has no such
 * limit; there only a SIGXCPU from outside does it. @param demoted  called in the signal handler, in that
 * thread, after the thread lost its policy; async-signal-safe; may be NULL. */
void st_stop_limit_rttime(struct st_platform *platform, void (*demoted)(void));
