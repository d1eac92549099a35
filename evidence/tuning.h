/* A session of `tune`: settings are switched on and off in pairs of blocks. The next pair tests the
 * most promising setting; the other settings are off in some of its pairs and on in others, since a
 * second fault could hide its effect. A setting that is shown to help stays on, and is measured
 * again in fresh blocks at the end. This file only handles counts: the caller switches settings and
 * measures. */
#pragma once

#include "core/base.h"

enum st_tuning_side {
    ST_TUNING_FEWER, /* B has fewer late wake-ups than A */
    ST_TUNING_MORE,  /* B has more late wake-ups than A */
    ST_TUNING_SIDES
};

#define ST_TUNING_BETS 5

/** Evidence about a setting from pairs of blocks, A without it and B with it. */
struct st_tuning_evidence {
    double log_product[ST_TUNING_SIDES][ST_TUNING_BETS];
    uint32_t pairs_n;
};

/** The e-value: mean over five bets of the product of (1 + bet * D), where D is the relative
 * difference of a pair. Without an effect, at most a share 1 / x of all sessions ever reach a value
 * of x, even if it is checked after each pair. Source: Ville 1939; Johari et al., "Always valid
 * inference", 2022. @return >= 0.
 */
double st_tuning_e(const struct st_tuning_evidence *s, enum st_tuning_side side);

#define ST_TUNING_ROWS_MAX    32
#define ST_TUNING_WHY_BYTES   200
#define ST_TUNING_SAME_BLOCKS 12

/** What was counted in one block. */
struct st_tuning_block {
    uint64_t late_n;   /* wake-ups that were later than a share of the period (candidate.c) */
    uint64_t events_n; /* events of missed periods (miss_events.h) */
    uint64_t others_n; /* dropouts of other programs */
};

enum st_tuning_outcome {
    ST_TUNING_NOT_TRIED,
    ST_TUNING_HELPS,
    ST_TUNING_NO_EFFECT, /* no effect was shown, and more pairs are unlikely to show one */
    ST_TUNING_HARMFUL,   /* more late wake-ups, or more dropouts */
    ST_TUNING_UNDECIDED, /* the budget of blocks ended before a result */
    ST_TUNING_FAILED,    /* the setting could not be switched, or another program changed it
                          * meanwhile */
};

/** Size of an effect: how many times fewer late wake-ups there are with the setting, as the
 * geometric mean of eight or more pairs. low and high are its 95 % interval. A setting
 * helps only if low is above 1. */
struct st_tuning_fold {
    double value, low, high;
};

/** State of the other settings in a pair of blocks. */
enum st_tuning_others {
    ST_TUNING_OTHERS_OFF, /* off, except for settings that were shown to help */
    ST_TUNING_OTHERS_ON,
    ST_TUNING_OTHERS
};

/** One setting and its result. */
struct st_tuning_row {
    bool refused; /* the setting is tried, but not left on, because the user does not accept its
                     cost */
    enum st_tuning_outcome outcome;
    /* reason for the outcome not tried, failed, harmful, no effect or undecided; or "" */
    char why[ST_TUNING_WHY_BYTES];
    struct st_tuning_evidence evidence; /* evidence from late wake-ups */
    /* evidence from the loop's missed deadlines and from other programs' dropouts, in all pairs of
     * blocks of this setting, fresh pairs included */
    struct st_tuning_evidence dropouts;
    /* sum of (off - on) / (off + on) over the pairs of this setting and the screening, where off
     * and on are the late wake-ups without and with the setting; for each state of the other
     * settings */
    double seen[ST_TUNING_OTHERS];
    uint32_t seen_n[ST_TUNING_OTHERS];
    /* how many times fewer late wake-ups there were in fresh blocks; 0: unknown */
    struct st_tuning_fold fold;
    /* sums (not means) of the counts of all pairs: [0] without the setting, [1] with it */
    struct st_tuning_block mean[2];
};

enum st_tuning_end {
    ST_TUNING_DONE,
    ST_TUNING_NOTHING, /* there was no late wake-up at all, so nothing can become better */
    ST_TUNING_RARE,    /* too few late wake-ups to compare settings */
    ST_TUNING_STOPPED, /* ended early, for the reason in `why` */
};

struct st_tuning {
    struct st_tuning_row rows[ST_TUNING_ROWS_MAX];
    size_t n;
    uint32_t blocks_max; /* the budget: most blocks that may run */
    /* The next members are set by st_tuning_plan. */
    size_t open_n; /* rows (settings) that will be tried */
    /* how many of open_n rows can be tried with this budget, if the effect is at least 3-fold */
    size_t sure_n;
    /* blocks needed for one row, and for all rows; a noisy machine needs more */
    uint32_t blocks_least, blocks_all;
    /* The next members are set by st_tuning_run. */
    enum st_tuning_end end;
    char why[ST_TUNING_WHY_BYTES];
    uint32_t blocks_n; /* blocks that ran */
    uint64_t late_n;   /* late wake-ups in the first ST_TUNING_SAME_BLOCKS, without any setting */
};

struct st_tuning_bench {
    /** Switches settings: row i is on if bit i of `on` is set. @return 0; -EBUSY (another program
     * changed the setting of row *ret_row), -EIO (that row could not be switched), both with `why`
     * of ST_TUNING_WHY_BYTES; other errors end the session. */
    int (*set)(void *ctx, uint32_t on, size_t *ret_row, char *why);
    /** Measures a block. @return 0; -EINTR: the user stopped it; other errors end the session, with
     * `why`. */
    int (*block)(void *ctx, struct st_tuning_block *ret, char *why);
    /** Called before each block, to show progress. May be NULL. @param row row that is tried; < 0:
     * none. */
    void (*look)(void *ctx, const struct st_tuning *tuning, int row);
    void *ctx;
};

/** Computes for how many rows (settings) the budget of blocks is enough, without measuring. */
void st_tuning_plan(struct st_tuning *tuning);

/** Runs a session: blocks without a setting, screening if there are more than four rows, trials,
 * fresh pairs. Ignores rows that are ST_TUNING_NOT_TRIED with a `why`. All settings are off
 * afterwards. @return 0, or the error that ended the session. Threads: any. */
int st_tuning_run(struct st_tuning *tuning, const struct st_tuning_bench *bench, uint64_t seed);

/** The name of an outcome: "helps", "no-effect", "harmful", "undecided", "failed", "not-tried". */
const char *st_tuning_outcome_name(enum st_tuning_outcome outcome);
