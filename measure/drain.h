/* The consumer's side of one loop: words from the ring become histograms, books, causes and sink calls. */
#pragma once

#include "measure/late_judge.h"
#include "measure/loop.h"
#include "measure/result.h"
#include "measure/session.h"

#define ST_DRAIN_WORDS 4096

/** One loop's consumer. The sink is called in the drain thread; `late` points to the members before it, so
 * that a drain does not move once it is initialised. */
struct st_drain {
    struct st_loop *loop;
    struct st_sink sink;
    struct st_result *result; /* owned by the caller; filled here */

    bool counting; /* START was seen */
    int64_t t0_ns;
    uint64_t k; /* index of the next period */
    uint64_t seen_lost, seen_lost_skipped;
    bool half; /* lateness seen, its callback time not yet */
    int64_t half_lateness_ns;
    int64_t last_done_ns;
    int64_t last_callback_ns;

    struct st_late_judge late;

    int32_t words[ST_DRAIN_WORDS];
    size_t words_n; /* left over from the last step: a record's beginning */

    struct st_cause_baseline first; /* of the counted part; at_ns INT64_MIN: none */
    int64_t suspended_ns;           /* at the last drain; INT64_MIN: not known */
};

/** result's histograms are initialised; loop and period are set in it. */
void st_drain_init(struct st_drain *drain, struct st_loop *loop, struct st_result *result,
                   const struct st_sink *sink, const struct st_cause_machine *machine);

/** Takes all that is in the ring. Drain thread. */
void st_drain_step(struct st_drain *drain);

/** Reads the loop thread's counters as the baseline of late wake-ups to come. Drain thread. */
void st_drain_baseline(struct st_drain *drain);

/** After the loop returned and the last step: takes over its books. */
void st_drain_finish(struct st_drain *drain);
