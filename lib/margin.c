/* The margin of punctual mode: quantile and area of a histogram that forgets. */
#include "lib/margin.h"

#include <string.h>

/* Log-linear buckets: 64 ns wide up to 4 us, then 32 an octave (3 %) up to 16.8 ms; the last one takes all
 * that is later. */
#define UNIT_SHIFT   6
#define SUB_BITS     5
#define SUB_N        (1 << SUB_BITS)
#define UPDATE_EVERY 64u
#define UPDATE_FIRST 32u
#define FADE_N       2048
#define WEIGHT_MAX   1e6f

static unsigned bucket_of(int64_t ns) ST_NONBLOCKING
{
    if (ns <= 0)
        return 0;
    const uint64_t units = (uint64_t)ns >> UNIT_SHIFT;
    if (units < SUB_N)
        return (unsigned)units;
    const unsigned shift = 63u - (unsigned)__builtin_clzll(units) - SUB_BITS;
    const unsigned bucket = (shift + 1) * SUB_N + (unsigned)(units >> shift) - SUB_N;
    return bucket < ST_MARGIN_BUCKETS ? bucket : ST_MARGIN_BUCKETS - 1;
}

static int64_t bucket_lowest_ns(unsigned bucket) ST_NONBLOCKING
{
    if (bucket < SUB_N)
        return (int64_t)bucket << UNIT_SHIFT;
    const unsigned shift = bucket / SUB_N - 1;
    return (int64_t)(SUB_N + bucket % SUB_N) << (shift + UNIT_SHIFT);
}

void st_margin_init(struct st_margin *margin, double quantile, int64_t spin_mean_max_ns)
{
    memset(margin, 0, sizeof(*margin));
    margin->quantile = quantile;
    margin->spin_mean_max_ns = spin_mean_max_ns;
    margin->overshoot_ns = INT64_MIN;
    margin->until_update = UPDATE_FIRST;
    margin->weight = 1;
}

void st_margin_init_fixed(struct st_margin *margin, int64_t margin_ns)
{
    st_margin_init(margin, 0.5, ST_MARGIN_SPIN_ANY);
    margin->fixed = true;
    margin->margin_ns = margin_ns;
}

void st_margin_set_spin_max(struct st_margin *margin, int64_t spin_mean_max_ns) ST_NONBLOCKING
{
    margin->spin_mean_max_ns = spin_mean_max_ns;
}

/* The margin m with F(m) = quantile, or, if that is less, with a mean spinning of what is allowed. A wait
 * that overshoots by o spins max(0, m - o); its mean is the integral of F from 0 to m. F is linear within a
 * bucket; the integral is convex, so that the chord that is taken for it there errs to the smaller margin. */
static int64_t best_margin_ns(const struct st_margin *margin) ST_NONBLOCKING
{
    const double wanted = margin->quantile * margin->total;
    const double spin_max = margin->spin_mean_max_ns == ST_MARGIN_SPIN_ANY
                                ? -1
                                : (double)margin->spin_mean_max_ns * margin->total;
    double below = 0, area = 0;
    for (unsigned i = 0; i < ST_MARGIN_BUCKETS - 1; i++) {
        const double here = (double)margin->weights[i];
        const int64_t low_ns = bucket_lowest_ns(i);
        const double width_ns = (double)(bucket_lowest_ns(i + 1) - low_ns);
        const double more = width_ns * (below + here / 2);
        double part = 1; /* of the bucket that is below the margin */
        if (below + here >= wanted)
            part = here > 0 ? (wanted - below) / here : 0;
        if (spin_max >= 0 && area + more * part > spin_max)
            part = more > 0 ? (spin_max - area) / more : 0;
        if (part < 1)
            return low_ns + (int64_t)(part * width_ns);
        below += here;
        area += more;
    }
    return bucket_lowest_ns(ST_MARGIN_BUCKETS - 1);
}

static void make_light(struct st_margin *margin) ST_NONBLOCKING
{
    for (size_t i = 0; i < ST_MARGIN_BUCKETS; i++)
        margin->weights[i] /= margin->weight;
    margin->total /= (double)margin->weight;
    margin->weight = 1;
}

void st_margin_learn(struct st_margin *margin, int64_t overshoot_ns) ST_NONBLOCKING
{
    if (margin->fixed)
        return;
    margin->weights[bucket_of(overshoot_ns)] += margin->weight;
    margin->total += (double)margin->weight;
    margin->weight *= 1.0f + 1.0f / FADE_N;
    if (--margin->until_update > 0)
        return;
    margin->until_update = UPDATE_EVERY;
    margin->margin_ns = best_margin_ns(margin);
    if (margin->weight > WEIGHT_MAX)
        make_light(margin);
}
