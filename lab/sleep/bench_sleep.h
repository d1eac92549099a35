/* Which way of sleeping is most exact, and what it costs: methods x durations x settings, measured in random
 * order, block by block, until the intervals are narrow or the time is used up. */
#ifndef ST_LAB_SLEEP_BENCH_SLEEP_H
#define ST_LAB_SLEEP_BENCH_SLEEP_H

#include "platform/sleep_method.h"

#define ST_BENCH_SLEEP_CELLS_MAX 4096
#define ST_BENCH_SLEEP_BLOCKS    20 /* fit into the budget: comparisons are made block by block */

/** What the sleeping thread is set to. */
struct st_sleep_setting {
    enum st_policy policy;
    int priority;
    int64_t slack_ns; /* timer slack; -1: as found */
};

/** One method, duration and setting. */
struct st_sleep_cell {
    const struct st_sleep_method *method;
    size_t setting; /* index into the config's */
    int64_t requested_ns;
    const char *why;       /* why it is not measured (any further); NULL: it is */
    int error;             /* what the kernel said then, < 0; 0: nothing */
    int64_t *overshoot_ns; /* woke - due, in order */
    uint32_t *blocks;      /* the block of each: ascending */
    size_t n, room_n;
    size_t on_time_n;       /* of n, ended within ST_ON_TIME_NS of due */
    uint64_t interrupted_n; /* sleeps that a signal ended: not counted */
    int64_t cpu_ns;         /* of cpu_sleeps_n sleeps, the clock reads around them included */
    uint64_t cpu_sleeps_n;
    int64_t spent_ns; /* wall time, with all that is around the sleeps */
    uint64_t visits_n;
    bool narrow; /* the interval of its median is narrow enough */
};

struct st_bench_sleep;

struct st_bench_sleep_config {
    const struct st_sleep_method *const *methods;
    size_t methods_n;
    const int64_t *durations_ns; /* > 0 */
    size_t durations_n;
    const struct st_sleep_setting *settings;
    size_t settings_n;
    size_t baseline;   /* index of the method that the others are compared with */
    int64_t budget_ns; /* wall time; 0: what ST_BENCH_SLEEP_BLOCKS blocks take */
    double precision;  /* half the width of the median's interval over the median: narrow enough; 0: never */
    uint64_t seed;     /* of the order */
    /** Asked before each visit of a cell, in the measuring thread. @return false: stop here. NULL: go on. */
    bool (*go_on)(void *ctx, const struct st_bench_sleep *bench);
    void *ctx;
};

struct st_bench_sleep {
    struct st_bench_sleep_config config;
    struct st_sleep_cell *cells; /* setting by setting, duration by duration, method by method */
    size_t cells_n;
    uint32_t blocks_n;
    int64_t elapsed_ns;
    int64_t slack_found_ns; /* -1: no such thing here */
    enum st_policy policy_found;
    int priority_found;
    double visit_share; /* of a full visit, so that the blocks fit; (0, 1] */
    bool stopped;       /* by go_on */
};

/** Samples of one visit of a cell: as many as fit into 50 ms, 1 to 10; fewer where the budget is short. */
size_t st_sleep_visit_n(const struct st_bench_sleep *bench, int64_t requested_ns);

/** Wall time of one block: each cell visited once. The measured time so far where there is one. */
int64_t st_bench_sleep_block_ns(const struct st_bench_sleep *bench);

/** The cell of a method, duration and setting by their indices. */
struct st_sleep_cell *st_bench_sleep_cell(const struct st_bench_sleep *bench, size_t setting, size_t duration,
                                          size_t method);

/** Makes the cells; nothing is measured yet. The config's arrays must stay.
 * @return 0, -EINVAL (nothing to measure, a duration <= 0), -E2BIG (too many cells), -ENOMEM. */
ST_NODISCARD int st_bench_sleep_init(struct st_bench_sleep *bench, struct st_platform *p,
                                     const struct st_bench_sleep_config *config);

/**
 * Measures, in the calling thread, whose policy and slack are as before when it returns. A cell that cannot
 * be measured says why. @return 0, -ENOMEM (what was measured is there).
 */
ST_NODISCARD int st_bench_sleep_measure(struct st_bench_sleep *bench, struct st_platform *p);

void st_bench_sleep_finish(struct st_bench_sleep *bench);

#endif
