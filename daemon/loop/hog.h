/* Finds the thread that keeps the timing test from running for seconds: one of the same or a higher
 * real-time priority that never sleeps. */
#pragma once

#include "platform/platform.h"

/** The thread that was found. All zero: none. Threads: protected by the owner's lock. */
struct st_hog {
    pid_t pid, tid;
    int priority, cpu;
    char name[32]; /* name of the thread; safe to print */
    int looks;     /* consecutive searches that found the same thread */
};

#define ST_HOG_LOOKS 2 /* the same thread must be found twice, since any may run for a moment */

/** Looks for the runnable real-time thread of the highest priority that was last on the CPU of
 * thread `loop` of this process and has at least that thread's priority. Reads all of /proc: some
 * ms. Call about once a second while `loop` does not run. Linux; on other systems finds none. */
void st_hog_look(struct st_platform *machine, pid_t loop, struct st_hog *hog);
