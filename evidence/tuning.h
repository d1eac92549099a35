/* A session of trials: settings are switched on and off in pairs of blocks. The next pair tests the most
 * promising setting; the other settings are off, or on if a second fault would hide the first. A setting
 * that is shown to help stays on, and is measured again on fresh blocks at the end. This file knows
 * counts only: the caller switches and measures. */
#pragma once

#include "core/base.h"

enum st_tuning_side {
    ST_TUNING_FEWER, /* B has fewer late wake-ups than A */
    ST_TUNING_MORE,  /* B has more */
    ST_TUNING_SIDES
};

#define ST_TUNING_BETS 5

/** Evidence from pairs of blocks. */
struct st_tuning_evidence {
    double log_product[ST_TUNING_SIDES][ST_TUNING_BETS];
    uint32_t pairs_n;
};

/** The e-value: mean over five bets of the product of (1 + bet * D). Without an effect, at most a share 1
 * / x of all sessions ever reach a value of x, whenever one looks. Source: Ville 1939; Johari et al.,
 * "Always valid inference", 2022. @return >= 0. */
double st_tuning_e(const struct st_tuning_evidence *s, enum st_tuning_side side);

#define ST_TUNING_ROWS_MAX    32
#define ST_TUNING_WHY_BYTES   200
#define ST_TUNING_SAME_BLOCKS 12

/** Counts of one block. */
struct st_tuning_block {
    uint64_t late_n;   /* wake-ups later than a share of the period: candidate.c */
    uint64_t events_n; /* events of missed periods: miss_events.h */
    uint64_t others_n; /* dropouts of other programs */
};

enum st_tuning_outcome {
    ST_TUNING_NOT_TRIED,
    ST_TUNING_HELPS,
    ST_TUNING_NO_EFFECT, /* no effect was shown, and more pairs are unlikely to show one */
    ST_TUNING_HARMFUL,   /* more late wake-ups, or more dropouts */
    ST_TUNING_UNDECIDED, /* the budget ended before a result */
    ST_TUNING_FAILED,    /* the setting could not be switched, or another program wrote it meanwhile */
};

/** Ratio of two counts: the median of eight pairs, with the interval of the sign test from the smallest to
 * the largest pair (99 %, without assumptions about the distribution). */
struct st_tuning_fold {
    double value, low, high;
};

/** State of the other settings during a trial. */
enum st_tuning_others {
    ST_TUNING_OTHERS_OFF, /* off, except settings that were shown to help */
    ST_TUNING_OTHERS_ON,
    ST_TUNING_OTHERS
};

/** One setting. */
struct st_tuning_row {
    bool refused; /* the setting's cost is not accepted: tried, but not kept on */
    enum st_tuning_outcome outcome;
    char why[ST_TUNING_WHY_BYTES]; /* reason for not tried, failed, harmful, no effect, undecided; or "" */
    struct st_tuning_evidence evidence; /* of late wake-ups */
    struct st_tuning_evidence dropouts; /* of missed deadlines and of other programs; also in fresh pairs */
    double seen[ST_TUNING_OTHERS];      /* sum of (off - on) / (off + on), over its pairs and the screening */
    uint32_t seen_n[ST_TUNING_OTHERS];
    struct st_tuning_fold fold;     /* how many times fewer late wake-ups, on fresh blocks; 0: unknown */
    struct st_tuning_block mean[2]; /* sums of counts over all pairs: [0] with the setting off, [1] on */
};

enum st_tuning_end {
    ST_TUNING_DONE,
    ST_TUNING_NOTHING, /* no late wake-up at all */
    ST_TUNING_RARE,    /* too few late wake-ups to compare settings */
    ST_TUNING_STOPPED, /* `why` */
};

struct st_tuning {
    struct st_tuning_row rows[ST_TUNING_ROWS_MAX];
    size_t n;
    uint32_t blocks_max; /* the budget */
    /* filled by st_tuning_plan */
    size_t open_n; /* rows that are tried */
    size_t sure_n; /* those of open_n for which this budget can show a 3-fold effect */
    uint32_t blocks_least,
        blocks_all; /* blocks needed for one row, and for all rows; more on a noisy machine */
    /* filled by st_tuning_run */
    enum st_tuning_end end;
    char why[ST_TUNING_WHY_BYTES];
    uint32_t blocks_n; /* blocks that ran */
    uint64_t late_n;   /* in ST_TUNING_SAME_BLOCKS without a change, before the first trial */
};

struct st_tuning_bench {
    /** Switches settings: bit i of `on` is row i. @return 0; -EBUSY (another program wrote row *ret_row),
     * -EIO (the row could not be switched), with `why` of ST_TUNING_WHY_BYTES; other errors end the
     * session. */
    int (*set)(void *ctx, uint32_t on, size_t *ret_row, char *why);
    /** Measures a block. @return 0; -EINTR: asked to stop; other errors end the session, with `why`. */
    int (*block)(void *ctx, struct st_tuning_block *ret, char *why);
    /** Called before each block, for progress. May be NULL. @param row < 0: no trial. */
    void (*look)(void *ctx, const struct st_tuning *tuning, int row);
    void *ctx;
};

/** Computes for how many rows the budget is enough. Measures nothing. */
void st_tuning_plan(struct st_tuning *tuning);

/** Runs a session: blocks without a change, screening if there are more than four rows, trials, fresh
 * pairs. Ignores rows that are ST_TUNING_NOT_TRIED with a `why`. Afterwards all settings are off. @return
 * 0, or the error that ended the session. Threads: any. */
int st_tuning_run(struct st_tuning *tuning, const struct st_tuning_bench *bench, uint64_t seed);

/** "helps", "no-effect", "harmful", "undecided", "failed", "not-tried". */
const char *st_tuning_outcome_name(enum st_tuning_outcome outcome);
