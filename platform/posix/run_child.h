/* What each OS does for a program that is about to be run (run_posix.c). */
#ifndef ST_PLATFORM_POSIX_RUN_CHILD_H
#define ST_PLATFORM_POSIX_RUN_CHILD_H

/** Between fork and execve, system calls only: the program gets no descriptor beyond standard error, and is
 * killed when its parent dies. */
void st_run_child_alone(void);

#endif
