/* Punctual mode in the cycle loop: wait modes in turn, a block of periods each, so that each is measured
 * beside the plain mode in the same run. An arm is one wait mode. */
#pragma once

#include "core/stats/hist.h"
#include "lab/punctual/margin.h"
#include "measure/recent.h"

#define ST_ARMS_MAX 16

/** Periods in a row that wait the same way: the arm of period k is (k / ST_ARM_BLOCK) mod the number of
 * arms. */
#define ST_ARM_BLOCK 128

/** A wake-up is on time within this distance of its due time. */
#define ST_ON_TIME_NS 100

enum st_arm_kind {
    ST_ARM_PLAIN,    /* sleeps until due */
    ST_ARM_FREE,     /* a margin of the smallest overshoot: costs nothing */
    ST_ARM_FACTOR,   /* CPU time a cycle: at most this multiple of the plain mode's */
    ST_ARM_SHARE,    /* spins at most this percentage of the period on average */
    ST_ARM_QUANTILE, /* the margin is a quantile of the overshoots, in per cent */
    ST_ARM_FIXED,    /* a fixed margin, in ns */
};

/** A wait mode as it was asked for. */
struct st_arm_choice {
    char name[16]; /* as typed; "plain" */
    enum st_arm_kind kind;
    double value;
};

/** A wait mode in the loop. Only the loop's thread uses it until the loop has ended. */
struct st_arm {
    struct st_arm_choice choice;
    struct st_margin margin;
    uint64_t cycles;                /* counted ones */
    int64_t cpu_ns;                 /* of them; counters around each block */
    double block_cpu_ns;            /* a cycle, of its last block; 0: none yet */
    struct st_recent recent_cpu_ns; /* a cycle, of its last blocks, uncounted ones too */
    double usual_cpu_ns;            /* their median; 0: none yet */
    double trim; /* of what a factor allows to spin, [0.5, 1]: less where a cycle costs more than that */
    int64_t margin_min_ns, margin_max_ns; /* at the ends of counted blocks */
    double ratio_sum, ratio_sum2;         /* of block_cpu_ns to that of the plain block before */
    uint64_t ratios_n;
};

/** The result of one wait mode. */
struct st_arm_result {
    struct st_arm_choice choice;
    struct st_hist lateness;
    uint64_t on_time_n;                              /* |lateness| <= ST_ON_TIME_NS */
    double cpu_ns_per_cycle;                         /* < 0: unknown */
    int64_t margin_ns, margin_min_ns, margin_max_ns; /* valid with margin_known */
    bool margin_known;
    double cpu_to_plain, cpu_to_plain_low, cpu_to_plain_high; /* mean over blocks, 95 % interval */
    uint64_t blocks_n;                                        /* of which; < 2: unknown */
};

/**
 * Reads a list as "free", "1.7", "2%", "p97", "125us" or several with commas, or "curve" (a choice of
 * margins); plain comes first of itself. @param ret ST_ARMS_MAX of them. @return how many (>= 2), -EINVAL,
 * -ERANGE (a factor outside 1 .. 100, per cent outside 0 .. 50, a quantile outside p0.1 .. p99.9, a margin
 * over 100 ms), -E2BIG. */
ST_NODISCARD int st_arms_parse(const char *text, struct st_arm_choice *ret);

/** @param period_ns what shares are of. */
void st_arm_init(struct st_arm *arm, const struct st_arm_choice *choice, int64_t period_ns);

static inline size_t st_arm_of(uint64_t k, size_t arms_n) ST_NONBLOCKING
{
    return (size_t)(k / ST_ARM_BLOCK) % arms_n;
}

/** A block of arm i ended: cycles of it took cpu_ns. Updates the limit of the arms with a factor. A block of
 * less than half the length only adds to the sums. */
void st_arms_block(struct st_arm *arms, size_t n, size_t i, uint64_t cycles, int64_t cpu_ns) ST_NONBLOCKING;

/** Counting starts: keeps what was learned, clears what was counted. */
void st_arms_start(struct st_arm *arms, size_t n) ST_NONBLOCKING;

/** After the loop: cost and margin into the result. */
void st_arm_take(const struct st_arm *arm, struct st_arm_result *result);

/** Share of on_time_n with its 95 % interval (Wilson's). @return false: nothing was counted. */
bool st_arm_on_time(const struct st_arm_result *result, double *ret_share, double *ret_low, double *ret_high);
