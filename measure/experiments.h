/* Experiments that need no special rights and do no harm: a row each, with two arms of ab.h. */
#ifndef ST_MEASURE_EXPERIMENTS_H
#define ST_MEASURE_EXPERIMENTS_H

#include "measure/ab.h"

#define ST_EXPERIMENTS_MAX ST_TRIALS_MAX

struct st_experiment {
    const char *id; /* as st_trial */
    const char *title;
    const char *rules[ST_TRIAL_RULES_MAX]; /* of the advisor, by name only */
    struct st_ab_arm arms[2];
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

#endif
