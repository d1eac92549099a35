/* Two ways of waiting, measured in turn: blocks of A beside blocks of B, so that changes on the machine
 * affect both. */
#ifndef ST_MEASURE_AB_H
#define ST_MEASURE_AB_H

#include <stdatomic.h>

#include "core/period.h"
#include "evidence/trial.h"
#include "platform/platform.h"

/** How a thread is set up and how it sleeps. */
struct st_ab_arm {
    const char *method; /* of platform/sleep.h */
    enum st_policy policy;
    int priority;
    int cpu;          /* -1: as found */
    int64_t slack_ns; /* -1: as found */
    int32_t hold_us;  /* latency that the CPUs are held to meanwhile (hold_latency); -1: none */
};

struct st_ab_config {
    struct st_period period;
    struct st_ab_arm arms[2];
    uint32_t pairs_n;  /* >= 1 */
    uint32_t cycles_n; /* >= 1: counted cycles of a block; ST_AB_WARMUP_CYCLES before them are not counted */
    struct st_random *random;
    const _Atomic bool *stop; /* ends it after the cycle; the pair that it cut is dropped */
    void (*look)(void *ctx, uint32_t pairs_done);
    void *look_ctx;
};

#define ST_AB_WARMUP_CYCLES 3

/** Tries to set an arm up, without sleeping. @return 0, or the error of the system. */
ST_NODISCARD int st_ab_try(struct st_platform *p, const struct st_ab_arm *arm);

/** How long the blocks take when nothing is late. */
int64_t st_ab_duration_ns(const struct st_ab_config *config);

/**
 * Runs the pairs (AB BA AB ..., which of them is first is drawn) and fills the figures of the trial. Each
 * block runs in a thread of its own, which takes policy, slack and CPU with it when it ends. A wake-up later
 * than the next period skips that period. The caller limits real-time CPU time (set_rttime_limit_ns).
 * @return 0 also when stopped; -ENOMEM, -EAGAIN (no thread), or the error of an arm (then the trial is
 * unchanged). Threads: any, one at a time.
 */
ST_NODISCARD int st_ab_run(struct st_platform *p, const struct st_ab_config *config, struct st_trial *trial);

/**
 * Compares the runs of both arms, which have a block each pair, and fills the figures of the trial. Ends the
 * runs. The caller judges all trials together: st_trials_judge. @return 0, -ENOMEM. Threads: any.
 */
ST_NODISCARD int st_ab_judge(struct st_blocks runs[2], struct st_random *random, struct st_trial *trial);

#endif
