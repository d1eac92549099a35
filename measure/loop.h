/* The cycle loop: for each cycle one sleep, one clock read and one word into the ring, and nothing else. */
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
    uint64_t warmup_cycles; /* cycles before counting starts */
    uint64_t max_periods;   /* number of counted periods; 0: until `stop` */
    int64_t cause_above_ns; /* lateness above which the slow path runs; INT64_MAX: never */
    bool precise_wait;
    const struct st_counters_handle *counters; /* NULL: no cause records */

    _Atomic bool stop; /* set by any thread */

    /* read by other threads during the run */
    _Atomic uint64_t cycles_seen; /* all cycles, including warm-up, relaxed: heartbeat for the watchdog */

    /* valid after st_loop_run returned */
    int64_t t0_ns;            /* due(0) of the counted run */
    int64_t end_ns;           /* end of the last cycle */
    uint64_t elapsed_periods; /* by the clock: index of the next period */
    uint64_t cycles;          /* counted cycles, including lost ones */
    uint64_t lost_cycles;     /* cycles that found the ring full */
    uint64_t lost_skipped;
    struct st_thread_counters counters_start; /* at the start of the counted run */
    struct st_thread_counters counters_end;
};

/** Runs until max_periods or `stop`. The calling thread already has its policy, name and CPU. With a fake
 * platform the loop runs in the test's own thread. @return 0; a negative errno value if the sleep itself
 * fails (never -EINTR). */
int st_loop_run(struct st_loop *loop);
