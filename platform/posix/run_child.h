/* What each OS does for a program that is about to be run (run_posix.c), and to end it with all that it
 * started. */
#ifndef ST_PLATFORM_POSIX_RUN_CHILD_H
#define ST_PLATFORM_POSIX_RUN_CHILD_H

#include <stdbool.h>

/** Between fork and execve, system calls only: the program gets no descriptor beyond standard error and no
 * key of this session, gains no rights by a set-uid program, and is killed when its parent dies. */
void st_run_child_alone(void);

/** From here on, a process whose parent ends becomes a child of this process, so that st_run_child_reap_rest finds
 * it. */
void st_run_child_reap_begin(void);
/** Kills and reaps what the programs left, however they hid it (setsid, setpgid, a second fork): every child
 * of this process that is in another session. @return whether something was left. */
bool st_run_child_reap_rest(void);
void st_run_child_reap_end(void);

#endif
