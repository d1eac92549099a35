/* Which way of sleeping is most exact, and what it costs: methods x durations x settings, measured in random
 * order, block by block, until the intervals are narrow or the time is used up. */
#pragma once

#include <jansson.h>

#include "lab/lab.h"
#include "lab/sleep/sleep.h"
#include "lab/summary.h"

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
size_t st_bench_sleep_visit_n(const struct st_bench_sleep *bench, int64_t requested_ns);

/** Wall time of one block: each cell visited once. The measured time so far where there is one. */
int64_t st_bench_sleep_block_ns(const struct st_bench_sleep *bench);

/** The cell of a method, duration and setting by their indices. */
struct st_sleep_cell *st_bench_sleep_cell(const struct st_bench_sleep *bench, size_t setting, size_t duration,
                                          size_t method);

/** Makes the cells; nothing is measured yet. The config's arrays must stay.
 * @return 0, -EINVAL (nothing to measure, a duration <= 0), -E2BIG (too many cells), -ENOMEM. */
ST_NODISCARD int st_bench_sleep_init(struct st_bench_sleep *bench, struct st_threads *threads,
                                     const struct st_bench_sleep_config *config);

/**
 * Measures, in the calling thread, whose policy and slack are as before when it returns. A cell that cannot
 * be measured says why. @return 0, -ENOMEM (what was measured is there). */
ST_NODISCARD int st_bench_sleep_measure(struct st_bench_sleep *bench, struct st_platform *p);

void st_bench_sleep_finish(struct st_bench_sleep *bench);

/* What a bench of sleeping methods says: figures a cell, ranks, sentences computed from them. */

#define ST_SLEEP_SENTENCE_BYTES 2048

/** Figures of one cell. */
struct st_sleep_figures {
    struct st_summary overshoot;
    bool percent_known; /* with the median */
    double percent;     /* median overshoot, % of what was asked for */
    double on_time;     /* share of on_time_n; of 0 samples 0 */
    double cpu_ns;      /* CPU time per sleep, user and system together; < 0: not known */
    unsigned rank;      /* among the methods of its setting and duration, 1: least median; shared where they
                           are not distinguished (lab/rank); 0: too few samples */
    size_t beaten_by_n; /* with a rank: how many of them are shown to wake earlier */
    struct st_estimate sd_ratio; /* standard deviation over the baseline's */
    bool range_ratio_known;
    double range_ratio; /* max - min over the baseline's; of extremes, so that no interval exists */
};

/** @param ret  one a cell, in the order of bench->cells; free with free(). @return 0, -ENOMEM. */
ST_NODISCARD int st_bench_sleep_figures(const struct st_bench_sleep *bench, struct st_sleep_figures **ret);

/**
 * How much later B wakes than A in the same block: the median of the differences of the two's medians block
 * by block, so that what drifts from block to block drops out. Its interval is that of order statistics,
 * exact for any distribution. Known from 6 common blocks on at 95 %, and from 10 on at 99.7 %. */
ST_NODISCARD int st_bench_sleep_difference(const struct st_sleep_cell *a, const struct st_sleep_cell *b,
                                           double confidence, struct st_quantile *ret);

/** Has this run a sample of a method, at any setting and duration? */
bool st_bench_sleep_measured(const struct st_bench_sleep *bench, size_t method);

/** What the kernel's setting does to a method, as measured. Untried: it has no sample, or the run no
 * contrast. */
enum st_stretch_seen { ST_STRETCH_NOT_SEEN, ST_STRETCH_SEEN, ST_STRETCH_UNCLEAR, ST_STRETCH_UNTRIED };

/** Two ends of a run at which the setting allows different lateness. Linux: normal threads at the smallest
 * and the largest timer slack. FreeBSD: the shortest and the longest duration, whose slop differs
 * (core/tick). */
struct st_sleep_contrast {
    int64_t allowed_ns;      /* more at the high end; 0: this run has no such contrast, the rest is 0 */
    int64_t low_ns, high_ns; /* slacks (Linux), durations (FreeBSD) */
    size_t low, high;        /* index of setting (Linux), of duration (FreeBSD) */
};

/**
 * Does the setting stretch this method? Seen when the whole interval of the difference between the two ends
 * is above half of what the setting allows, not seen when all of it is below.
 * @param ret the difference, block by block; 0 with ST_STRETCH_UNTRIED. @return 0, -ENOMEM. */
ST_NODISCARD int st_bench_sleep_stretch(const struct st_bench_sleep *bench, struct st_machine *machine,
                                        size_t method, enum st_stretch_seen *ret_seen,
                                        struct st_quantile *ret);

/** The one that tells methods which the setting stretches from those it does not. @return 0, -ENOMEM. */
ST_NODISCARD int st_bench_sleep_stretch_sentence(const struct st_bench_sleep *bench,
                                                 struct st_machine *machine, char *buf, size_t buf_bytes);

/** "normal thread, timer slack 50.0 µs as found", "SCHED_FIFO 70". */
const char *st_bench_sleep_setting_text(const struct st_bench_sleep *bench, size_t setting, char *buf,
                                        size_t buf_bytes);

/** "relative", "absolute"; "unknown", "no", "yes", "if-imprecise". */
const char *st_bench_sleep_asked_name(enum st_sleep_asked asked);
const char *st_bench_sleep_stretch_name(enum st_sleep_stretch stretch);

/** sleeptune-bench-sleep/1. New reference; NULL when out of memory. */
json_t *st_bench_sleep_json(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                            struct st_machine *machine);

/* sleeptune-lab sleep: its text. */

/** One line a method: what it is, its clock, what the kernel stretches; missing ones with the reason. */
void st_bench_sleep_list(struct st_lab *lab, FILE *out, int width);

/** What will be measured and how long that takes, before it starts. */
void st_bench_sleep_announce(const struct st_bench_sleep *bench, FILE *out, int width);

/** The result: a table a setting and duration (not when brief), medians and ranks side by side, sentences. */
void st_bench_sleep_print(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                          struct st_machine *machine, bool brief, FILE *out, int width);
