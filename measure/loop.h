/* The cycle loop: one sleep, one clock read, one word into the ring. Nothing else happens here. */
#pragma once

#include <stdatomic.h>

#include "core/period.h"
#include "measure/ring.h"
#include "platform/platform.h"

/** The work of a cycle; real-time safe. */
typedef void (*st_callback_fn)(void *ctx) ST_NONBLOCKING;

struct st_loop {
    /* set before st_loop_run */
    struct st_platform *platform;
    struct st_period period;
    struct st_ring *ring;
    st_callback_fn callback; /* NULL: none, and no second clock read */
    void *callback_ctx;
    uint64_t warmup_cycles; /* before counting starts */
    uint64_t max_periods;   /* counted periods to run; 0: until stop */
    int64_t cause_above_ns; /* lateness that takes the slow path; INT64_MAX: never */
    bool precise_wait;
    const struct st_counters_handle *counters; /* NULL: no cause records */

    _Atomic bool stop; /* set by any thread */

    /* read by other threads while it runs */
    _Atomic uint64_t cycles_seen; /* all cycles, warm-up included, relaxed: heartbeat for the watchdog */

    /* valid after st_loop_run returned */
    int64_t t0_ns;            /* due(0) of the counted run */
    int64_t end_ns;           /* done of the last cycle */
    uint64_t elapsed_periods; /* by the clock: index of the period that comes next */
    uint64_t cycles;          /* counted cycles, lost ones included */
    uint64_t lost_cycles;     /* that found the ring full */
    uint64_t lost_skipped;
    struct st_thread_counters counters_start; /* around the counted run */
    struct st_thread_counters counters_end;
};

/**
 * Runs until max_periods or stop. The calling thread has its policy, name and pin already.
 * With a fake platform it runs in the test's own thread.
 * @return 0; a negative errno value when the sleep itself fails (never -EINTR). */
int st_loop_run(struct st_loop *loop);
