/* Names who had the CPU when the loop woke late, by the kernel's trace; off by default. */
#pragma once

#include "daemon/causes/causes.h"
#include "daemon/causes/cpu_trace.h"
#include "daemon/config/config.h"
#include "daemon/wait.h"
#include "measure/session.h"

struct st_tracer;

#define ST_TRACER_WAITING_MAX 128

/** Takes a copy of the last events, by time; NULL: there are none. Threads: main. */
typedef void (*st_tracer_frozen_fn)(void *ctx, const struct st_trace_event *events, size_t n);

/** Removes what a killed daemon left in the kernel's trace, and logs it. Before the first tracer. Threads:
 * main. */
void st_tracer_clear(void);

/**
 * Starts the trace; to be given to st_tracer_way_use.
 * @param socket  of the system's daemon, which traces and is asked; NULL: this one traces. Must stay.
 * @param tid  the loop's thread.
 * @return NULL; else a sentence, for the log, the status and `sleeptune history --causes`, and *ret is NULL.
 * Threads: main. */
ST_NODISCARD const char *st_tracer_start(struct st_platform *platform, const struct st_config *config,
                                         const char *socket, pid_t tid, struct st_causes *causes,
                                         struct st_tracer **ret);

/** Removes the trace; st_tracer_way_use no longer has it. NULL is fine. */
void st_tracer_stop(struct st_tracer *tracer);

/* --- the way to the tracer --- */

/** Takes each late wake-up of the loop from the drain to main and the tracer, which names a culprit, or
 * without a tracer straight to the sums of causes, which also get the number of all wake-ups. */
struct st_tracer_way {
    struct st_causes *causes;
    st_tracer_frozen_fn frozen; /* called for each st_tracer_way_freeze */
    void *frozen_ctx;
    struct st_tracer *tracer; /* NULL: none */
    /* the drain's; main's while no drain runs (st_session_hold) */
    uint64_t wakes_n; /* since the last flush */
    struct st_cause_event waiting[ST_TRACER_WAITING_MAX];
    size_t waiting_n;
};

/** To be given to a session; its functions run in the drain thread. */
struct st_sink st_tracer_way_sink(struct st_tracer_way *way);

/** Late wake-ups wait. Threads: main. */
void st_tracer_way_wait(const struct st_tracer_way *way, struct st_wait *wait);

/** After st_wait: names who made them late. The system's daemon is asked for at most 0.7 s. Threads: main. */
void st_tracer_way_turn(struct st_tracer_way *way, struct st_session *session, const struct st_wait *wait);

/**
 * Who kept any thread from its CPU, for another daemon. As the wake-up of that thread is not
 * traced, a thread that is found may explain only a part. Times: CLOCK_MONOTONIC.
 * @return 0; -ENOENT, -ENODATA: no one is known; -ENOTSUP: no tracer. Threads: main. */
ST_NODISCARD int st_tracer_way_find(struct st_tracer_way *way, pid_t tid, int64_t due_ns, int64_t woke_ns,
                                    struct st_trace_culprit *ret);

/** Something happened: what the kernel's trace has of the last seconds goes to `frozen`.
 * Threads: main. */
void st_tracer_way_freeze(struct st_tracer_way *way);

/** From now on the tracer is asked; NULL: none, because of `why`. What waits ends without a culprit if the
 * trace has none. While no drain runs (st_session_hold). Threads: main. */
void st_tracer_way_use(struct st_tracer_way *way, struct st_tracer *tracer, const char *why);
