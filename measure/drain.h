/* The consumer of one loop: turns words from the ring into histograms, counts, causes and sink calls. */
#pragma once

#include "measure/late_judge.h"

#define ST_DRAIN_WORDS 4096

/** One loop's consumer. The sink is called in the drain thread. `late` points to the members before it, so
 * an initialised drain must not move. */
struct st_drain {
    struct st_loop *loop;
    struct st_sink sink;
    struct st_result *result; /* owned by the caller; filled here */

    bool counting; /* the START word was seen */
    int64_t t0_ns;
    uint64_t k; /* index of the next period */
    uint64_t seen_lost, seen_lost_skipped;
    bool half; /* a cycle's lateness was read, but not yet its callback time */
    int64_t half_lateness_ns;
    int64_t last_done_ns;
    int64_t last_callback_ns;

    struct st_late_judge late;

    int32_t words[ST_DRAIN_WORDS];
    size_t words_n; /* left over from the last step: a record's beginning */

    struct st_cause_baseline first; /* baseline of the counted part; at_ns INT64_MIN: none */
    int64_t suspended_ns;           /* at the last drain; INT64_MIN: not known */
};

/** Initialises; result's histograms must be initialised, and its loop and period set. */
void st_drain_init(struct st_drain *drain, struct st_loop *loop, struct st_result *result,
                   const struct st_sink *sink, const struct st_cause_machine *machine);

/** Takes everything in the ring. Drain thread. */
void st_drain_step(struct st_drain *drain);

/** Reads the loop thread's counters as the baseline of future late wake-ups. Drain thread. */
void st_drain_baseline(struct st_drain *drain);

/** Call after the loop returned and the last step: takes over the loop's counts. */
void st_drain_finish(struct st_drain *drain);
