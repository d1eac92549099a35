/* The consumer's side of one loop: words from the ring become histograms, books, device model, causes and
 * sink calls. */
#ifndef ST_MEASURE_DRAIN_H
#define ST_MEASURE_DRAIN_H

#include "measure/device.h"
#include "measure/loop.h"
#include "measure/recent.h"
#include "measure/result.h"
#include "measure/session.h"

#define ST_DRAIN_WORDS 4096
#define ST_DRAIN_LATE  512 /* late wake-ups that wait for the next look at the counters */

/** A late wake-up whose cause is not judged yet. */
struct st_drain_late {
    int64_t at_ns, lateness_ns;
    int64_t silence_ns; /* of the simulated xrun that it made; 0: none */
};

struct st_drain {
    struct st_loop *loop;
    struct st_sink sink;
    struct st_cause_machine machine;
    struct st_result *result; /* owned by the caller; filled here */

    struct st_device device;
    bool counting; /* START was seen */
    int64_t t0_ns;
    uint64_t k;    /* index of the next period */
    uint64_t seen; /* cycles, warm-up and lost ones included */
    uint64_t told_lost, told_lost_skipped;
    bool half; /* lateness seen, its callback time not yet */
    int64_t half_lateness_ns;
    int64_t last_done_ns;
    int64_t last_callback_ns;
    bool last_late; /* the cycle before began late */
    struct st_drain_late late[ST_DRAIN_LATE];
    size_t late_n;
    struct st_cause_event last_event; /* lateness_ns 0: none so far */

    int32_t words[ST_DRAIN_WORDS];
    size_t words_n; /* left over from the last step: a record's beginning */

    struct st_cause_baseline base[2]; /* the latest two, newest first; at_ns INT64_MIN: none */
    struct st_cause_baseline first;   /* of the counted part; at_ns INT64_MIN: none */
    struct st_recent usual_wait;      /* ns a cycle, between two looks without a late wake-up */
    struct st_recent usual_late;      /* the same of lateness */
    struct st_recent cpu_and_wait;    /* the same of CPU time and run-queue wait together */
    int64_t late_ns;                  /* of all cycles that slept so far */
    uint64_t causes_since_base;
    int64_t suspended_ns;    /* at the last drain; INT64_MIN: not known */
    struct st_pauses pauses; /* at the last drain */
};

/** result's histograms are initialised; loop, period and periods are set in it. @return 0 or st_device_init's
 * error. */
ST_NODISCARD int st_drain_init(struct st_drain *drain, struct st_loop *loop, struct st_result *result,
                               const struct st_sink *sink, const struct st_cause_machine *machine);

/** Takes all that is in the ring. Drain thread. */
void st_drain_step(struct st_drain *drain);

/** Reads the loop thread's counters as the baseline of late wakes to come. Drain thread. */
void st_drain_baseline(struct st_drain *drain);

/** After the loop returned and the last step: takes over its books. */
void st_drain_finish(struct st_drain *drain);

#endif
