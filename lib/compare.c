#include "lib/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

#define Z_975  1.959963984540054 /* of a normal distribution */
#define Z_80   0.8416212335729143
#define TAIL   0.025
#define FIFTHS 5

enum { QUANTILES = ST_COMPARE_MISSED };

double st_compare_quantile(enum st_compare_id id)
{
    static const double ps[ST_COMPARE_FIGURES] = {0.5, 0.99, 0.999, 0};
    return ps[id];
}

/* --- Student's and the normal distribution ---------------------------------------------------------------
 */

/** Probability beyond z on both sides. */
static double normal_p(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/** The z with so much beyond it on one side, 0 < tail <= 0.5. */
static double normal_z(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        const double z = (low + high) / 2;
        *(0.5 * normal_p(z) > tail ? &low : &high) = z;
    }
    return low;
}

/* Student's distribution by a normal one, within 0.1 % of the tail from 7 degrees of freedom on. Source:
 * Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", 1959. */
static double student_p(double t, double df)
{
    return normal_p((8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df)));
}

static double student_t(double z, double df)
{
    const double wider = z * (8 * df + 3) / (8 * df + 1);
    return sqrt(df * expm1(wider * wider / df));
}

/* --- one run ----------------------------------------------------------------------------------------------
 */

/** A run cut into stretches, ready for drawing. */
struct run {
    const struct st_blocks *blocks;
    size_t len; /* stretches: a block each, or more of them once they were joined */
    size_t values_n;
    double *values;       /* distinct ones, ascending */
    uint64_t *cumulative; /* [value][stretch]: how many of the stretch's are <= it */
    double n[ST_BLOCKS_MAX], trials_n[ST_BLOCKS_MAX], missed_n[ST_BLOCKS_MAX];
    uint64_t times[ST_BLOCKS_MAX]; /* how often each stretch was drawn */
};

static int compare_buckets(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/** The buckets that any block has. @return 0, -ENOMEM. */
static int all_buckets(const struct st_blocks *blocks, int32_t **ret, size_t *ret_n)
{
    size_t room = 1, n = 0, distinct_n = 0;
    for (size_t i = 0; i < blocks->len; i++)
        room += blocks->block[i].len;
    int32_t *buckets = calloc(room, sizeof(*buckets));
    if (buckets == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < blocks->len; i++) {
        for (size_t k = 0; k < blocks->block[i].len; k++)
            buckets[n++] = blocks->block[i].buckets[k].bucket;
    }
    qsort(buckets, n, sizeof(*buckets), compare_buckets);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || buckets[i] != buckets[i - 1])
            buckets[distinct_n++] = buckets[i];
    }
    *ret = buckets;
    *ret_n = distinct_n;
    return 0;
}

static void run_finish(struct run *run)
{
    free(run->values);
    free(run->cumulative);
}

static int run_init(struct run *run, const struct st_blocks *blocks)
{
    int32_t *buckets = NULL;
    *run = (struct run){.blocks = blocks, .len = blocks->len};
    int r = all_buckets(blocks, &buckets, &run->values_n);
    if (r == 0) {
        run->values = calloc(run->values_n + 1, sizeof(*run->values));
        run->cumulative = calloc(run->values_n * blocks->len + 1, sizeof(*run->cumulative));
        r = run->values == NULL || run->cumulative == NULL ? -ENOMEM : 0;
    }
    for (size_t k = 0; k < blocks->len && r == 0; k++) {
        const struct st_block *block = &blocks->block[k];
        uint64_t seen_n = 0;
        for (size_t i = 0, at = 0; i < run->values_n; i++) {
            if (at < block->len && block->buckets[at].bucket == buckets[i])
                seen_n += block->buckets[at++].n;
            run->cumulative[i * blocks->len + k] = seen_n;
            run->values[i] = (double)st_blocks_value(blocks, buckets[i]);
        }
        run->n[k] = (double)block->n;
        run->trials_n[k] = (double)block->trials_n;
        run->missed_n[k] = (double)block->missed_n;
        run->times[k] = 1;
    }
    free(buckets);
    if (r != 0)
        run_finish(run);
    return r;
}

/** Stretches 2k and 2k + 1 of a table's row become one. */
static void join_doubles(double *row, size_t len)
{
    for (size_t k = 0; k < len; k += 2)
        row[k / 2] = row[k] + (k + 1 < len ? row[k + 1] : 0);
}

/** Stretches of twice the length. */
static void run_join(struct run *run)
{
    const size_t len = run->len, half = (len + 1) / 2;
    for (size_t i = 0; i < run->values_n; i++) {
        const uint64_t *from = run->cumulative + i * len;
        uint64_t *to = run->cumulative + i * half;
        for (size_t k = 0; k < len; k += 2)
            to[k / 2] = from[k] + (k + 1 < len ? from[k + 1] : 0);
    }
    join_doubles(run->n, len);
    join_doubles(run->trials_n, len);
    join_doubles(run->missed_n, len);
    run->len = half;
}

/** Draws as many stretches as there are. */
static void run_draw(struct run *run, struct st_random *random)
{
    memset(run->times, 0, sizeof(run->times));
    for (size_t i = 0; i < run->len; i++)
        run->times[st_random_below(random, run->len)]++;
}

/** Values of what was drawn that are <= value i. */
static uint64_t run_count(const struct run *run, size_t i)
{
    const uint64_t *row = run->cumulative + i * run->len;
    uint64_t n = 0;
    for (size_t k = 0; k < run->len; k++)
        n += row[k] * run->times[k];
    return n;
}

static double run_quantile(const struct run *run, double p)
{
    size_t low = 0, high = run->values_n - 1;
    const uint64_t rank = st_quantile_rank(run_count(run, high), p);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (run_count(run, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return run->values[low];
}

static double run_missed(const struct run *run)
{
    double missed = 0, trials = 0;
    for (size_t k = 0; k < run->len; k++) {
        missed += run->missed_n[k] * (double)run->times[k];
        trials += run->trials_n[k] * (double)run->times[k];
    }
    return trials > 0 ? missed / trials : 0;
}

static double run_figure(const struct run *run, enum st_compare_id id)
{
    return id == ST_COMPARE_MISSED ? run_missed(run) : run_quantile(run, st_compare_quantile(id));
}

/* --- both -------------------------------------------------------------------------------------------------
 */

struct both {
    struct run run[2];
    double *wins; /* [stretch of A][stretch of B]: pairs in which B's value is the larger one, ties half */
    double *effects;
};

/** Pairs of a value of a and a larger one of b; equal ones count half. */
static double wins_of(const struct st_block *a, const struct st_block *b)
{
    double below = 0, wins = 0;
    for (size_t i = 0, k = 0; k < b->len; k++) {
        while (i < a->len && a->buckets[i].bucket < b->buckets[k].bucket)
            below += a->buckets[i++].n;
        const bool tie = i < a->len && a->buckets[i].bucket == b->buckets[k].bucket;
        wins += b->buckets[k].n * (below + (tie ? a->buckets[i].n / 2.0 : 0));
    }
    return wins;
}

static double superiority(const struct both *both)
{
    const struct run *a = &both->run[0], *b = &both->run[1];
    double wins = 0, n_a = 0, n_b = 0;
    for (size_t k = 0; k < b->len; k++)
        n_b += (double)b->times[k] * b->n[k];
    for (size_t i = 0; i < a->len; i++) {
        const double times = (double)a->times[i];
        n_a += times * a->n[i];
        for (size_t k = 0; k < b->len && times > 0; k++)
            wins += times * (double)b->times[k] * both->wins[i * b->len + k];
    }
    return n_a > 0 && n_b > 0 ? wins / n_a / n_b : 0.5;
}

static void both_join(struct both *both)
{
    const size_t a_len = both->run[0].len, b_len = both->run[1].len, b_half = (b_len + 1) / 2;
    for (size_t i = 0; i < a_len; i++) { /* in place: a row is written where rows before it were */
        double *row = both->wins + i * b_len, *to = both->wins + i / 2 * b_half;
        join_doubles(row, b_len);
        for (size_t k = 0; k < b_half; k++)
            to[k] = (i % 2 == 1 ? to[k] : 0) + row[k];
    }
    run_join(&both->run[0]);
    run_join(&both->run[1]);
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double variance(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    return squares / (double)(n - 1);
}

/** What stretches of one length say. */
struct scale {
    double errors[2]; /* standard error of each side's figure */
    double low, high, p_value;
};

/** Judges the effects that were drawn, now in order. @param value the difference of the runs as they are. */
static void judge(const struct both *both, struct scale *ret, double value)
{
    const size_t n = ST_COMPARE_RESAMPLES;
    const double *drawn[2] = {both->effects, both->effects + n}, *effects = both->effects + 2 * n;
    double squares[2], groups[2];
    for (size_t side = 0; side < 2; side++) {
        /* a mean of k groups that are drawn varies by (k - 1) / k of what a mean of k groups does */
        groups[side] = (double)both->run[side].len;
        squares[side] = variance(drawn[side], n) * groups[side] / (groups[side] - 1);
        ret->errors[side] = sqrt(squares[side]);
    }
    const double least = fmin(groups[0], groups[1]), factor = sqrt(least / (least - 1));
    const double square = squares[0] + squares[1];
    const double df =
        square > 0
            ? square * square /
                  (squares[0] * squares[0] / (groups[0] - 1) + squares[1] * squares[1] / (groups[1] - 1))
            : least - 1;
    const double tail = 0.5 * normal_p(student_t(Z_975, df) * factor);
    const size_t skip = (size_t)(tail * (double)n);
    ret->low = effects[skip];
    ret->high = effects[n - 1 - skip];
    size_t against_n = 0; /* drawn differences of the other sign, or none */
    for (size_t i = 0; i < n; i++)
        against_n += value > 0 ? effects[i] <= 0 : effects[i] >= 0;
    const double share = (double)(against_n + 1) / (double)(n + 1);
    double p = value == 0 || share >= 0.5 ? 1 : square > 0 ? student_p(value / sqrt(square), df) : 0;
    if (against_n > 0 && p < 1) /* with none, it is beyond what so many draws can tell */
        p = fmax(p, student_p(normal_z(share) / factor, df));
    ret->p_value = p;
}

/** Of runs as drawn. id ST_COMPARE_FIGURES: superiority, which is of both. */
static double figure_of(const struct both *both, size_t side, int id)
{
    if (id == ST_COMPARE_FIGURES)
        return side == 0 ? 0 : superiority(both);
    return run_figure(&both->run[side], (enum st_compare_id)id);
}

/** What is known of one figure, widened by each length of stretches. */
struct widest {
    struct st_compare_figure figure;
    double errors[2]; /* of each side */
};

static void widen(struct both *both, int id, struct st_random *random, struct widest *ret)
{
    double *from = both->effects, *to = from + ST_COMPARE_RESAMPLES, *effects = to + ST_COMPARE_RESAMPLES;
    struct st_compare_figure *figure = &ret->figure;
    struct scale scale;
    for (size_t i = 0; i < ST_COMPARE_RESAMPLES; i++) {
        run_draw(&both->run[0], random);
        run_draw(&both->run[1], random);
        from[i] = figure_of(both, 0, id);
        to[i] = figure_of(both, 1, id);
        effects[i] = to[i] - from[i];
    }
    qsort(effects, ST_COMPARE_RESAMPLES, sizeof(*effects), compare_doubles);
    judge(both, &scale, figure->difference.value);
    figure->difference.low = fmin(figure->difference.low, scale.low);
    figure->difference.high = fmax(figure->difference.high, scale.high);
    figure->error = fmax(figure->error, hypot(scale.errors[0], scale.errors[1]));
    figure->p_value = fmax(figure->p_value, scale.p_value);
    for (size_t side = 0; side < 2; side++)
        ret->errors[side] = fmax(ret->errors[side], scale.errors[side]);
}

/* Events of B among all of them, if they come one by one: both tails of the binomial distribution. */
static double events_p(uint64_t events_a, uint64_t n_a, uint64_t events_b, uint64_t n_b)
{
    const uint64_t all = events_a + events_b;
    const double p = (double)n_b / ((double)n_a + (double)n_b), n = (double)all;
    double below = 0, above = 0; /* <= and >= what was seen */
    if (all == 0)
        return 1;
    if (all > 1000) {
        const double off = fabs((double)events_b - n * p) - 0.5;
        return off > 0 ? normal_p(off / sqrt(n * p * (1 - p))) : 1;
    }
    for (uint64_t i = 0; i <= all; i++) {
        const double k = (double)i;
        const double share =
            exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
        below += i <= events_b ? share : 0;
        above += i >= events_b ? share : 0;
    }
    return fmin(1, 2 * fmin(below, above));
}

int st_compare_rates(uint64_t missed_a, uint64_t periods_a, uint64_t missed_b, uint64_t periods_b,
                     struct st_compare_figure *ret)
{
    struct st_compare_figure figure = {.known = {periods_a > 0, periods_b > 0}};
    const int r =
        st_rate_effect(missed_a, periods_a, missed_b, periods_b, ST_EFFECT_DIFFERENCE, &figure.difference);
    if (r != 0)
        return r;
    figure.value[0] = periods_a > 0 ? (double)missed_a / (double)periods_a : 0;
    figure.value[1] = periods_b > 0 ? (double)missed_b / (double)periods_b : 0;
    figure.error = (figure.difference.high - figure.difference.low) / (2 * Z_975);
    figure.p_value = figure.difference.known ? events_p(missed_a, periods_a, missed_b, periods_b) : 0;
    *ret = figure;
    return 0;
}

/** Misses come in bursts, or one by one; few of them are seen by chance: the wider interval. */
static int widen_missed(const struct st_blocks *a, const struct st_blocks *b,
                        struct st_compare_figure *figure)
{
    struct st_compare_figure alone;
    const int r = st_compare_rates(a->missed_n, a->trials_n, b->missed_n, b->trials_n, &alone);
    if (r != 0)
        return r;
    figure->difference.low = fmin(figure->difference.low, alone.difference.low);
    figure->difference.high = fmax(figure->difference.high, alone.difference.high);
    figure->error = fmax(figure->error, alone.error);
    figure->p_value = fmax(figure->p_value, alone.p_value);
    return 0;
}

/** The interval of a quantile if the values were independent (order statistics). @return whether there is
 * one. */
static bool independent_interval(const struct run *run, double p, double *ret_low, double *ret_high)
{
    const double n = (double)run->blocks->n;
    uint64_t low, high;
    if (st_stats_quantile_ranks(run->blocks->n, p, 1 - 2 * TAIL, &low, &high) != 0)
        return false;
    *ret_low = run_quantile(run, (double)low / n);
    *ret_high = run_quantile(run, (double)high / n);
    return true;
}

/** Width of the median's; 0: not known. */
static double median_width(const struct run *run)
{
    double low, high;
    return independent_interval(run, 0.5, &low, &high) ? high - low : 0;
}

/** Of n values: the interval of independent ones is narrower by the root of what is to be found. */
static double independent_n(double width, double error, uint64_t n)
{
    if (!(error > 0) || !(width > 0))
        return 0;
    const double ratio = width / (2 * Z_975) / error;
    return fmin(1, ratio * ratio) * (double)n;
}

/** How far the medians of a run's fifths lie apart. */
static double drift(struct run *run)
{
    double low = (double)INFINITY, high = -low;
    bool known = run->len >= FIFTHS;
    for (size_t i = 0; i < FIFTHS && known; i++) {
        double n = 0;
        for (size_t k = 0; k < run->len; k++) {
            run->times[k] = k * FIFTHS / run->len == i;
            n += (double)run->times[k] * run->n[k];
        }
        known = n >= (double)st_stats_quantile_min_n(0.5);
        const double median = known ? run_quantile(run, 0.5) : 0;
        low = fmin(low, median);
        high = fmax(high, median);
    }
    for (size_t k = 0; k < run->len; k++)
        run->times[k] = 1;
    return known ? high - low : (double)NAN;
}

/** The figures of the runs as they are; what can be compared has difference.known. */
static void figures_now(const struct both *both, struct widest *all)
{
    const bool enough =
        both->run[0].len >= ST_COMPARE_GROUPS_MIN && both->run[1].len >= ST_COMPARE_GROUPS_MIN;
    for (int id = 0; id <= ST_COMPARE_FIGURES; id++) {
        struct st_compare_figure *figure = &all[id].figure;
        for (size_t side = 0; side < 2; side++) {
            const struct st_blocks *blocks = both->run[side].blocks;
            figure->known[side] =
                id == ST_COMPARE_MISSED ? blocks->trials_n > 0
                : id == ST_COMPARE_FIGURES
                    ? blocks->n > 0
                    : blocks->n >= st_stats_quantile_min_n(st_compare_quantile((enum st_compare_id)id));
            if (figure->known[side])
                figure->value[side] = figure_of(both, side, id);
        }
        figure->difference.known = figure->known[0] && figure->known[1] && enough;
        if (figure->difference.known) {
            const double value = figure->value[1] - figure->value[0];
            figure->difference = (struct st_estimate){true, value, value, value};
        }
    }
}

static int compare_runs(struct both *both, struct st_random *random, struct st_comparison *ret)
{
    const struct st_blocks *const a = both->run[0].blocks, *const b = both->run[1].blocks;
    struct widest all[ST_COMPARE_FIGURES + 1] = {0};
    const size_t least = a->len < b->len ? a->len : b->len;
    int r = 0;
    figures_now(both, all);
    for (size_t side = 0; side < 2; side++)
        ret->drift_ns[side] = drift(&both->run[side]);
    const double widths[2] = {median_width(&both->run[0]), median_width(&both->run[1])};
    for (size_t size = 1; size == 1 || (least + size - 1) / size >= ST_COMPARE_GROUPS_MIN; size *= 2) {
        if (size > 1)
            both_join(both);
        for (int id = 0; id <= ST_COMPARE_FIGURES; id++) {
            if (all[id].figure.difference.known)
                widen(both, id, random, &all[id]);
        }
    }
    if (all[ST_COMPARE_MISSED].figure.difference.known)
        r = widen_missed(a, b, &all[ST_COMPARE_MISSED].figure);
    for (int id = 0; id < ST_COMPARE_FIGURES; id++)
        ret->figures[id] = all[id].figure;
    ret->superiority = all[ST_COMPARE_FIGURES].figure.difference;
    for (int side = 0; side < 2; side++)
        ret->independent_n[side] =
            independent_n(widths[side], all[ST_COMPARE_MEDIAN].errors[side], side == 0 ? a->n : b->n);
    return r;
}

int st_compare(const struct st_blocks *a, const struct st_blocks *b, struct st_random *random,
               struct st_comparison *ret)
{
    struct both both = {0};
    *ret = (struct st_comparison){.same = st_blocks_equal(a, b)};
    int r = run_init(&both.run[0], a);
    if (r != 0)
        return r;
    r = run_init(&both.run[1], b);
    if (r == 0) {
        both.wins = calloc(a->len * b->len + 1, sizeof(*both.wins));
        both.effects = calloc((size_t)3 * ST_COMPARE_RESAMPLES, sizeof(*both.effects));
        r = both.wins == NULL || both.effects == NULL ? -ENOMEM : 0;
        for (size_t i = 0; i < a->len && r == 0; i++) {
            for (size_t k = 0; k < b->len; k++)
                both.wins[i * b->len + k] = wins_of(&a->block[i], &b->block[k]);
        }
        if (r == 0)
            r = compare_runs(&both, random, ret);
        free(both.wins);
        free(both.effects);
        run_finish(&both.run[1]);
    }
    run_finish(&both.run[0]);
    return r;
}

int st_compare_quantile_of(const struct st_blocks *blocks, enum st_compare_id id, bool *ret_known,
                           bool *ret_interval_known, double ret[3])
{
    const double p = st_compare_quantile(id);
    struct run run;
    *ret_known = *ret_interval_known = false;
    if (blocks->n < st_stats_quantile_min_n(p))
        return 0;
    const int r = run_init(&run, blocks);
    if (r != 0)
        return r;
    *ret_known = true;
    ret[0] = run_quantile(&run, p);
    *ret_interval_known = independent_interval(&run, p, &ret[1], &ret[2]);
    run_finish(&run);
    return 0;
}

struct st_compare_figure st_compare_intervals(const double a[3], const double b[3])
{
    const double value = b[0] - a[0];
    struct st_compare_figure figure = {
        .known = {true, true},
        .value = {a[0], b[0]},
        .difference = {true, value, value - hypot(b[0] - b[1], a[2] - a[0]),
                       value + hypot(b[2] - b[0], a[0] - a[1])},
    };
    figure.error = (figure.difference.high - figure.difference.low) / (2 * Z_975);
    /* the half of the interval that is towards 0 */
    const double towards = value > 0 ? value - figure.difference.low : figure.difference.high - value;
    figure.p_value = value == 0 ? 1 : towards > 0 ? normal_p(value / towards * Z_975) : 0;
    return figure;
}

/* --- all that was looked at --------------------------------------------------------------------------------
 */

size_t st_compare_correct(struct st_compare_figure *const *figures, size_t n)
{
    size_t tests_n = 0;
    for (size_t i = 0; i < n; i++) {
        tests_n += figures[i]->difference.known;
        figures[i]->p_corrected = 0;
        figures[i]->shown = false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!figures[i]->difference.known)
            continue;
        size_t smaller_n = 0;
        for (size_t k = 0; k < n; k++)
            smaller_n += figures[k]->difference.known && figures[k]->p_value < figures[i]->p_value;
        const double p = fmin(1, figures[i]->p_value * (double)(tests_n - smaller_n));
        for (size_t k = 0; k < n; k++) { /* no smaller one than those before it */
            if (figures[k]->difference.known && figures[k]->p_value >= figures[i]->p_value)
                figures[k]->p_corrected = fmax(figures[k]->p_corrected, p);
        }
    }
    for (size_t i = 0; i < n; i++)
        figures[i]->shown = figures[i]->difference.known && figures[i]->p_corrected <= ST_COMPARE_LEVEL;
    return tests_n;
}

double st_compare_detectable(const struct st_compare_figure *figure, size_t tests_n)
{
    return figure->error * (normal_z(ST_COMPARE_LEVEL / 2 / (double)(tests_n > 0 ? tests_n : 1)) + Z_80);
}

double st_compare_more_data(const struct st_compare_figure *figure, size_t tests_n, double difference)
{
    const double ratio = st_compare_detectable(figure, tests_n) / fabs(difference);
    return ratio * ratio;
}
