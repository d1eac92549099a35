/* Real-time threads, as the process collector found them. */
#ifndef ST_ADVISOR_RULES_THREADS_H
#define ST_ADVISOR_RULES_THREADS_H

#include "advisor/facts/facts.h"

#define ST_THREADS_NAME    "linux.rt_thread.*.name"
#define ST_THREADS_PROCESS "linux.rt_thread.*.process"
#define ST_THREADS_PRIO    "linux.rt_thread.*.priority"
#define ST_THREADS_N       "linux.processes_n"

/** The highest of a group of threads. priority 0: there is none. */
struct st_top_thread {
    int64_t priority;
    const struct st_fact *priority_fact;
    const struct st_fact *process_fact;
};

/** Which processes count. */
typedef bool (*st_process_fn)(const char *process);

struct st_top_thread st_threads_top(const struct st_facts *facts, st_process_fn fn);

/** PipeWire, jackd (also in jackdbus), PulseAudio. */
bool st_threads_is_server(const char *process);
/** A program that plays through a server: none of the servers, and no tool or daemon known to have real-time
 * threads for another purpose. */
bool st_threads_is_client(const char *process);

#endif
