/* A measurement with its two threads: a real-time loop, and a normal thread that drains its
 * ring. */
#pragma once

#include "measure/result.h"

/** Functions that receive each sample, for a recording or the history. They are called in the drain
 * thread, in order. */
struct st_sink {
    /** Counting starts; t0_ns is the due time of period 0 (CLOCK_MONOTONIC). Called before all
     * other functions. */
    void (*start)(void *ctx, int64_t t0_ns);
    /** One counted cycle: period index, lateness, callback time (0 without a callback). */
    void (*cycle)(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns);
    /** Periods first .. first + n - 1 were skipped. due_to_done_ns_of_first is the time from the
     * due time of the first one to the end of the cycle before it; for each further one it is a
     * period less. */
    void (*skipped)(void *ctx, uint64_t first_period_index, uint64_t n,
                    int64_t due_to_done_ns_of_first);
    /** n cycles or periods were lost because the ring was full. */
    void (*lost)(void *ctx, uint64_t first_period_index, uint64_t n);
    /** The cause of a late wake-up was judged. Called for each one, during a drain. */
    void (*late)(void *ctx, const struct st_cause_event *event);
    /** Called after each drain, and once at the end. */
    void (*flush)(void *ctx);
    void *ctx;
};

struct st_session_config {
    uint32_t frames, rate_hz;
    int cpu; /* -1: not pinned */
    enum st_policy policy;
    int priority;
    /* CPU time of a synthetic callback, percent of the period; 0: no callback */
    double load_percent;
    /* name of the artificial load (stress.h), which becomes a test condition; NULL: none */
    const char *stress;
    uint64_t warmup_cycles;
    /* longest duration of warm-up: if warmup_cycles would take longer, fewer cycles run, at least
     * two; 0: no limit */
    int64_t warmup_max_ns;
    int64_t duration_ns;    /* 0: the session runs until st_session_ask_stop */
    int64_t timer_slack_ns; /* timer slack to set for the loop's thread; -1: unchanged */
    int64_t cause_above_ns; /* lateness above which causes are recorded; 0: half of the period */
    bool precise_wait;
    bool lock_memory;
    int64_t drain_every_ns;     /* interval of drains; 0: 250 ms */
    const struct st_sink *sink; /* NULL: none; its functions may be NULL */
    /** Called in the loop's thread before the loop starts, if the requested priority was refused,
     * so that the caller can ask rtkit. @return 0: the thread now has sufficient rights. After
     * another value, or without this function (NULL), the result says which rights the thread
     * has. */
    int (*on_refused)(void *ctx, pid_t tid, int priority);
    void *on_refused_ctx;
};

struct st_session;

/** Sets the defaults of `sleeptune measure`: 128 frames at 48 kHz, FIFO 70, 200 warm-up cycles of
 * at most 1 s together, not pinned. */
void st_session_defaults(struct st_session_config *config);

/** Lateness above which causes are recorded, ns. */
int64_t st_session_cause_above_ns(const struct st_session_config *config);

/** Starts the threads. Missing rights are no error: without FIFO or locked memory the loop runs
 * anyway, and its result says so. @return 0, -EINVAL/-ERANGE (config), -ENOMEM, -EAGAIN. Threads:
 * any. */
ST_NODISCARD int st_session_start(struct st_platform *platform,
                                  const struct st_session_config *config, struct st_session **ret);

/** Asks the loop to end; async-signal-safe. */
void st_session_ask_stop(struct st_session *session);

/** Takes real-time policy and pinning from the loop's thread, so that starved threads get a CPU
 * again. Async-signal-safe, for the handler of SIGXCPU (a thread exceeded RLIMIT_RTTIME). */
void st_session_release(struct st_session *session);

/** Waits until the loop and the last drain have ended, at most timeout_ns; 0: does not wait.
 * @return true: the session has ended, so st_session_join returns at once. Threads: any. */
bool st_session_wait(struct st_session *session, int64_t timeout_ns);

/** Waits until the loop and the last drain have ended. Call once, before st_session_free. */
void st_session_join(struct st_session *session);
void st_session_free(struct st_session *session);

/** Copies the result so far, at any time. @return 0, -ENOMEM. Free the copy with st_result_finish.
 * Threads: any. */
ST_NODISCARD int st_session_result(struct st_session *session, struct st_result *ret);

/** Number of cycles so far, including warm-up, as a heartbeat. Threads: any, without a lock. */
uint64_t st_session_heartbeat(const struct st_session *session);

/** Kernel thread id of the loop, for the watchdog; 0: the loop does not run yet. Threads: any,
 * without a lock. */
pid_t st_session_tid(const struct st_session *session);

/** When the next period is due (CLOCK_MONOTONIC), as known at the last drain; INT64_MIN: the loop
 * does not count yet. Threads: any. */
int64_t st_session_due_ns(struct st_session *session);

/** Number of drains so far: four a second while the drain thread, which is the watchdog's canary,
 * gets a CPU. Threads: any, without a lock. */
uint64_t st_session_drains(const struct st_session *session);

/** Between these two calls no drain runs, and so no function of a sink: for a short read of data
 * that sinks write. NULL (no session): does nothing. Threads: any. */
void st_session_hold(struct st_session *session);
void st_session_let_go(struct st_session *session);
