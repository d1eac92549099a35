/* Names who had the CPU when the loop woke late: a thread that asks the kernel's trace, off by default. */
#ifndef ST_DAEMON_CAUSES_TRACER_H
#define ST_DAEMON_CAUSES_TRACER_H

#include "daemon/causes/causes.h"
#include "daemon/config/config.h"

struct st_tracer;

/** Removes what a killed daemon left in the kernel's trace, and logs it. Before the first tracer. Threads:
 * main. */
void st_tracer_clear(void);

/**
 * Starts the trace and its thread; to be given to st_late_trace_by.
 * @param tid  the loop's thread.
 * @param why  when it fails: a sentence, for the log, the status and `sleeptune history --causes`.
 * @return 0; -ENOENT (built without it), -ENOTSUP (no such thing here), -EACCES, -EPERM ...; it is NULL then.
 * Threads: main.
 */
ST_NODISCARD int st_tracer_start(const struct st_config *config, pid_t tid, struct st_causes *causes,
                                 struct st_tracer **ret, char *why, size_t why_bytes);

/** Takes what waits, without a culprit where the trace has none, and removes the trace. NULL is fine. */
void st_tracer_stop(struct st_tracer *tracer);

/** A late wake-up that a culprit is to be sought for. Does not wait.
 * @return false: there are too many; the caller takes it without. Threads: drain. */
bool st_tracer_ask(struct st_tracer *tracer, const struct st_late *late);

#endif
