#include "lib/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/normal.h"
#include "lib/stats.h"
#include "lib/stretches.h"

#define TAIL   0.025
#define FIFTHS 5
/* Of independent values, one pair of runs in 100 passes it: both sides, four lengths of stretches at most. */
#define NEIGHBOURS_LEVEL (0.01 / 2 / 4)
#define EVENTS_MIN       10 /* beyond a figure, that come independently */
#define MISSING_MAX      0.5
/* The fewest stretches of the run that misses more. */
#define GROUPS_DF (ST_COMPARE_GROUPS_MIN - 1.0)

enum { QUANTILES = ST_COMPARE_MISSED };

double st_compare_quantile(enum st_compare_id id)
{
    static const double ps[ST_COMPARE_FIGURES] = {0.5, 0.99, 0.999, 0};
    return ps[id];
}

static double run_figure(const struct st_stretches *run, enum st_compare_id id)
{
    return id == ST_COMPARE_MISSED ? st_stretches_missed(run)
                                   : st_stretches_quantile(run, st_compare_quantile(id));
}

/* --- both -------------------------------------------------------------------------------------------------
 */

struct both {
    struct st_stretches run[2];
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
    const struct st_stretches *a = &both->run[0], *b = &both->run[1];
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
        st_join_doubles(row, b_len);
        for (size_t k = 0; k < b_half; k++)
            to[k] = (i % 2 == 1 ? to[k] : 0) + row[k];
    }
    st_stretches_join(&both->run[0]);
    st_stretches_join(&both->run[1]);
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
    double low, high, p_value, error;
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
    }
    const double least = fmin(groups[0], groups[1]), factor = sqrt(least / (least - 1));
    const double square = squares[0] + squares[1];
    ret->error = sqrt(square);
    const double df =
        square > 0
            ? square * square /
                  (squares[0] * squares[0] / (groups[0] - 1) + squares[1] * squares[1] / (groups[1] - 1))
            : least - 1;
    const double tail = 0.5 * st_normal_p(st_student_t(ST_NORMAL_975, df) * factor);
    const size_t skip = (size_t)(tail * (double)n);
    ret->low = effects[skip];
    ret->high = effects[n - 1 - skip];
    size_t against_n = 0; /* drawn differences of the other sign, or none */
    for (size_t i = 0; i < n; i++)
        against_n += value > 0 ? effects[i] <= 0 : effects[i] >= 0;
    const double share = (double)(against_n + 1) / (double)(n + 1);
    double p = value == 0 || share >= 0.5 ? 1 : square > 0 ? st_student_p(value / sqrt(square), df) : 0;
    if (against_n > 0 && p < 1) /* with none, it is beyond what so many draws can tell */
        p = fmax(p, st_student_p(st_normal_z(share) / factor, df));
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
    size_t bucket[2];  /* of a quantile, on each side */
    double bursts[2];  /* of misses: st_bursts_scatter; else 1 */
    double ratio[2];   /* of stretches of half the length; 0: not known */
    double scatter[2]; /* st_stretches_scatter where it is more than chance; else bursts */
};

static void widen(struct both *both, int id, struct st_random *random, struct widest *ret)
{
    double *from = both->effects, *to = from + ST_COMPARE_RESAMPLES, *effects = to + ST_COMPARE_RESAMPLES;
    struct st_compare_figure *figure = &ret->figure;
    struct scale scale;
    figure->by_groups = true;
    for (size_t i = 0; i < ST_COMPARE_RESAMPLES; i++) {
        st_stretches_draw(&both->run[0], random);
        st_stretches_draw(&both->run[1], random);
        from[i] = figure_of(both, 0, id);
        to[i] = figure_of(both, 1, id);
        effects[i] = to[i] - from[i];
    }
    qsort(effects, ST_COMPARE_RESAMPLES, sizeof(*effects), compare_doubles);
    judge(both, &scale, figure->difference.value);
    figure->difference.low = fmin(figure->difference.low, scale.low);
    figure->difference.high = fmax(figure->difference.high, scale.high);
    figure->error = fmax(figure->error, scale.error);
    figure->p_value = fmax(figure->p_value, scale.p_value);
}

/** Misses, divided by how they scatter where it is shown that they do not come one by one. */
static void count_missed(const struct both *both, struct widest *widest)
{
    struct st_compare_counts counts = {0};
    double missed_n = 0, sum = 0;
    for (size_t side = 0; side < 2; side++) {
        const struct st_blocks *blocks = both->run[side].blocks;
        if (widest->scatter[side] > widest->bursts[side])
            counts.df = GROUPS_DF;
        sum += widest->scatter[side] * (double)blocks->missed_n;
        missed_n += (double)blocks->missed_n;
    }
    counts.scatter = missed_n > 0 ? sum / missed_n : 1;
    for (size_t side = 0; side < 2; side++) {
        counts.events[side] = (double)both->run[side].blocks->missed_n / counts.scatter;
        counts.trials[side] = (double)both->run[side].blocks->trials_n / counts.scatter;
    }
    st_compare_counted(&counts, &widest->figure);
}

/** The interval of a quantile if the values were independent (order statistics). @return whether there is
 * one. */
static bool independent_interval(const struct st_stretches *run, double p, double *ret_low, double *ret_high)
{
    const double n = (double)run->blocks->n;
    uint64_t low, high;
    if (st_stats_quantile_ranks(run->blocks->n, p, 1 - 2 * TAIL, &low, &high) != 0)
        return false;
    *ret_low = st_stretches_quantile(run, (double)low / n);
    *ret_high = st_stretches_quantile(run, (double)high / n);
    return true;
}

/** How far the medians of a run's fifths lie apart. */
static double drift(struct st_stretches *run)
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
        const double median = known ? st_stretches_quantile(run, 0.5) : 0;
        low = fmin(low, median);
        high = fmax(high, median);
    }
    for (size_t k = 0; k < run->len; k++)
        run->times[k] = 1;
    return known ? high - low : (double)NAN;
}

/** What neighbours that depend on each other do to each figure, by stretches of one length. */
static void look_at_neighbours(const struct both *both, struct widest *all)
{
    for (int id = 0; id < ST_COMPARE_FIGURES; id++) {
        for (size_t side = 0; side < 2 && all[id].figure.difference.known; side++) {
            double p;
            const double ratio =
                st_stretches_scatter(&both->run[side], all[id].bucket[side], all[id].bursts[side], &p);
            /* of misses, what stretches of twice the length add is what longer ones would, once more */
            const double more =
                id == ST_COMPARE_MISSED && all[id].ratio[side] > 0 ? fmax(0, ratio - all[id].ratio[side]) : 0;
            if (p < NEIGHBOURS_LEVEL)
                all[id].scatter[side] = fmax(all[id].scatter[side], ratio + more);
            all[id].ratio[side] = p < 1 ? ratio : 0;
        }
    }
}

/* A stretch of L values holds less than all of what values that depend on each other over some `scatter` of
 * them do to its mean: the share 1 - scatter / 2L of the variance where their correlation dies away
 * exponentially, more where it does so evenly. Source: Kuensch 1989. */
static void make_up(struct widest *widest, const struct both *both)
{
    struct st_compare_figure *figure = &widest->figure;
    double missing = 0;
    for (size_t side = 0; side < 2; side++) {
        const struct st_stretches *run = &both->run[side];
        const double n = (double)run->blocks->n;
        if (widest->scatter[side] > 1)
            missing = fmax(missing, widest->scatter[side] * (double)run->len / n / 2);
    }
    if (!figure->difference.known || missing <= 0)
        return;
    const double factor = sqrt(1 / (1 - fmin(missing, MISSING_MAX))), value = figure->difference.value;
    figure->difference.low = value - (value - figure->difference.low) * factor;
    figure->difference.high = value + (figure->difference.high - value) * factor;
    figure->error *= factor;
    if (figure->p_value > 0 && figure->p_value < 1)
        figure->p_value = st_normal_p(st_normal_z(figure->p_value / 2) / factor);
}

/** Are there too few groups of values that depend on each other for an interval that is wide enough? */
static bool is_narrow(const struct widest *widest, int id, size_t side, const struct st_blocks *blocks)
{
    const double scatter = widest->scatter[side];
    if (scatter <= 1 || !widest->figure.difference.known)
        return false;
    return id == ST_COMPARE_MISSED
               ? (double)blocks->missed_n / scatter < EVENTS_MIN
               : (double)blocks->n / scatter <
                     (double)st_stats_quantile_min_n(st_compare_quantile((enum st_compare_id)id));
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
            all[id].bursts[side] = id == ST_COMPARE_MISSED ? st_bursts_scatter(&blocks->bursts) : 1;
            all[id].scatter[side] = all[id].bursts[side];
            all[id].bucket[side] =
                id < QUANTILES
                    ? st_stretches_bucket(&both->run[side], st_compare_quantile((enum st_compare_id)id))
                    : SIZE_MAX;
        }
        figure->difference.known = figure->known[0] && figure->known[1] && enough;
        if (figure->difference.known) {
            const double value = figure->value[1] - figure->value[0];
            figure->difference = (struct st_estimate){true, value, value, value};
        }
    }
}

static void compare_runs(struct both *both, struct st_random *random, struct st_comparison *ret)
{
    const struct st_blocks *const a = both->run[0].blocks, *const b = both->run[1].blocks;
    struct widest all[ST_COMPARE_FIGURES + 1] = {0};
    const size_t least = a->len < b->len ? a->len : b->len;
    figures_now(both, all);
    for (size_t side = 0; side < 2; side++)
        ret->drift_ns[side] = drift(&both->run[side]);
    for (size_t size = 1; size == 1 || (least + size - 1) / size >= ST_COMPARE_GROUPS_MIN; size *= 2) {
        if (size > 1)
            both_join(both);
        look_at_neighbours(both, all);
        for (int id = 0; id <= ST_COMPARE_FIGURES; id++) {
            if (all[id].figure.difference.known && id != ST_COMPARE_MISSED)
                widen(both, id, random, &all[id]);
        }
    }
    for (size_t side = 0; side < 2; side++) /* which of two values is the larger one is in their middle */
        all[ST_COMPARE_FIGURES].scatter[side] = all[ST_COMPARE_MEDIAN].scatter[side];
    for (int id = 0; id <= ST_COMPARE_FIGURES; id++) {
        if (id != ST_COMPARE_MISSED)
            make_up(&all[id], both);
    }
    if (all[ST_COMPARE_MISSED].figure.difference.known)
        count_missed(both, &all[ST_COMPARE_MISSED]);
    for (int id = 0; id < ST_COMPARE_FIGURES; id++) {
        ret->figures[id] = all[id].figure;
        ret->figures[id].narrow = is_narrow(&all[id], id, 0, a) || is_narrow(&all[id], id, 1, b);
    }
    ret->superiority = all[ST_COMPARE_FIGURES].figure.difference;
    for (size_t side = 0; side < 2 && all[ST_COMPARE_MEDIAN].figure.difference.known; side++) {
        const double scatter = all[ST_COMPARE_MEDIAN].scatter[side];
        ret->independent_n[side] = (double)both->run[side].blocks->n / scatter;
        ret->neighbours_depend |= scatter > 1;
    }
}

int st_compare(const struct st_blocks *a, const struct st_blocks *b, struct st_random *random,
               struct st_comparison *ret)
{
    struct both both = {0};
    *ret = (struct st_comparison){.same = st_blocks_equal(a, b)};
    int r = st_stretches_init(&both.run[0], a);
    if (r != 0)
        return r;
    r = st_stretches_init(&both.run[1], b);
    if (r == 0) {
        both.wins = calloc(a->len * b->len + 1, sizeof(*both.wins));
        both.effects = calloc((size_t)3 * ST_COMPARE_RESAMPLES, sizeof(*both.effects));
        r = both.wins == NULL || both.effects == NULL ? -ENOMEM : 0;
        for (size_t i = 0; i < a->len && r == 0; i++) {
            for (size_t k = 0; k < b->len; k++)
                both.wins[i * b->len + k] = wins_of(&a->block[i], &b->block[k]);
        }
        if (r == 0)
            compare_runs(&both, random, ret);
        free(both.wins);
        free(both.effects);
        st_stretches_finish(&both.run[1]);
    }
    st_stretches_finish(&both.run[0]);
    return r;
}

int st_compare_quantile_of(const struct st_blocks *blocks, enum st_compare_id id, bool *ret_known,
                           bool *ret_interval_known, double ret[3])
{
    const double p = st_compare_quantile(id);
    struct st_stretches run;
    *ret_known = *ret_interval_known = false;
    if (blocks->n < st_stats_quantile_min_n(p))
        return 0;
    const int r = st_stretches_init(&run, blocks);
    if (r != 0)
        return r;
    *ret_known = true;
    ret[0] = st_stretches_quantile(&run, p);
    *ret_interval_known = independent_interval(&run, p, &ret[1], &ret[2]);
    st_stretches_finish(&run);
    return 0;
}
