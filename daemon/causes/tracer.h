/* Names which program had the CPU when the timing test woke late, from the kernel's trace. Off by
 * default (trace.enabled). */
#pragma once

#include "daemon/causes/causes.h"
#include "daemon/config/config.h"
#include "daemon/wait.h"

struct st_tracer;

#define ST_TRACER_WAITING_MAX 128

/** Removes the trace buffer that a killed daemon left in the kernel, and logs that. Call before the
 * first tracer. Threads: main. */
void st_tracer_clear(void);

/** Starts a trace, to be passed to st_tracer_way_use. @param socket socket of the system's daemon,
 * which traces and is asked for each late wake-up; NULL: this daemon traces. Must stay valid.
 * @param tid the loop's thread. @return NULL; or, with *ret NULL, a sentence that says why not, for
 * the log, the status and `sleeptune history --causes`. Threads: main. */
ST_NODISCARD const char *st_tracer_start(struct st_platform *platform,
                                         const struct st_config *config, const char *socket,
                                         pid_t tid, struct st_causes *causes,
                                         struct st_tracer **ret);

/** Ends the trace and removes it from the kernel. The tracer must have been replaced before by
 * st_tracer_way_use. NULL is allowed. */
void st_tracer_stop(struct st_tracer *tracer);

/* --- how late wake-ups get from the loop to the tracer --- */

/** Carries the loop's late wake-ups from the drain thread to the sums of causes: through the main
 * thread and the tracer, which names a culprit, or directly if there is no tracer. Also counts all
 * wake-ups for these sums, and collects their lateness in the current minute. */
struct st_tracer_way {
    struct st_causes *causes;
    struct st_tracer *tracer; /* NULL: none */
    /* The next members belong to the drain thread, or to the main thread while no drain runs
     * (st_session_hold). */
    uint64_t wakes_n;      /* wake-ups since the last flush */
    struct st_hist minute; /* lateness; ST_HISTORY_DIGITS digits */
    struct st_cause_event waiting[ST_TRACER_WAITING_MAX];
    size_t waiting_n;
};

/** @return 0, -ENOMEM. */
ST_NODISCARD int st_tracer_way_init(struct st_tracer_way *way, struct st_causes *causes);
void st_tracer_way_finish(struct st_tracer_way *way);

/** Ends the minute: adds the lateness of the minute to *ret, an empty histogram of
 * ST_HISTORY_DIGITS digits. */
void st_tracer_way_end_minute(struct st_tracer_way *way, struct st_hist *ret);

/** The sink for a session; its functions run in the drain thread. */
struct st_sink st_tracer_way_sink(struct st_tracer_way *way);

/** Makes `wait` end when a late wake-up waits for its culprit. Threads: main. */
void st_tracer_way_wait(const struct st_tracer_way *way, struct st_wait *wait);

/** Names the culprits of the late wake-ups that wait; call after st_wait. Takes at most 0.7 s, if
 * the system's daemon does not answer. Threads: main. */
void st_tracer_way_turn(struct st_tracer_way *way, struct st_session *session,
                        const struct st_wait *wait);

/** Finds who kept any thread from its CPU, for another daemon. The thread's wake-up is not traced,
 * so a culprit may explain only a part. Times: CLOCK_MONOTONIC. @return 0; -ENOENT, -ENODATA: no
 * culprit known; -ENOTSUP: no tracer. Threads: main. */
ST_NODISCARD int st_tracer_way_find(struct st_tracer_way *way, pid_t tid, int64_t due_ns,
                                    int64_t woke_ns, struct st_trace_culprit *ret);

/** Takes the kernel's trace of the last seconds, to be stored: call after a dropout, or when the
 * user reports one. @param ret_n number of its events. @return its events, sorted by time, until
 * the next call of a function of this tracer; NULL: there is no trace. Threads: main. */
const struct st_trace_event *st_tracer_way_freeze(struct st_tracer_way *way, size_t *ret_n);

/** Sets the tracer; NULL: none, because of `why`. Late wake-ups that still wait get a culprit only
 * if the old tracer's trace shows it. Call while no drain runs (st_session_hold). Threads: main. */
void st_tracer_way_use(struct st_tracer_way *way, struct st_tracer *tracer, const char *why);
