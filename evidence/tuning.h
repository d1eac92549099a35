/* A session of trials: settings are switched on and off in pairs of blocks. The next pair is for the
 * setting that promises most so far; the others are off in it, or on, where a second fault hides the first.
 * What is shown to help stays on, and is measured once more on fresh blocks at the end. Knows counts only:
 * the caller switches and measures. */
#pragma once

#include "core/base.h"

enum st_tuning_side {
    ST_TUNING_FEWER, /* B has fewer late wake-ups than A */
    ST_TUNING_MORE,  /* B has more */
    ST_TUNING_SIDES
};

#define ST_TUNING_BETS 5

/** Of pairs of blocks. */
struct st_tuning_evidence {
    double log_product[ST_TUNING_SIDES][ST_TUNING_BETS];
    uint32_t pairs_n;
};

/** The e-value: mean over five bets of the product of (1 + bet * D). Without an effect it is ever at least x
 * in 1 / x of all sessions at most, whenever one looks. Source: Ville 1939; Johari et al., "Always valid
 * inference", 2022. @return >= 0. */
double st_tuning_e(const struct st_tuning_evidence *s, enum st_tuning_side side);

#define ST_TUNING_ROWS_MAX    32
#define ST_TUNING_WHY_BYTES   200
#define ST_TUNING_SAME_BLOCKS 12

/** What a block measured. */
struct st_tuning_block {
    uint64_t late_n;   /* wake-ups later than a share of the period: candidate.c */
    uint64_t events_n; /* missed periods, which come in bursts: miss_events.h */
    uint64_t others_n; /* dropouts of other programs */
};

enum st_tuning_outcome {
    ST_TUNING_NOT_TRIED,
    ST_TUNING_HELPS,
    ST_TUNING_NO_EFFECT, /* none was shown, and more pairs are unlikely to show one */
    ST_TUNING_HARMFUL,   /* more late wake-ups, or more dropouts */
    ST_TUNING_UNDECIDED, /* the budget ended before anything was shown */
    ST_TUNING_FAILED,    /* it could not be switched, or another program wrote it meanwhile */
};

/** How many times as many, or as few: the median of eight pairs with the interval of the sign test, from the
 * least to the greatest of them, which assumes nothing: 99 %. */
struct st_tuning_fold {
    double value, low, high;
};

/** In what state the others are while a row is tried. */
enum st_tuning_others {
    ST_TUNING_OTHERS_OFF, /* but for what was shown to help */
    ST_TUNING_OTHERS_ON,
    ST_TUNING_OTHERS
};

/** One setting. */
struct st_tuning_row {
    bool refused; /* its cost is not accepted: tried, and not kept on */
    enum st_tuning_outcome outcome;
    char why[ST_TUNING_WHY_BYTES];      /* of not tried, failed, harmful, no effect, undecided; or "" */
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
    ST_TUNING_RARE,    /* too few to compare settings by them */
    ST_TUNING_STOPPED, /* `why` */
};

struct st_tuning {
    struct st_tuning_row rows[ST_TUNING_ROWS_MAX];
    size_t n;
    uint32_t blocks_max; /* the budget */
    /* filled by st_tuning_plan */
    size_t open_n;                     /* rows that are tried */
    size_t sure_n;                     /* of them: this budget can show a 3-fold effect of each */
    uint32_t blocks_least, blocks_all; /* needed for one of them, for all; on a noisy machine more */
    /* filled by st_tuning_run */
    enum st_tuning_end end;
    char why[ST_TUNING_WHY_BYTES];
    uint32_t blocks_n; /* that ran */
    uint64_t late_n;   /* in ST_TUNING_SAME_BLOCKS without a change, before the first trial */
};

struct st_tuning_bench {
    /** Bit i of `on`: row i is on. @return 0; -EBUSY (another program wrote row *ret_row), -EIO (it could not
     * be switched) with `why` of ST_TUNING_WHY_BYTES; other errors end the session. */
    int (*set)(void *ctx, uint32_t on, size_t *ret_row, char *why);
    /** Measures a block. @return 0; -EINTR: asked to stop; other errors end the session, with `why`. */
    int (*block)(void *ctx, struct st_tuning_block *ret, char *why);
    /** Before each block, for people; row: < 0 nothing is tried. May be NULL. */
    void (*look)(void *ctx, const struct st_tuning *tuning, int row);
    void *ctx;
};

/** How many rows the budget is enough for. Measures nothing. */
void st_tuning_plan(struct st_tuning *tuning);

/** Runs a session: blocks without a change, screening of more than four rows, trials, fresh pairs. Rows that
 * are ST_TUNING_NOT_TRIED with a `why` are left alone. Afterwards all is off.
 * @return 0, or the error that ended it. Threads: any. */
int st_tuning_run(struct st_tuning *tuning, const struct st_tuning_bench *bench, uint64_t seed);

/** "helps", "no-effect", "harmful", "undecided", "failed", "not-tried". */
const char *st_tuning_outcome_name(enum st_tuning_outcome outcome);
