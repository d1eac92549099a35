/* What the threads of audio clients do: CPU time, waiting for a CPU, being stopped, as a ring of
 * samples of the last seconds for the one thread of each process that computes.
 *
 * A server reports a cycle up to a second later, so the thread must have been sampled before. One
 * thread costs 3 to 9 us of CPU time a sample, so that only clients that play are sampled, and many
 * of them less often: a late cycle's CPU time is then known less exactly, and its error says so.
 * After a dropout by a lack of CPU, the real-time threads of all programs are sampled for a while,
 * too. Without such figures (FreeBSD, or a /proc that hides processes) nothing is measured. One
 * thread. */
#pragma once

#include <sys/types.h>

#include "xruns/helpers/dropout_judge.h"

struct st_process_watch;

/** Makes a watch without any process. @return NULL: no memory. */
struct st_process_watch *st_process_watch_new(void);

/** Watches a process of this user. @param client any number that is not watched yet. Processes
 * beyond 64, and those of other users, are ignored. */
void st_process_watch_add(struct st_process_watch *watch, uint32_t client, pid_t pid);
void st_process_watch_remove(struct st_process_watch *watch, uint32_t client);

/** The client is in a cycle: only such clients, and new ones, are sampled. */
void st_process_watch_plays(struct st_process_watch *watch, uint32_t client);

/** Takes a sample. @return time to wait before the next sample, in ns, below 1 s. */
int64_t st_process_watch_sample(struct st_process_watch *watch);

/** Fills the members of *figures that describe the thread, for the time from signal_ns to end_ns.
 * If wanted, names the culprit of a wait for a CPU that took at least a quarter of that time. */
void st_process_watch_measure(struct st_process_watch *watch, uint32_t client,
                              struct st_dropout_figures *figures);

/** Real-time priority of the thread that computes, 1 .. 99. 0: a normal thread; -1: not known. */
int64_t st_process_watch_priority(struct st_process_watch *watch, uint32_t client);
