/* The margin of punctual mode: how much earlier than due a thread asks to be woken.
 *
 * A wait asks for due - margin, wakes `overshoot` after that, and spins for the rest. The margin is
 * a quantile of the overshoots seen so far, recent ones weighted more, and is limited by the mean
 * spinning time allowed per wait. Both depend on the lower part of the distribution only: a stall
 * of 20 ms counts as one late wake-up, however long it was. A mean or a maximum would grow with the
 * stall. */
#pragma once

#include "core/base.h"

#define ST_MARGIN_BUCKETS 448

/** Highest quantile for the margin: nearly all wake-ups that are worth waiting for are below it. */
#define ST_MARGIN_QUANTILE_MOST 0.995

/** A value for spin_mean_max_ns: spinning is limited by the quantile only. */
#define ST_MARGIN_SPIN_ANY INT64_MAX

enum st_margin_kind {
    ST_MARGIN_FIXED,    /* a fixed margin: overshoots are not learned from */
    ST_MARGIN_QUANTILE, /* a quantile of the overshoots, however long waits then spin */
    /* as far as a budget of spinning allows: the quantile ST_MARGIN_QUANTILE_MOST, plus up to twice
     * the distance of that quantile from the median, for wake-ups that are later still */
    ST_MARGIN_BUDGET,
    /* the smallest overshoot, without the smallest 1 %, rounded down to the edge of a bucket: such
     * a margin costs no spinning. To save time, only one wait in four is learned from */
    ST_MARGIN_FREE,
};

struct st_margin {
    double quantile;
    /* mean spinning time allowed per wait; a new value counts from the next st_margin_update on */
    int64_t spin_mean_max_ns;
    int64_t margin_ns;    /* the margin now, ns */
    int64_t overshoot_ns; /* overshoot of the last sleep; INT64_MIN: none yet */
    int64_t spun_ns;      /* spinning time of the last wait */
    int64_t read_ns;      /* duration of one clock read while spinning */
    float turns_per_ns;   /* turns of the empty loop in 1 ns; computed from the next two members */
    unsigned turns_n;     /* turns of the empty loop since turns_per_ns was last computed */
    int64_t turns_ns;     /* duration of turns_n turns */
    enum st_margin_kind kind;
    unsigned learn_every;  /* one overshoot is learned in this number of waits */
    unsigned until_learn;  /* waits until the next overshoot is learned */
    unsigned update_every; /* learned overshoots between two computations of the margin */
    unsigned until_update; /* learned overshoots until the margin is computed next */
    /* weight of the next overshoot; it grows, so that old overshoots count less and less */
    float weight;
    double total; /* sum of all weights when the margin was last computed */
    float weights[ST_MARGIN_BUCKETS];
};

/** Initialises a margin. @param value ST_MARGIN_FIXED: the margin, ns; ST_MARGIN_QUANTILE: a
 * quantile in (0, 1); ST_MARGIN_BUDGET: mean spinning time allowed per wait, ns >= 0;
 * ST_MARGIN_FREE: ignored. A learned margin is 0 until 32 overshoots are known. Threads: all
 * functions of this file by one thread at a time. */
void st_margin_init(struct st_margin *margin, enum st_margin_kind kind, double value);

/* Buckets of overshoots: 64 ns wide up to 2 us, then 32 per octave (3 %) up to 16.8 ms; the last
 * bucket takes all longer overshoots. */
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

/** Computes the margin from the learned overshoots (some 0.5 us). Real-time safe. */
void st_margin_update(struct st_margin *margin) ST_NONBLOCKING;

/** Learns one overshoot: woke - (due - margin). After each 64th one, the margin is computed. Old
 * overshoots fade with a time constant of 2048 waits. Real-time safe. Inline, since it runs once a
 * cycle. */
static inline void st_margin_learn(struct st_margin *margin, int64_t overshoot_ns) ST_NONBLOCKING
{
    margin->weights[st_margin_bucket_of(overshoot_ns)] += margin->weight;
    if (--margin->until_update == 0)
        st_margin_update(margin);
}

/** Measures how many turns of the empty loop take 1 ns. Real-time safe. */
void st_margin_learn_turns(struct st_margin *margin) ST_NONBLOCKING;

/** Call before each wait: learns the overshoot of the last sleep if it is the learn_every-th one.
 * Real-time safe. Inline, since it runs once a cycle. */
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

/** The margin for a wait of wait_ns from now: at most wait_ns / 2, so that spinning takes at most
 * half of a CPU. Real-time safe. @return ns, >= 0. */
static inline int64_t st_margin_for(const struct st_margin *margin, int64_t wait_ns) ST_NONBLOCKING
{
    const int64_t half_ns = wait_ns > 0 ? wait_ns / 2 : 0;
    return margin->margin_ns < half_ns ? margin->margin_ns : half_ns;
}
