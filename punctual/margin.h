/* The margin of punctual mode: how much earlier than due a thread asks to be woken.
 *
 *
 * A wait asks for due - margin, wakes `overshoot` after that, and spins for the rest. The margin is a
 * quantile of the overshoots seen so far, recent ones weighted more, and is limited by the mean spinning time
 * allowed per wait. Both depend on the lower part of the distribution only: a stall of 20 ms counts as one
 * late wake-up, however long it was. A mean or a maximum would follow it. */
#pragma once

#include "core/base.h"

#define ST_MARGIN_BUCKETS 448

/** The largest margin: this quantile covers nearly all wake-ups that are worth waiting for. */
#define ST_MARGIN_QUANTILE_MOST 0.995

/** Only the quantile limits the spinning. */
#define ST_MARGIN_SPIN_ANY INT64_MAX

enum st_margin_kind {
    ST_MARGIN_FIXED,    /* stays as it is, whatever is learned */
    ST_MARGIN_QUANTILE, /* of the overshoots, at any cost */
    /* what a budget of spinning buys: the quantile ST_MARGIN_QUANTILE_MOST, and while the budget lasts up to
       twice its distance from the median, for wake-ups that are later still */
    ST_MARGIN_BUDGET,
    /* the smallest overshoot, without the smallest 1 %, rounded down to the edge of a bucket: such a margin
       costs nothing. Only one wait in four is learned from, to save time */
    ST_MARGIN_FREE,
};

struct st_margin {
    double quantile;
    int64_t spin_mean_max_ns; /* spinning a wait, on average; another value holds from the next update on */
    int64_t margin_ns;        /* now */
    int64_t overshoot_ns;     /* that the last sleep saw; INT64_MIN: none yet */
    int64_t spun_ns;          /* what the last wait spun */
    int64_t read_ns;          /* what a clock read takes in a spin */
    float turns_per_ns; /* of the empty loop between two clock reads of a spin: from the next two fields */
    unsigned turns_n;   /* turns of that loop since the speed was last computed */
    int64_t turns_ns;   /* how long they took */
    enum st_margin_kind kind;
    unsigned learn_every;  /* one overshoot in this many waits is learned */
    unsigned until_learn;  /* waits until the next one is */
    unsigned update_every; /* overshoots: how many are learned between two computations */
    unsigned until_update; /* overshoots until the margin is computed anew */
    float weight;          /* of the next overshoot: it grows, which is how the old ones fade */
    double total;          /* of all weights up to the last computation */
    float weights[ST_MARGIN_BUCKETS];
};

/**
 * @param value ns of a fixed margin; a quantile in (0, 1); of a budget what a wait may spin on average, ns >=
 * 0; of a free margin nothing. What is learned is 0 until 32 overshoots are known. Threads: one at a time,
 * all functions here. */
void st_margin_init(struct st_margin *margin, enum st_margin_kind kind, double value);

/* Log-linear buckets: 64 ns wide up to 2 us, then 32 an octave (3 %) up to 16.8 ms; the last one takes all
 * that is later. */
#define ST_MARGIN_UNIT_SHIFT 6
#define ST_MARGIN_SUB_BITS   5
#define ST_MARGIN_SUB_N      (1u << ST_MARGIN_SUB_BITS)

static inline unsigned st_margin_bucket_of(int64_t ns) ST_NONBLOCKING
{
    if (ns <= 0)
        return 0;
    const uint64_t units = (uint64_t)ns >> ST_MARGIN_UNIT_SHIFT;
    if (units < ST_MARGIN_SUB_N)
        return (unsigned)units;
    const unsigned shift = 63u - (unsigned)__builtin_clzll(units) - ST_MARGIN_SUB_BITS;
    const unsigned bucket = shift * ST_MARGIN_SUB_N + (unsigned)(units >> shift);
    return bucket < ST_MARGIN_BUCKETS ? bucket : ST_MARGIN_BUCKETS - 1;
}

/** Computes the margin anew (some 0.5 us). Real-time safe. */
void st_margin_update(struct st_margin *margin) ST_NONBLOCKING;

/**
 * Counts one overshoot: woke - (due - margin). Each 64th computes the margin anew. What was learned fades
 * with a time constant of 2048 waits. Real-time safe. Inline: once a cycle. */
static inline void st_margin_learn(struct st_margin *margin, int64_t overshoot_ns) ST_NONBLOCKING
{
    margin->weights[st_margin_bucket_of(overshoot_ns)] += margin->weight;
    if (--margin->until_update == 0)
        st_margin_update(margin);
}

/** How many turns of a spin's empty loop a nanosecond has. Real-time safe. */
void st_margin_learn_turns(struct st_margin *margin) ST_NONBLOCKING;

/** Before each wait: learns what the last sleep saw, if it is its turn. Real-time safe. Inline: once a
 * cycle. */
static inline void st_margin_review(struct st_margin *margin) ST_NONBLOCKING
{
    if (margin->turns_n > 0)
        st_margin_learn_turns(margin);
    if (--margin->until_learn != 0)
        return;
    margin->until_learn = margin->learn_every;
    if (margin->overshoot_ns != INT64_MIN)
        st_margin_learn(margin, margin->overshoot_ns);
    margin->overshoot_ns = INT64_MIN;
}

/** The margin for a wait of wait_ns from now: at most half of it, so that spinning never takes more than half
 * of a CPU. Real-time safe. @return ns, >= 0. */
static inline int64_t st_margin_for(const struct st_margin *margin, int64_t wait_ns) ST_NONBLOCKING
{
    const int64_t half_ns = wait_ns > 0 ? wait_ns / 2 : 0;
    return margin->margin_ns < half_ns ? margin->margin_ns : half_ns;
}
