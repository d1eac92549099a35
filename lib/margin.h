/* How early to ask to be woken, so that one is awake when it is time: the margin of punctual mode.
 *
 * A wait asks for due - margin, wakes `overshoot` after that, and spins what is left. The margin is a
 * quantile of the overshoots that were seen, lately ones more, and no larger than a mean of spinning a wait
 * allows. Both are ranks and areas of the distribution's lower part: a stall of 20 ms counts as one late
 * wake, however long it was. A mean or a maximum would follow it.
 */
#ifndef ST_LIB_MARGIN_H
#define ST_LIB_MARGIN_H

#include <stdbool.h>

#include "lib/base.h"

#define ST_MARGIN_BUCKETS 448

/** What the margin is at most: this quantile covers nearly all wakes that one can wait for. */
#define ST_MARGIN_QUANTILE_MOST 0.995
/** The smallest overshoot, but not the one wake in hundred that came sooner: a margin so small costs nothing.
 */
#define ST_MARGIN_QUANTILE_FREE 0.01

/** No limit for the spinning but the quantile. */
#define ST_MARGIN_SPIN_ANY INT64_MAX

struct st_margin {
    double quantile;
    int64_t spin_mean_max_ns; /* spinning a wait, on average */
    int64_t margin_ns;        /* now */
    int64_t overshoot_ns;     /* that the last wait saw; INT64_MIN: learned already, or none */
    int64_t spun_ns;          /* what the last wait spun */
    bool fixed;               /* margin_ns stays; overshoots are not learned */
    unsigned until_update;    /* overshoots until the margin is computed anew */
    float weight;             /* of the next overshoot: it grows, which is how the old ones fade */
    double total;
    float weights[ST_MARGIN_BUCKETS];
};

/**
 * @param quantile in (0, 1): of the overshoots, what the margin is at most.
 * @param spin_mean_max_ns >= 0: what it may cost a wait on average; ST_MARGIN_SPIN_ANY.
 * The margin is 0 until 32 overshoots are known. Threads: one at a time, all functions here.
 */
void st_margin_init(struct st_margin *margin, double quantile, int64_t spin_mean_max_ns);

/** A margin that stays as it is. */
void st_margin_init_fixed(struct st_margin *margin, int64_t margin_ns);

/** Another limit, from the next computation on. */
void st_margin_set_spin_max(struct st_margin *margin, int64_t spin_mean_max_ns) ST_NONBLOCKING;

/**
 * Counts one overshoot: woke - (due - margin). Each 64th computes the margin anew (some 0.5 us). What was
 * learned fades with a time constant of 2048 overshoots. Real-time safe.
 */
void st_margin_learn(struct st_margin *margin, int64_t overshoot_ns) ST_NONBLOCKING;

/** The margin for a wait of wait_ns from now: at most half of it, so that spinning never takes more than half
 * of a CPU. Real-time safe. @return ns, >= 0. */
static inline int64_t st_margin_for(const struct st_margin *margin, int64_t wait_ns) ST_NONBLOCKING
{
    const int64_t half_ns = wait_ns > 0 ? wait_ns / 2 : 0;
    return margin->margin_ns < half_ns ? margin->margin_ns : half_ns;
}

#endif
