/* Computes the margin of punctual mode from a histogram in which old overshoots fade. */
#include "punctual/margin.h"

#include <float.h>

#define UPDATE_EVERY 64u
#define UPDATE_FIRST 32u
#define FADE_N       2048
#define WEIGHT_MAX   1e6f

/* speed of the empty loop (turns in 1 ns) on a slow CPU. If a lower speed was measured, an
 * interrupt ran meanwhile, so this value is used instead */
#define TURNS_PER_NS_LEAST 0.125F

#define QUANTILE_FREE    0.01
#define LEARN_EVERY_FREE 4

static int64_t bucket_lowest_ns(unsigned bucket) ST_NONBLOCKING
{
    if (bucket < ST_MARGIN_SUB_N)
        return (int64_t)bucket << ST_MARGIN_UNIT_SHIFT;
    const unsigned shift = bucket / ST_MARGIN_SUB_N - 1;
    return (int64_t)(ST_MARGIN_SUB_N + bucket % ST_MARGIN_SUB_N) << (shift + ST_MARGIN_UNIT_SHIFT);
}

void st_margin_init(struct st_margin *margin, enum st_margin_kind kind, double value)
{
    memset(margin, 0, sizeof(*margin));
    margin->kind = kind;
    margin->quantile = ST_MARGIN_QUANTILE_MOST;
    margin->spin_mean_max_ns = ST_MARGIN_SPIN_ANY;
    if (kind == ST_MARGIN_QUANTILE)
        margin->quantile = value;
    else if (kind == ST_MARGIN_FREE)
        margin->quantile = QUANTILE_FREE;
    else if (kind == ST_MARGIN_BUDGET)
        margin->spin_mean_max_ns = (int64_t)value;
    else
        margin->margin_ns = (int64_t)value;
    margin->overshoot_ns = INT64_MIN;
    margin->learn_every = margin->until_learn = 1;
    margin->update_every = margin->until_update = UPDATE_FIRST;
    margin->weight = 1;
    margin->turns_per_ns = TURNS_PER_NS_LEAST;
}

static int64_t smaller_ns(int64_t a_ns, double b_ns) ST_NONBLOCKING
{
    return (double)a_ns < b_ns ? a_ns : (int64_t)b_ns;
}

/* Computes the margin m with F(m) = quantile, where F is the distribution of overshoots; or, if it
 * is smaller, the margin with which waits spin for the allowed mean time. A wait that overshoots by
 * o spins for max(0, m - o); the mean of that is the integral of F from 0 to m. Within a bucket, F
 * is taken as linear. The integral is interpolated by a straight line, which gives a slightly
 * smaller margin, since the integral is convex. */
static int64_t best_margin_ns(const struct st_margin *margin) ST_NONBLOCKING
{
    const double wanted = margin->quantile * margin->total;
    const double spin_max = margin->spin_mean_max_ns == ST_MARGIN_SPIN_ANY
                                ? DBL_MAX
                                : (double)margin->spin_mean_max_ns * margin->total;
    double below = 0, area = 0;
    int64_t median_ns = 0, low_ns = 0;
    for (unsigned i = 0; i < ST_MARGIN_BUCKETS - 1; i++) {
        const double here = (double)margin->weights[i];
        if (below + here <= 0) /* no overshoot was as short as this bucket */
            continue;
        low_ns = bucket_lowest_ns(i);
        const double width_ns = (double)(bucket_lowest_ns(i + 1) - low_ns);
        const double more = width_ns * (below + here / 2);
        if (below < margin->total / 2)
            median_ns = low_ns;
        if (below + here >= wanted) {
            if (margin->kind == ST_MARGIN_FREE)
                return low_ns;
            /* share of this bucket that is below the margin */
            const double part = here > 0 ? (wanted - below) / here : 0;
            const double left_ns = (spin_max - area - more * part) / margin->total;
            if (left_ns >= 0) {
                const int64_t reach_ns = low_ns + (int64_t)(part * width_ns);
                return reach_ns + (margin->kind == ST_MARGIN_BUDGET
                                       ? smaller_ns(reach_ns - median_ns, left_ns)
                                       : 0);
            }
        }
        if (area + more > spin_max)
            return low_ns + (int64_t)((spin_max - area) / more * width_ns);
        below += here;
        area += more;
    }
    return bucket_lowest_ns(ST_MARGIN_BUCKETS - 1);
}

static void make_light(struct st_margin *margin) ST_NONBLOCKING
{
    ST_EACH_OF (weight, margin->weights, ST_MARGIN_BUCKETS)
        *weight /= margin->weight;
    margin->total /= (double)margin->weight;
    margin->weight = 1;
}

void st_margin_learn_turns(struct st_margin *margin) ST_NONBLOCKING
{
    const float seen = margin->turns_ns > 0 ? (float)margin->turns_n / (float)margin->turns_ns : 0;
    margin->turns_per_ns +=
        ((seen > TURNS_PER_NS_LEAST ? seen : TURNS_PER_NS_LEAST) - margin->turns_per_ns) / 4;
    margin->turns_n = 0;
    margin->turns_ns = 0;
}

void st_margin_update(struct st_margin *margin) ST_NONBLOCKING
{
    const float learned_n = (float)margin->update_every;
    margin->total += (double)(margin->weight * learned_n);
    margin->weight *= 1 + learned_n * (float)margin->learn_every / FADE_N;
    margin->update_every = margin->until_update = UPDATE_EVERY;
    if (margin->kind == ST_MARGIN_FREE)
        margin->learn_every = LEARN_EVERY_FREE;
    if (margin->kind != ST_MARGIN_FIXED)
        margin->margin_ns = best_margin_ns(margin);
    if (margin->weight > WEIGHT_MAX)
        make_light(margin);
}
