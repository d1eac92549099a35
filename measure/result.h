/* Result of one loop: all figures that reports, the status page and JSON documents show about it. */
#pragma once

#include <jansson.h>

#include "core/period.h"
#include "core/stats/stats.h"
#include "evidence/miss_events.h"
#include "measure/cause.h"

#define ST_RESULT_CONDITIONS_MAX 48

struct st_test_condition {
    char key[40];
    char value[256];
};

struct st_result {
    struct st_period period;
    uint32_t frames, rate_hz;
    uint64_t warmup_cycles; /* cycles before the first counted period */
    int cpu;                /* -1: any */
    double load_percent;

    enum st_policy policy_asked, policy; /* policy: what the kernel granted */
    int priority_asked, priority;
    char degraded[256]; /* why the loop differs from what was asked ("no right to SCHED_FIFO: ..."); "": it
                           does not */
    enum st_lock lock;
    int64_t timer_slack_set_ns; /* set for this measurement; -1: unchanged */
    bool running;               /* the run has not ended yet */
    bool interrupted;           /* ended before its full duration */
    int error;                  /* 0, or the negative errno value that ended the loop */

    struct st_hist lateness; /* of cycles that woke up */
    struct st_hist response; /* of all periods, including skipped ones */
    bool has_callback;

    uint64_t n; /* lateness samples = cycles - records_lost */
    uint64_t cycles, skipped_periods, elapsed_periods;
    int64_t t0_ns;      /* due(0) on CLOCK_MONOTONIC; valid after the first period */
    bool books_balance; /* cycles + skipped = elapsed, n + lost = cycles, and the clock agrees */
    uint64_t misses;    /* cycles that ended after due(k+1), and skipped periods */
    struct st_miss_events miss_events;
    uint64_t early;
    uint64_t suspends; /* how often the machine was suspended during the run */

    uint64_t records_lost;
    double cpu_ns_per_cycle; /* loop thread, sum of user and system; < 0 unknown */
    int64_t faults_n;        /* page faults of the loop's thread in the counted part; -1: unknown */

    uint64_t cause_late_n; /* cycles that began later than the threshold, without after-effects of an earlier
                              late cycle */
    uint64_t cause_explained_n; /* those of cause_late_n whose cause is not "unknown" */
    int64_t cause_above_ns;
    struct st_cause_row causes[ST_CAUSE_COUNT];

    int64_t started_wall_ns, duration_ns;
    struct st_test_condition conditions[ST_RESULT_CONDITIONS_MAX];
    size_t conditions_n;
};

/** Makes the histograms. @param endless the run may last months: all memory is resident from now on
 * (core/pages.h). @return 0, -ENOMEM (no histograms). */
ST_NODISCARD int st_result_init(struct st_result *result, bool endless);
void st_result_finish(struct st_result *result); /* frees the histograms */

/** Copies a result with its histograms; free with st_result_finish. @return 0, -ENOMEM. */
ST_NODISCARD int st_result_copy(struct st_result *ret, const struct st_result *from);

/** Looks up a test condition; NULL: not readable. */
const char *st_result_condition(const struct st_result *result, const char *key);

/** The value as shown on screens: the default of /dev/cpu_dma_latency means that no program requests a
 * latency. */
const char *st_result_condition_shown(const char *key, const char *value);

/** The cause with the longest total time; a stop of the process itself only if there is no other cause;
 * NULL: nothing was late. */
const struct st_cause_row *st_result_main_cause(const struct st_result *result, enum st_cause *ret);

/** Appends a reason. */
void st_result_degrade(struct st_result *result, const char *format, ...) ST_PRINTF(2, 3);

/** One sentence: does the machine keep this period, by what evidence, how sure. Computed from the figures. */
const char *st_result_verdict(const struct st_result *result);

/** Duration of the periods that were seen, s. */
double st_result_seconds(const struct st_result *result);

/** An st_condition_fn that puts a test condition into an object: an integer as a number, anything else as
 * text. @param object a json_t. */
void st_result_condition_json(void *object, const char *key, const char *value);

/** Quantiles with intervals, extremes and the number of values of a histogram. New reference; NULL: out of
 * memory. */
json_t *st_result_distribution_json(const struct st_hist *hist);

/** The keys of sleeptune-measure/1 for one loop, without "schema". New reference; NULL: out of memory. */
json_t *st_result_json(const struct st_result *result);
