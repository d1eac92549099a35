/* Ctrl-C, SIGTERM and SIGHUP end a measurement early; the results so far are still printed. */
#pragma once

#include "platform/platform.h"

/** Catches SIGINT (Ctrl-C), SIGTERM and SIGHUP from now on. A second signal, unless it follows at
 * once, ends the program. SIGHUP stays ignored under nohup. @param first_seen called in the signal
 * handler at the first signal; async-signal-safe; may be NULL. */
void st_stop_catch(void (*first_seen)(void));

/** Has a signal to stop arrived? Any thread. */
bool st_stop_asked(void);

/** The signal to pass on to child processes: one that a process sent. 0: no signal, or one from the
 * terminal, which signals the children as well. Async-signal-safe. */
int st_stop_to_pass_on(void);

/** Limits the CPU time that a real-time thread of this process may use without a sleep to 1 s
 * (RLIMIT_RTTIME): at 0.5 s the thread loses its policy, at 1 s the kernel ends the program.
 * FreeBSD has no such limit; there only a SIGXCPU from outside demotes the thread. @param demoted
 * called in the signal handler, in the demoted thread, afterwards; async-signal-safe; may be
 * NULL. */
void st_stop_limit_rttime(struct st_platform *platform, void (*demoted)(void));
