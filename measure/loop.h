/* The cycle loop: in each cycle it sleeps once, reads the clock once and writes one word into the
 * ring. */
#pragma once

#include <stdatomic.h>

#include "core/period.h"
#include "measure/ring.h"
#include "platform/platform.h"

/** The work of a cycle; must be real-time safe. */
typedef void (*st_callback_fn)(void *ctx) ST_NONBLOCKING;

struct st_loop {
    /* set by the caller before st_loop_run */
    struct st_platform *platform;
    struct st_period period;
    struct st_ring *ring;
    st_callback_fn callback; /* NULL: no callback, and one clock read a cycle instead of two */
    void *callback_ctx;
    uint64_t warmup_cycles; /* cycles before counting starts */
    uint64_t max_periods;   /* number of counted periods; 0: until `stop` */
    /* lateness (ns) above which the loop reads counters for the cause; INT64_MAX: never */
    int64_t cause_above_ns;
    bool precise_wait;
    const struct st_counters_handle *counters; /* NULL: no causes are recorded */

    _Atomic bool stop; /* set by any thread */

    /* may be read by other threads during the run */
    /* all cycles, including warm-up; a heartbeat for the watchdog, relaxed order */
    _Atomic uint64_t cycles_seen;

    /* valid after st_loop_run returned */
    int64_t t0_ns;            /* due time of period 0 of the counted run */
    int64_t end_ns;           /* end of the last cycle */
    uint64_t elapsed_periods; /* cycles and skipped periods: the index of the next period */
    uint64_t cycles;          /* counted cycles, including lost ones */
    uint64_t lost_cycles;     /* cycles that were not written, since the ring was full */
    uint64_t lost_skipped;
    /* counters of the thread at the start of the counted run */
    struct st_thread_counters counters_start;
    struct st_thread_counters counters_end;
};

/** Runs the loop until max_periods or `stop`. The calling thread must have its policy, name and
 * CPU. With a fake platform the loop runs in the test's own thread. @return 0; a negative errno
 * value if the sleep fails (never -EINTR). */
int st_loop_run(struct st_loop *loop);
