/* A measurement with its threads: a real-time loop, and a normal thread that drains the ring. */
#pragma once

#include "measure/result.h"

/** Receives every sample, besides the histograms (recording, history). Called in the drain thread, in
 * order. */
struct st_sink {
    /** Counting starts; due(0) is t0_ns on CLOCK_MONOTONIC. Called before all other functions. */
    void (*start)(void *ctx, int64_t t0_ns);
    /** One counted cycle: period index, lateness, callback time (0 without a callback). */
    void (*cycle)(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns);
    /** Periods first .. first + n - 1 were skipped; period first + i would have been late by done - due. */
    void (*skipped)(void *ctx, uint64_t first_period_index, uint64_t n, int64_t due_to_done_ns_of_first);
    /** n cycles are missing because the ring was full. */
    void (*lost)(void *ctx, uint64_t first_period_index, uint64_t n);
    /** A late wake-up was judged; called for every one, during a drain. */
    void (*late)(void *ctx, const struct st_cause_event *event);
    /** After each drain, and once at the end. */
    void (*flush)(void *ctx);
    void *ctx;
};

struct st_session_config {
    uint32_t frames, rate_hz;
    int cpu; /* -1: not pinned */
    enum st_policy policy;
    int priority;
    double load_percent; /* synthetic DSP work, percent of the period; 0: no callback */
    const char *stress;  /* name of the load of other programs (stress.h), a test condition; NULL: none */
    uint64_t warmup_cycles;
    int64_t warmup_max_ns; /* longest warm-up: at least two cycles, but fewer than warmup_cycles if these take
                              longer; 0: no limit */
    int64_t duration_ns;   /* 0: until st_session_ask_stop */
    int64_t timer_slack_ns; /* -1: unchanged */
    int64_t cause_above_ns; /* 0: half of the period */
    bool precise_wait;
    bool lock_memory;
    int64_t drain_every_ns;     /* 0: 250 ms */
    const struct st_sink *sink; /* NULL: none; members may be NULL */
    /** Called in the loop thread before the loop starts, if the priority was refused (rtkit). @return 0:
     * the thread now has sufficient rights. Otherwise, or if NULL, the result reports the rights that it
     * has. */
    int (*on_refused)(void *ctx, pid_t tid, int priority);
    void *on_refused_ctx;
};

struct st_session;

/** Sets the defaults of `sleeptune measure`: 128 frames at 48 kHz, FIFO 70, 200 warm-up cycles of at most
 * 1 s together, not pinned. */
void st_session_defaults(struct st_session_config *config);

/** Lateness above which causes are looked for. */
int64_t st_session_cause_above_ns(const struct st_session_config *config);

/** Starts the threads. Missing rights are no error: without FIFO or locked memory the loop runs anyway,
 * and its result says so. @return 0, -EINVAL/-ERANGE (config), -ENOMEM, -EAGAIN. Threads: any. */
ST_NODISCARD int st_session_start(struct st_platform *platform, const struct st_session_config *config,
                                  struct st_session **ret);

/** Asks the loop to end; async-signal-safe. */
void st_session_ask_stop(struct st_session *session);

/** Takes real-time policy and pinning from the loop, so that starved threads get a CPU again.
 * Async-signal-safe (for SIGXCPU: a thread exceeded RLIMIT_RTTIME). */
void st_session_release(struct st_session *session);

/** Waits for the loop and the last drain, at most timeout_ns; 0: does not wait. @return true: the session
 * has ended, and st_session_join does not wait. Threads: any. */
bool st_session_wait(struct st_session *session, int64_t timeout_ns);

/** Waits for the loop and the last drain. Call once, before free. */
void st_session_join(struct st_session *session);
void st_session_free(struct st_session *session);

/** Copies the result so far, at any time. @return 0, -ENOMEM. Free with st_result_finish. Any thread. */
ST_NODISCARD int st_session_result(struct st_session *session, struct st_result *ret);

/** Cycles so far, including warm-up: a heartbeat. Any thread, no lock. */
uint64_t st_session_heartbeat(const struct st_session *session);

/** Kernel thread id of the loop, for the demoting watchdog; 0: the loop does not run yet. Any thread, no
 * lock. */
pid_t st_session_tid(const struct st_session *session);

/** Drains so far: four a second while the drain thread, the watchdog's canary, has a CPU. Any thread, no
 * lock. */
uint64_t st_session_drains(const struct st_session *session);

/** Between these two calls no drain runs, so no function of a sink does: for a short look at data that
 * sinks write. NULL: no session, does nothing. Any thread. */
void st_session_hold(struct st_session *session);
void st_session_let_go(struct st_session *session);
