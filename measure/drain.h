/* The consumer of one loop's ring: turns words into histograms, counts, causes and calls of a
 * struct st_sink. */
#pragma once

#include "measure/late_judge.h"

#define ST_DRAIN_WORDS 4096

/** The state of the consumer. The sink is called in the drain thread. `late` contains pointers to
 * other members, so an initialised drain must not move in memory. */
struct st_drain {
    struct st_loop *loop;
    struct st_sink sink;
    struct st_result *result; /* owned by the caller; filled here */

    bool counting; /* the word ST_RECORD_START was seen: warm-up is over */
    int64_t t0_ns;
    uint64_t k; /* index of the next period to be counted */
    uint64_t seen_lost, seen_lost_skipped;
    bool half; /* a cycle's lateness was read, and its callback time is not in the ring yet */
    int64_t half_lateness_ns;
    int64_t last_done_ns;
    int64_t last_callback_ns;

    struct st_late_judge late;

    int32_t words[ST_DRAIN_WORDS];
    size_t words_n; /* words of an incomplete record, left from the last step */

    /* first baseline after warm-up, from which the loop's CPU time and page faults count; at_ns
     * INT64_MIN: none yet */
    struct st_cause_baseline first;
    /* suspended time of the machine at the last drain; INT64_MIN: not known */
    int64_t suspended_ns;
};

/** Initialises a drain. The caller has initialised the histograms and the period of `result`, and
 * the loop's period. */
void st_drain_init(struct st_drain *drain, struct st_loop *loop, struct st_result *result,
                   const struct st_sink *sink, const struct st_cause_machine *machine);

/** Takes all words out of the ring. Threads: drain. */
void st_drain_step(struct st_drain *drain);

/** Reads the counters of the loop's thread as the baseline for late wake-ups to come. Threads:
 * drain. */
void st_drain_baseline(struct st_drain *drain);

/** Adds the counts that the loop itself kept, and checks that they agree with the words of the
 * ring. Call after the loop has returned and after the last step. */
void st_drain_finish(struct st_drain *drain);
