/* Experiments that need no special rights and do no harm: a row each, with two arms: ways of waiting that are measured in
 * turn, blocks of A beside blocks of B, so that changes on the machine affect both. */
#ifndef ST_MEASURE_EXPERIMENTS_H
#define ST_MEASURE_EXPERIMENTS_H

#include <stdatomic.h>

#include "core/period.h"
#include "evidence/trial.h"
#include "platform/platform.h"

#define ST_EXPERIMENTS_MAX ST_TRIALS_MAX

/** How a thread is set up and how it sleeps. */
struct st_experiment_arm {
    const char *method; /* of platform/sleep.h */
    enum st_policy policy;
    int priority;
    int cpu;          /* -1: as found */
    int64_t slack_ns; /* -1: as found */
    int32_t hold_us;  /* latency that the CPUs are held to meanwhile (hold_latency); -1: none */
};

struct st_experiment {
    const char *id; /* as st_trial */
    const char *title;
    const char *rules[ST_TRIAL_RULES_MAX]; /* of the advisor, by name only */
    struct st_experiment_arm arms[2];
    char names[2][64];
    char not_tried[160]; /* "" or why it cannot be tried here */
    int64_t duration_ns; /* 0 when it is not tried */
    uint32_t pairs_n, cycles_n;
};

struct st_experiments {
    struct st_experiment rows[ST_EXPERIMENTS_MAX];
    size_t n;
    struct st_period period;
    int64_t duration_ns; /* of all; may be longer than the budget, as each needs some pairs */
};

/**
 * Which experiments this system has and which of them are allowed: each arm is set up once, without sleeping.
 * The time is shared among those. A thread's slack and the CPUs are looked up now.
 * @param budget_ns > 0. Threads: any.
 */
void st_experiments_plan(struct st_platform *p, const struct st_period *period, int64_t budget_ns,
                         struct st_experiments *ret);

struct st_experiments_run {
    uint64_t seed;
    const _Atomic bool *stop; /* keeps what was measured so far */
    /** After each pair of blocks; may be NULL. */
    void (*look)(void *ctx, const struct st_experiment *current, int64_t done_ns);
    void *look_ctx;
};

/**
 * Runs them one after the other. An experiment that fails is a row with the reason.
 * @return 0, -ENOMEM. Free with st_trials_finish (evidence/trial.h).
 */
ST_NODISCARD int st_experiments_run(struct st_platform *p, const struct st_experiments *plan,
                                    const struct st_experiments_run *run, struct st_trials *ret);

/**
 * Compares the runs of both arms, which have a block each pair, and fills the figures of the trial. Ends the
 * runs. The caller judges all trials together: st_trials_judge. @return 0, -ENOMEM. Threads: any.
 */
ST_NODISCARD int st_experiments_judge(struct st_blocks runs[2], struct st_random *random,
                                      struct st_trial *trial);

#endif
