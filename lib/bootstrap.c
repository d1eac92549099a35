#include "lib/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

#define RESAMPLES_MAX 10000
#define RESAMPLES_MIN 1000
#define STEPS_MAX     40000000 /* values looked at by all resamples */
#define GUIDE_N       1024
#define Z_975         1.959963984540054
#define TAIL          0.025

/* What lies on either side of the interval, and where that begins in a normal distribution. */
static const struct {
    double tail, z;
} confidences[] = {[ST_CONFIDENCE_95] = {TAIL, Z_975}, [ST_CONFIDENCE_99] = {0.005, 2.575829303548901}};

bool st_estimate_shows(const struct st_estimate *estimate, enum st_effect effect)
{
    const double none = effect == ST_EFFECT_RATIO ? 1 : 0;
    return estimate->known && (estimate->low > none || estimate->high < none);
}

double st_estimate_resolution(const struct st_estimate *estimate)
{
    return (estimate->high - estimate->low) / 2;
}

/** The value that would be at `index` if the n values were sorted: Hoare's quickselect, which reorders them.
 */
static double select_index(double *values, size_t n, size_t index)
{
    size_t first = 0, last = n - 1;
    while (first < last) {
        const double pivot = values[first + (last - first) / 2];
        size_t i = first, k = last;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            const double value = values[i];
            values[i++] = values[k];
            values[k--] = value;
        }
        /* all before i are <= pivot, all behind k >= pivot */
        if (index <= k)
            last = k;
        else
            first = k + 1;
    }
    return values[index];
}

/** B against A. @return false: a ratio that does not exist. */
static bool against(double a, double b, enum st_effect effect, double *ret)
{
    if (effect == ST_EFFECT_RATIO && !(a > 0))
        return false;
    *ret = effect == ST_EFFECT_RATIO ? b / a : b - a;
    return true;
}

static size_t resamples_of(size_t values_n)
{
    const size_t n = STEPS_MAX / (values_n + 1);
    return n < RESAMPLES_MIN ? RESAMPLES_MIN : n > RESAMPLES_MAX ? RESAMPLES_MAX : n;
}

/* The upper end of Student's interval for a mean of n values: Abramowitz & Stegun 26.7.5, within 0.3 % from 4
 * degrees of freedom on (of 99 %: 1.3 %). */
static double student(size_t n, enum st_confidence confidence)
{
    const double df = (double)n - 1, z = confidences[confidence].z, z3 = z * z * z, z5 = z3 * z * z,
                 z7 = z5 * z * z;
    return z + (z3 + z) / (4 * df) + (5 * z5 + 16 * z3 + 3 * z) / (96 * df * df) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * df * df * df);
}

/* The tail of the percentile interval that is as wide as Student's for n units: Hesterberg 2015. */
static double expanded_tail(size_t n, enum st_confidence confidence)
{
    return 0.5 * erfc(student(n, confidence) * sqrt((double)n / ((double)n - 1)) / sqrt(2));
}

/** The interval between the tails of the resampled effects. */
static void between_tails(double *effects, size_t n, double tail, double value, struct st_estimate *ret)
{
    const size_t skip = (size_t)(tail * (double)n);
    const double low = select_index(effects, n, skip);
    *ret = (struct st_estimate){true, value, low, select_index(effects, n, n - 1 - skip)};
}

/* --- quantiles of independent values -------------------------------------------------------------------- */

/** Where the quantile may lie: cumulative binomial probabilities of first, first + 1 ... values below it. */
struct ranks {
    uint64_t first;
    size_t len;
    double *cumulative;
    size_t guide[GUIDE_N]; /* where a search for unit = i / GUIDE_N begins: Chen & Asau 1974 */
};

/* Binomial (n, p) within 9 standard deviations (and 40 for a rare event's long tail), from the mode outwards.
 */
static int ranks_init(struct ranks *ranks, uint64_t n, double p)
{
    const double count = (double)n, spread = 9 * sqrt(count * p * (1 - p)) + 40;
    const double low = floor(count * p - spread), high = ceil(count * p + spread);
    ranks->first = low > 0 ? (uint64_t)low : 0;
    const uint64_t last = high < count ? (uint64_t)high : n;
    const size_t mode = (size_t)((uint64_t)(count * p) - ranks->first);
    const double odds = p / (1 - p);
    ranks->len = (size_t)(last - ranks->first) + 1;
    ranks->cumulative = calloc(ranks->len, sizeof(*ranks->cumulative));
    if (ranks->cumulative == NULL)
        return -ENOMEM;
    double *const at = ranks->cumulative;
    at[mode] = 1; /* the sum makes it right below */
    for (size_t i = mode; i > 0; i--) {
        const double k = (double)(ranks->first + i);
        at[i - 1] = at[i] * k / ((count - k + 1) * odds);
    }
    for (size_t i = mode + 1; i < ranks->len; i++) {
        const double k = (double)(ranks->first + i);
        at[i] = at[i - 1] * (count - k + 1) * odds / k;
    }
    for (size_t i = 1; i < ranks->len; i++)
        at[i] += at[i - 1];
    const double sum = at[ranks->len - 1];
    for (size_t i = 0; i < ranks->len; i++)
        at[i] /= sum;
    for (size_t i = 0, k = 0; k < GUIDE_N; k++) {
        while (i + 1 < ranks->len && at[i] * GUIDE_N <= (double)k)
            i++;
        ranks->guide[k] = i;
    }
    return 0;
}

/** A rank in [0, n + 1): between the k-th and the next value when k values are below the quantile. */
static double ranks_draw(const struct ranks *ranks, double unit)
{
    size_t low = ranks->guide[(size_t)(unit * GUIDE_N)]; /* the least i with cumulative[i] > unit */
    while (low + 1 < ranks->len && ranks->cumulative[low] <= unit)
        low++;
    const double below = low > 0 ? ranks->cumulative[low - 1] : 0, step = ranks->cumulative[low] - below;
    const double part = step > 0 ? (unit - below) / step : 0;
    return (double)(ranks->first + low) + (part < 1 ? part : 1);
}

/** The value at a rank between two values; the outermost ones beyond them. */
static double value_between(const struct st_sample *sample, double rank)
{
    const uint64_t n = st_sample_n(sample), lower = (uint64_t)rank;
    if (lower < 1)
        return (double)st_sample_at(sample, 1);
    const double value = (double)st_sample_at(sample, lower < n ? lower : n);
    return lower < n ? value + (rank - (double)lower) * ((double)st_sample_at(sample, lower + 1) - value)
                     : value;
}

static bool enough_for(uint64_t n, double p)
{
    uint64_t low, high;
    return n >= st_stats_quantile_min_n(p) && st_stats_quantile_ranks(n, p, 1 - 2 * TAIL, &low, &high) == 0;
}

int st_bootstrap_quantile(const struct st_sample *a, const struct st_sample *b, double p,
                          enum st_effect effect, struct st_random *random, struct st_estimate *ret)
{
    if (!(p > 0 && p < 1))
        return -EINVAL;
    *ret = (struct st_estimate){0};
    double value;
    if (!enough_for(st_sample_n(a), p) || !enough_for(st_sample_n(b), p) ||
        !against((double)st_sample_quantile(a, p), (double)st_sample_quantile(b, p), effect, &value))
        return 0;
    struct ranks ranks_a = {0}, ranks_b = {0};
    double *effects = calloc(RESAMPLES_MAX, sizeof(*effects));
    int r = effects == NULL ? -ENOMEM : ranks_init(&ranks_a, st_sample_n(a), p);
    if (r == 0)
        r = ranks_init(&ranks_b, st_sample_n(b), p);
    bool exists = true;
    for (size_t i = 0; i < RESAMPLES_MAX && r == 0 && exists; i++) {
        const double from = value_between(a, ranks_draw(&ranks_a, st_random_unit(random)));
        const double to = value_between(b, ranks_draw(&ranks_b, st_random_unit(random)));
        exists = against(from, to, effect, &effects[i]);
    }
    if (r == 0 && exists)
        between_tails(effects, RESAMPLES_MAX, TAIL, value, ret);
    free(ranks_a.cumulative);
    free(ranks_b.cumulative);
    free(effects);
    return r;
}

/* --- quantiles of blocks ----------------------------------------------------------------------------------
 */

struct placed {
    int64_t value_ns;
    uint32_t block;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    return (a->value_ns > b->value_ns) - (a->value_ns < b->value_ns);
}

/** Sorted copy, and how many values each block has. @return 0, -EINVAL, -ENOMEM. */
static int place(const struct st_blocked *blocked, uint32_t blocks_n, struct placed **ret, uint64_t *sizes)
{
    struct placed *placed = calloc(blocked->n + 1, sizeof(*placed));
    if (placed == NULL)
        return -ENOMEM;
    *ret = placed;
    for (size_t i = 0; i < blocked->n; i++) {
        placed[i] = (struct placed){blocked->values_ns[i], blocked->blocks[i]};
        if (placed[i].block >= blocks_n)
            return -EINVAL;
        sizes[placed[i].block]++;
    }
    qsort(placed, blocked->n, sizeof(*placed), compare_placed);
    return 0;
}

/** Quantile p of the values when block i is there times[i] times. */
static double quantile_of(const struct placed *placed, const uint64_t *sizes, const uint32_t *times,
                          uint32_t blocks_n, double p)
{
    uint64_t n = 0, seen_n = 0;
    for (uint32_t i = 0; i < blocks_n; i++)
        n += sizes[i] * times[i];
    const uint64_t rank = st_quantile_rank(n, p);
    for (;; placed++) {
        seen_n += times[placed->block];
        if (seen_n >= rank)
            return (double)placed->value_ns;
    }
}

struct blocks {
    struct placed *placed[2];
    uint64_t *sizes[2];
    uint32_t *times;
    double *effects;
};

static void blocks_finish(struct blocks *blocks)
{
    for (size_t i = 0; i < 2; i++) {
        free(blocks->placed[i]);
        free(blocks->sizes[i]);
    }
    free(blocks->times);
    free(blocks->effects);
}

static bool blocks_effect(const struct blocks *blocks, uint32_t blocks_n, double p, enum st_effect effect,
                          double *ret)
{
    return against(quantile_of(blocks->placed[0], blocks->sizes[0], blocks->times, blocks_n, p),
                   quantile_of(blocks->placed[1], blocks->sizes[1], blocks->times, blocks_n, p), effect, ret);
}

int st_bootstrap_quantile_blocked(const struct st_blocked *a, const struct st_blocked *b, uint32_t blocks_n,
                                  double p, enum st_effect effect, enum st_confidence confidence,
                                  struct st_random *random, struct st_estimate *ret)
{
    if (!(p > 0 && p < 1))
        return -EINVAL;
    *ret = (struct st_estimate){0};
    if (blocks_n < ST_BOOTSTRAP_BLOCKS_MIN || !enough_for(a->n, p) || !enough_for(b->n, p))
        return 0;
    const size_t resamples_n = resamples_of(a->n + b->n);
    struct blocks blocks = {
        .sizes = {calloc(blocks_n, sizeof(uint64_t)), calloc(blocks_n, sizeof(uint64_t))},
        .times = calloc(blocks_n, sizeof(uint32_t)),
        .effects = calloc(resamples_n, sizeof(double)),
    };
    int r = -ENOMEM;
    if (blocks.sizes[0] != NULL && blocks.sizes[1] != NULL && blocks.times != NULL && blocks.effects != NULL)
        r = place(a, blocks_n, &blocks.placed[0], blocks.sizes[0]);
    if (r == 0)
        r = place(b, blocks_n, &blocks.placed[1], blocks.sizes[1]);
    bool exists = r == 0;
    for (uint32_t i = 0; i < blocks_n && exists; i++) {
        exists = blocks.sizes[0][i] > 0 && blocks.sizes[1][i] > 0;
        blocks.times[i] = 1;
    }
    double value = 0;
    exists = exists && blocks_effect(&blocks, blocks_n, p, effect, &value);
    for (size_t i = 0; i < resamples_n && exists; i++) {
        memset(blocks.times, 0, blocks_n * sizeof(*blocks.times));
        for (uint32_t k = 0; k < blocks_n; k++)
            blocks.times[st_random_below(random, blocks_n)]++;
        exists = blocks_effect(&blocks, blocks_n, p, effect, &blocks.effects[i]);
    }
    if (exists)
        between_tails(blocks.effects, resamples_n, expanded_tail(blocks_n, confidence), value, ret);
    blocks_finish(&blocks);
    return r;
}

/* --- means ------------------------------------------------------------------------------------------------
 */

static double mean_of(const int64_t *values_ns, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values_ns[i];
    return sum / (double)n;
}

static double resampled_mean(const int64_t *values_ns, size_t n, struct st_random *random)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values_ns[st_random_below(random, n)];
    return sum / (double)n;
}

int st_bootstrap_mean(const int64_t *a_ns, size_t a_n, const int64_t *b_ns, size_t b_n, enum st_effect effect,
                      struct st_random *random, struct st_estimate *ret)
{
    *ret = (struct st_estimate){0};
    double value;
    if (a_n < ST_BOOTSTRAP_BLOCKS_MIN || b_n < ST_BOOTSTRAP_BLOCKS_MIN ||
        !against(mean_of(a_ns, a_n), mean_of(b_ns, b_n), effect, &value))
        return 0;
    const size_t resamples_n = resamples_of(a_n + b_n);
    double *effects = calloc(resamples_n, sizeof(*effects));
    if (effects == NULL)
        return -ENOMEM;
    bool exists = true;
    for (size_t i = 0; i < resamples_n && exists; i++) {
        const double from = resampled_mean(a_ns, a_n, random);
        exists = against(from, resampled_mean(b_ns, b_n, random), effect, &effects[i]);
    }
    if (exists)
        between_tails(effects, resamples_n, expanded_tail(a_n < b_n ? a_n : b_n, ST_CONFIDENCE_95), value,
                      ret);
    free(effects);
    return 0;
}

void st_effect_of_pairs(const double *a, const double *b, size_t pairs_n, enum st_effect effect,
                        struct st_estimate *ret)
{
    *ret = (struct st_estimate){0};
    if (pairs_n < ST_BOOTSTRAP_BLOCKS_MIN)
        return;
    const double n = (double)pairs_n;
    double mean = 0, squares = 0; /* Welford's */
    for (size_t i = 0; i < pairs_n; i++) {
        double x;
        if (!against(a[i], b[i], effect, &x) || (effect == ST_EFFECT_RATIO && !(x > 0)) || !isfinite(x))
            return;
        x = effect == ST_EFFECT_RATIO ? log(x) : x;
        const double off = x - mean;
        mean += off / ((double)i + 1);
        squares += off * (x - mean);
    }
    const double half = student(pairs_n, ST_CONFIDENCE_95) * sqrt(squares / (n - 1) / n);
    *ret = effect == ST_EFFECT_RATIO
               ? (struct st_estimate){true, exp(mean), exp(mean - half), exp(mean + half)}
               : (struct st_estimate){true, mean, mean - half, mean + half};
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int st_median_effect_of_pairs(const double *a, const double *b, size_t pairs_n, enum st_effect effect,
                              enum st_confidence confidence, struct st_estimate *ret)
{
    uint64_t low, high;
    *ret = (struct st_estimate){0};
    if (st_stats_quantile_ranks(pairs_n, 0.5, 1 - 2 * confidences[confidence].tail, &low, &high) != 0)
        return 0;
    double *effects = calloc(pairs_n, sizeof(*effects));
    if (effects == NULL)
        return -ENOMEM;
    bool exists = true;
    for (size_t i = 0; i < pairs_n && exists; i++)
        exists = against(a[i], b[i], effect, &effects[i]);
    qsort(effects, pairs_n, sizeof(*effects), compare_doubles);
    if (exists)
        *ret = (struct st_estimate){true, (effects[(pairs_n - 1) / 2] + effects[pairs_n / 2]) / 2,
                                    effects[low - 1], effects[high - 1]};
    free(effects);
    return 0;
}

/* --- rates ------------------------------------------------------------------------------------------------
 */

void st_rate_interval(double events, double n, double *ret_low, double *ret_high)
{
    const double z2 = Z_975 * Z_975, share = events / n;
    const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
    const double half = Z_975 * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    *ret_low = events > 0 ? middle - half : 0;
    *ret_high = events < n ? middle + half : 1;
}

int st_rate_effect(uint64_t events_a, uint64_t n_a, uint64_t events_b, uint64_t n_b, enum st_effect effect,
                   struct st_estimate *ret)
{
    if (events_a > n_a || events_b > n_b)
        return -EINVAL;
    *ret = (struct st_estimate){0};
    if (n_a == 0 || n_b == 0)
        return 0;
    const double trials_a = (double)n_a, trials_b = (double)n_b;
    const double a = (double)events_a / trials_a, b = (double)events_b / trials_b;
    double low_a, high_a, low_b, high_b;
    if (effect == ST_EFFECT_DIFFERENCE) {
        st_rate_interval((double)events_a, trials_a, &low_a, &high_a);
        st_rate_interval((double)events_b, trials_b, &low_b, &high_b);
        *ret = (struct st_estimate){true, b - a, b - a - hypot(b - low_b, high_a - a),
                                    b - a + hypot(high_b - b, a - low_a)};
        return 0;
    }
    if (events_a + events_b == 0)
        return 0;
    /* given all events, B's are binomial with share s = r * n_b / (n_a + r * n_b): r = s / (1 - s) * n_a /
     * n_b */
    st_rate_interval((double)events_b, (double)events_a + (double)events_b, &low_b, &high_b);
    const double scale = trials_a / trials_b;
    *ret = (struct st_estimate){true, events_a > 0 ? b / a : HUGE_VAL, low_b / (1 - low_b) * scale,
                                events_a > 0 ? high_b / (1 - high_b) * scale : HUGE_VAL};
    return 0;
}
