/* Who keeps a real-time thread from running for seconds: a thread of higher priority that never sleeps. */
#pragma once

#include "platform/platform.h"

/** All zero: none. Threads: the owner's lock. */
struct st_hog {
    pid_t pid, tid;
    int priority, cpu;
    char name[32]; /* of the thread; safe to print */
    int looks;     /* in a row that found the same thread */
};

#define ST_HOG_LOOKS 2 /* looks that found it before it is named: a thread may run for a moment */

/** Looks for the runnable real-time thread of the highest priority that was last on the CPU of thread `loop`
 * of this process, at or above its priority. Reads all of /proc: some ms; about once a second, while that
 * thread does not run. Linux; elsewhere none. */
void st_hog_look(struct st_platform *machine, pid_t loop, struct st_hog *hog);
