/* The result of one loop: all figures about it that reports, the status page and JSON documents
 * show. */
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

    enum st_policy policy; /* what the kernel granted */
    int priority;
    /* what was requested but refused ("no right to SCHED_FIFO: ..."); "": the loop runs as
     * requested */
    char degraded[256];
    enum st_lock lock;
    /* timer slack (ns) that was set for this measurement; -1: it was not changed */
    int64_t timer_slack_set_ns;
    bool running;     /* the run goes on */
    bool interrupted; /* the run ended before its full duration */
    int error;        /* 0, or the negative errno value that ended the loop */

    struct st_hist lateness; /* lateness of all cycles, which are the wake-ups */
    struct st_hist response; /* response time of all periods, including skipped ones */

    uint64_t n; /* number of lateness values: cycles - records_lost */
    uint64_t cycles, skipped_periods, elapsed_periods;
    int64_t t0_ns; /* due time of period 0 (CLOCK_MONOTONIC); valid after the first period */
    /* the counts agree: cycles + skipped_periods = elapsed_periods, n + records_lost = cycles, and
     * the clock agrees with them */
    bool books_balance;
    uint64_t misses; /* cycles that ended after the next one was due, and skipped periods */
    struct st_miss_events miss_events;
    uint64_t early;
    uint64_t suspends; /* how often the machine was suspended during the run */

    uint64_t records_lost;
    double cpu_ns_per_cycle; /* user and system CPU time of the loop's thread; < 0: unknown */
    int64_t faults_n;        /* page faults of the loop's thread after warm-up; -1: unknown */

    /* cycles that began later than cause_above_ns, without those that were late only because the
     * cycle before them was */
    uint64_t cause_late_n;
    uint64_t cause_explained_n; /* cycles in cause_late_n whose cause is not "unknown" */
    int64_t cause_above_ns;
    struct st_cause_row causes[ST_CAUSE_COUNT];

    int64_t started_wall_ns, duration_ns;
    struct st_test_condition conditions[ST_RESULT_CONDITIONS_MAX];
    size_t conditions_n;
};

/** Makes the histograms. @param endless the run may last months, so all of their memory is made
 * resident now (core/pages.h). @return 0, -ENOMEM (no histograms). */
ST_NODISCARD int st_result_init(struct st_result *result, bool endless);
void st_result_finish(struct st_result *result); /* frees the histograms */

/** Copies a result with its histograms; free with st_result_finish. @return 0, -ENOMEM. */
ST_NODISCARD int st_result_copy(struct st_result *ret, const struct st_result *from);

/** The value of a test condition; NULL: it could not be read. */
const char *st_result_condition(const struct st_result *result, const char *key);

/** Returns the value of a test condition as screens show it. Replaces the default of
 * /dev/cpu_dma_latency, a very large number, by words. */
const char *st_result_condition_shown(const char *key, const char *value);

/** The cause with the longest total lateness. A stop of the process itself is returned only if
 * there is no other cause. NULL: nothing was late. */
const struct st_cause_row *st_result_main_cause(const struct st_result *result, enum st_cause *ret);

/** Appends a reason to result->degraded. */
void st_result_degrade(struct st_result *result, const char *format, ...) ST_PRINTF(2, 3);

/** One sentence: does the machine meet the deadlines of this period, and which figures show
 * that? */
const char *st_result_verdict(const struct st_result *result);

/** Duration (s) of all periods except those that were lost because the ring was full. */
double st_result_seconds(const struct st_result *result);

/** An st_condition_fn that adds a test condition to a JSON object: an integer as a number, any
 * other value as text. @param object a json_t. */
void st_result_condition_json(void *object, const char *key, const char *value);

/** The members of sleeptune-measure/1 for one loop, without "schema". New reference; NULL: out of
 * memory. */
json_t *st_result_json(const struct st_result *result);
