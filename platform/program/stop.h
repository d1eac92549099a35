/* Ctrl-C, SIGTERM and SIGHUP end a measurement early, which still prints what it has. */
#ifndef ST_PLATFORM_PROGRAM_STOP_H
#define ST_PLATFORM_PROGRAM_STOP_H

#include <stdbool.h>

/** Catches them from now on. A second one, not at once, ends the program. SIGHUP stays ignored under nohup.
 * @param told called in the signal handler at the first one; async-signal-safe; NULL: none. */
void st_stop_catch(void (*told)(void));

/** Has one come? Any thread. */
bool st_stop_asked(void);

/** For programs that we run: the signal that a process sent us; 0: none, or the terminal, which sends it to
 * them, too. Async-signal-safe. */
int st_stop_to_pass_on(void);

#endif
