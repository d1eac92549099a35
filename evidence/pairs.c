#include "evidence/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/distribution.h"
#include "core/stats/stats.h"
#include "evidence/draw.h"
#include "evidence/drift.h"
#include "evidence/missed.h"

/* 1 in 100 pairs of runs of independent values exceeds it: both sides, at most four block lengths. */
#define NEIGHBOURS_LEVEL (0.01 / 2 / 4)
/* Of pairs of runs of independent values, one in 20 passes it in a figure. Lower levels let through more of
 * what other programs do to runs one after the other: docs/adr/0013-evidence.md. */
#define DRIFT_LEVEL (0.05 / 2)
#define EVENTS_MIN  10 /* beyond a figure, that come independently */
#define MISSING_MAX 0.5
/* The fewest blocks of the run that misses more. */
#define BLOCKS_DF (ST_PAIRS_BLOCKS_MIN - 1.0)

static double run_figure(const struct st_draw *run, enum st_figure_id id)
{
    return id == ST_FIGURE_MISSED ? st_draw_missed(run) : st_draw_quantile(run, st_figure_quantile(id));
}

/* --- both --- */

struct both {
    struct st_draw run[2];
    enum st_pairs_order order;
    double z; /* of the interval, in a normal distribution */
    double *effects;
};

static double variance(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    return squares / (double)(n - 1);
}

/** What blocks of one length show. */
struct scale {
    double low, high, p_value, error;
};

/** Variance of the drawn differences, scaled to this number of blocks, and its degrees of freedom. */
static double variance_of(const struct both *both, double *ret_df)
{
    const size_t n = ST_PAIRS_RESAMPLES;
    double squares[2], blocks[2];
    if (both->order == ST_PAIRS_IN_TURN) {
        *ret_df = (double)both->run[0].len - 1;
        return variance(both->effects + 2 * n, n) * (*ret_df + 1) / *ret_df;
    }
    for (size_t side = 0; side < 2; side++) {
        /* a mean of k blocks that are drawn varies by (k - 1) / k of what a mean of k blocks does */
        blocks[side] = (double)both->run[side].len;
        squares[side] = variance(both->effects + side * n, n) * blocks[side] / (blocks[side] - 1);
    }
    const double square = squares[0] + squares[1];
    *ret_df =
        square > 0
            ? square * square /
                  (squares[0] * squares[0] / (blocks[0] - 1) + squares[1] * squares[1] / (blocks[1] - 1))
            : fmin(blocks[0], blocks[1]) - 1;
    return square;
}

/** Judges the effects that were drawn, now in order. @param value the difference of the runs as they are. */
static void judge(const struct both *both, struct scale *ret, double value)
{
    const size_t n = ST_PAIRS_RESAMPLES;
    const double *effects = both->effects + 2 * n;
    const double least = fmin((double)both->run[0].len, (double)both->run[1].len);
    const double factor = sqrt(least / (least - 1));
    double df;
    const double square = variance_of(both, &df);
    ret->error = sqrt(square);
    const double tail = 0.5 * st_distribution_normal_p(st_distribution_student_t(both->z, df) * factor);
    const size_t skip = (size_t)(tail * (double)n);
    ret->low = effects[skip];
    ret->high = effects[n - 1 - skip];
    size_t against_n = 0; /* drawn differences of the other sign, or none */
    for (size_t i = 0; i < n; i++)
        against_n += value > 0 ? effects[i] <= 0 : effects[i] >= 0;
    const double share = (double)(against_n + 1) / (double)(n + 1);
    double p = value == 0 || share >= 0.5 ? 1
               : square > 0               ? st_distribution_student_p(value / sqrt(square), df)
                                          : 0;
    if (against_n > 0 && p < 1) /* with none, the p-value is below what this number of draws can show */
        p = fmax(p, st_distribution_student_p(st_distribution_normal_z(share) / factor, df));
    ret->p_value = p;
}

/** What is known of one figure, widened by each length of blocks. */
struct widest {
    struct st_figure figure;
    size_t bucket[2];  /* of a quantile, on each side */
    double bursts[2];  /* of misses: st_bursts_scatter; else 1 */
    double ratio[2];   /* of blocks of half the length; 0: not known */
    double scatter[2]; /* st_draw_scatter where it is more than chance; else bursts */
};

static void widen(struct both *both, enum st_figure_id id, struct st_random *random, struct widest *ret)
{
    double *from = both->effects, *to = from + ST_PAIRS_RESAMPLES, *effects = to + ST_PAIRS_RESAMPLES;
    struct st_figure *figure = &ret->figure;
    struct scale scale;
    for (size_t i = 0; i < ST_PAIRS_RESAMPLES; i++) {
        st_draw_again(&both->run[0], random);
        if (both->order == ST_PAIRS_IN_TURN)
            memcpy(both->run[1].times, both->run[0].times, sizeof(both->run[1].times));
        else
            st_draw_again(&both->run[1], random);
        from[i] = run_figure(&both->run[0], id);
        to[i] = run_figure(&both->run[1], id);
        effects[i] = to[i] - from[i];
    }
    st_stats_sort_double(effects, ST_PAIRS_RESAMPLES);
    judge(both, &scale, figure->difference.value);
    figure->difference.low = fmin(figure->difference.low, scale.low);
    figure->difference.high = fmax(figure->difference.high, scale.high);
    figure->error = fmax(figure->error, scale.error);
    figure->p_value = fmax(figure->p_value, scale.p_value);
}

/** Misses, divided by how they scatter where it is shown that they do not come one by one. */
static void count_missed(const struct both *both, struct widest *widest)
{
    struct st_missed counts = {0};
    double missed_n = 0, sum = 0;
    for (size_t side = 0; side < 2; side++) {
        const struct st_blocks *blocks = both->run[side].blocks;
        if (widest->scatter[side] > widest->bursts[side])
            counts.df = BLOCKS_DF;
        sum += widest->scatter[side] * (double)blocks->missed_n;
        missed_n += (double)blocks->missed_n;
    }
    counts.scatter = missed_n > 0 ? sum / missed_n : 1;
    for (size_t side = 0; side < 2; side++) {
        counts.events[side] = (double)both->run[side].blocks->missed_n / counts.scatter;
        counts.trials[side] = (double)both->run[side].blocks->trials_n / counts.scatter;
    }
    struct st_figure figure;
    st_missed_judge(&counts, &figure);
    memcpy(figure.drift, widest->figure.drift, sizeof(figure.drift));
    figure.drifts = widest->figure.drifts;
    widest->figure = figure;
}

/* --- drift --- */

/** A figure of the blocks first .. first + n - 1 alone. @return whether there are enough values. */
static bool part_figure(struct st_draw *run, enum st_figure_id id, size_t first, size_t n, uint64_t least_n,
                        double *ret)
{
    double seen_n = 0;
    for (size_t k = 0; k < run->len; k++) {
        run->times[k] = k >= first && k < first + n;
        seen_n += (double)run->times[k] * (id == ST_FIGURE_MISSED ? run->trials_n[k] : run->n[k]);
    }
    const bool enough = seen_n >= (double)least_n;
    *ret = enough ? run_figure(run, id) : 0;
    return enough;
}

/** A figure of a part of one run; of runs in turn, the difference of both (of side 0). */
static bool part_value(struct both *both, enum st_figure_id id, size_t side, size_t first, size_t n,
                       uint64_t least_n, double *ret)
{
    double of_a;
    if (both->order == ST_PAIRS_APART)
        return part_figure(&both->run[side], id, first, n, least_n, ret);
    if (side != 0 || !part_figure(&both->run[0], id, first, n, least_n, &of_a) ||
        !part_figure(&both->run[1], id, first, n, least_n, ret))
        return false;
    *ret -= of_a;
    return true;
}

/** How far the sections lie apart; NAN: not known. */
static double sections_apart(struct both *both, enum st_figure_id id, size_t side)
{
    const size_t len = both->run[side].len;
    const uint64_t least_n = id == ST_FIGURE_MISSED ? 1 : st_stats_quantile_min_n(st_figure_quantile(id));
    double low = (double)INFINITY, high = -low, value;
    for (size_t section = 0, k = 0; section < ST_DRIFT_SECTIONS; section++) {
        const size_t first = k;
        while (k < len && st_drift_section(k, len) == section)
            k++;
        if (!part_value(both, id, side, first, k - first, least_n, &value))
            return (double)NAN;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

/** Does a figure differ between the sections of one run by more than its blocks do by chance? Blocks of the
 * shortest length show that: what lasts longer than one of them, and comes and goes, is in the next run or is
 * not. */
static bool is_drifting(struct both *both, enum st_figure_id id, size_t side)
{
    double blocks[ST_BLOCKS_MAX];
    const size_t len = both->run[side].len;
    for (size_t k = 0; k < len; k++) {
        if (!part_value(both, id, side, k, 1, 1, &blocks[k]))
            return false;
    }
    return st_drift_p(blocks, len) <= DRIFT_LEVEL;
}

static void look_at_drift(struct both *both, struct widest *all)
{
    for (int i = 0; i < ST_FIGURES; i++) {
        const enum st_figure_id id = (enum st_figure_id)i;
        struct st_figure *figure = &all[id].figure;
        for (size_t side = 0; side < 2; side++) {
            figure->drift[side] = figure->known[side] ? sections_apart(both, id, side) : (double)NAN;
            if (isfinite(figure->drift[side]) && is_drifting(both, id, side))
                figure->drifts = fmax(figure->drifts, figure->drift[side]);
        }
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t k = 0; k < both->run[side].len; k++)
            both->run[side].times[k] = 1;
    }
}

/* --- neighbours --- */

/** What neighbours that depend on each other do to each figure, by blocks of one length. */
static void look_at_neighbours(const struct both *both, struct widest *all)
{
    for (int id = 0; id < ST_FIGURES; id++) {
        for (size_t side = 0; side < 2 && all[id].figure.difference.known; side++) {
            double p;
            const double ratio =
                st_draw_scatter(&both->run[side], all[id].bucket[side], all[id].bursts[side], &p);
            /* of misses, longer blocks would add what blocks of twice the length did, once more */
            const double more =
                id == ST_FIGURE_MISSED && all[id].ratio[side] > 0 ? fmax(0, ratio - all[id].ratio[side]) : 0;
            if (p < NEIGHBOURS_LEVEL)
                all[id].scatter[side] = fmax(all[id].scatter[side], ratio + more);
            all[id].ratio[side] = p < 1 ? ratio : 0;
        }
    }
}

/* The means of blocks of L values vary by less than they should, where values depend on each other over some
 * `scatter` of them: they show the share 1 - scatter / 2L of the variance where the correlation dies away
 * exponentially, more where it does so evenly. Blocks in turn are not cut out of a longer run: nothing of
 * theirs is missing. Source: Kuensch 1989. */
static void make_up(struct widest *widest, const struct both *both)
{
    struct st_figure *figure = &widest->figure;
    double missing = 0;
    for (size_t side = 0; side < 2; side++) {
        const struct st_draw *run = &both->run[side];
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
        figure->p_value = st_distribution_normal_p(st_distribution_normal_z(figure->p_value / 2) / factor);
}

/** Do values depend on each other for so long that the interval may be too narrow? */
static bool is_narrow(const struct widest *widest, int id, size_t side, const struct st_blocks *blocks)
{
    const double scatter = widest->scatter[side];
    if (scatter <= 1 || !widest->figure.difference.known)
        return false;
    return id == ST_FIGURE_MISSED
               ? (double)blocks->missed_n / scatter < EVENTS_MIN
               : (double)blocks->n / scatter <
                     (double)st_stats_quantile_min_n(st_figure_quantile((enum st_figure_id)id));
}

/** The figures of the runs as they are; what can be compared has difference.known. */
static void figures_now(const struct both *both, struct widest *all)
{
    const bool enough = both->run[0].len >= ST_PAIRS_BLOCKS_MIN && both->run[1].len >= ST_PAIRS_BLOCKS_MIN;
    for (int i = 0; i < ST_FIGURES; i++) {
        const enum st_figure_id id = (enum st_figure_id)i;
        struct st_figure *figure = &all[id].figure;
        for (size_t side = 0; side < 2; side++) {
            const struct st_blocks *blocks = both->run[side].blocks;
            const bool missed = id == ST_FIGURE_MISSED;
            figure->known[side] =
                missed ? blocks->trials_n > 0 : blocks->n >= st_stats_quantile_min_n(st_figure_quantile(id));
            if (figure->known[side])
                figure->value[side] = run_figure(&both->run[side], id);
            all[id].bursts[side] = missed ? st_bursts_scatter(&blocks->bursts) : 1;
            all[id].scatter[side] = all[id].bursts[side];
            all[id].bucket[side] =
                missed ? SIZE_MAX : st_draw_bucket(&both->run[side], st_figure_quantile(id));
        }
        figure->difference.known = figure->known[0] && figure->known[1] && enough;
        if (figure->difference.known) {
            const double value = figure->value[1] - figure->value[0];
            figure->difference = (struct st_estimate){true, value, value, value};
        }
    }
}

/* --- medians in turn --- */

/** Probability that at least this many of n signs are alike if both are equally likely. */
static double signs_p(size_t alike_n, size_t n)
{
    double term = ldexp(1, -(int)n), sum = 0;
    for (size_t against_n = 0; against_n + alike_n <= n; against_n++) {
        sum += term;
        term *= (double)(n - against_n) / (double)(against_n + 1);
    }
    return fmin(1, 2 * sum);
}

/** Medians of blocks in turn, pair by pair: changes that affect both cancel, and a stall in one block moves
 * one difference only. Sign test and its interval, without assumptions about the distribution. */
static int compare_medians(struct both *both, enum st_confidence confidence, struct st_figure *ret)
{
    double medians[2][ST_BLOCKS_MAX];
    const size_t n = both->run[0].len;
    size_t less_n = 0, more_n = 0;
    for (size_t k = 0; k < n; k++) {
        for (size_t side = 0; side < 2; side++) {
            if (!part_figure(&both->run[side], ST_FIGURE_MEDIAN, k, 1, 1, &medians[side][k]))
                return -EINVAL;
        }
        less_n += medians[1][k] < medians[0][k];
        more_n += medians[1][k] > medians[0][k];
    }
    const int r = st_estimate_of_pairs(medians[0], medians[1], n, confidence, &ret->difference);
    ret->error = (ret->difference.high - ret->difference.low) / 2 / both->z;
    ret->p_value = signs_p(less_n > more_n ? less_n : more_n, n);
    return r;
}

static int compare_runs(struct both *both, enum st_confidence confidence, struct st_random *random,
                        struct st_figure ret[ST_FIGURES])
{
    const struct st_blocks *const a = both->run[0].blocks, *const b = both->run[1].blocks;
    struct widest all[ST_FIGURES] = {0};
    const size_t least = a->len < b->len ? a->len : b->len;
    const bool in_turn = both->order == ST_PAIRS_IN_TURN;
    figures_now(both, all);
    if (in_turn && all[ST_FIGURE_MEDIAN].figure.difference.known) {
        const int r = compare_medians(both, confidence, &all[ST_FIGURE_MEDIAN].figure);
        if (r != 0)
            return r;
    }
    look_at_drift(both, all);
    for (size_t size = 1; size == 1 || (least + size - 1) / size >= ST_PAIRS_BLOCKS_MIN; size *= 2) {
        for (size_t side = 0; side < 2 && size > 1; side++)
            st_draw_join(&both->run[side]);
        look_at_neighbours(both, all);
        for (int id = 0; id < ST_FIGURE_MISSED; id++) {
            if (all[id].figure.difference.known && !(in_turn && id == ST_FIGURE_MEDIAN))
                widen(both, (enum st_figure_id)id, random, &all[id]);
        }
    }
    for (int id = 0; id < ST_FIGURE_MISSED && !in_turn; id++)
        make_up(&all[id], both);
    if (all[ST_FIGURE_MISSED].figure.difference.known)
        count_missed(both, &all[ST_FIGURE_MISSED]);
    for (int id = 0; id < ST_FIGURES; id++) {
        ret[id] = all[id].figure;
        ret[id].narrow = is_narrow(&all[id], id, 0, a) || is_narrow(&all[id], id, 1, b);
    }
    return 0;
}

int st_pairs_compare(const struct st_blocks *a, const struct st_blocks *b, enum st_pairs_order order,
                     enum st_confidence confidence, struct st_random *random,
                     struct st_figure ret[ST_FIGURES])
{
    struct both both = {.order = order,
                        .z = st_distribution_normal_z(confidence == ST_CONFIDENCE_99 ? 0.005 : 0.025)};
    int r = st_draw_init(&both.run[0], a);
    if (r != 0)
        return r;
    r = st_draw_init(&both.run[1], b);
    if (r == 0) {
        both.effects = calloc((size_t)3 * ST_PAIRS_RESAMPLES, sizeof(*both.effects));
        r = both.effects != NULL ? compare_runs(&both, confidence, random, ret) : -ENOMEM;
        free(both.effects);
        st_draw_finish(&both.run[1]);
    }
    st_draw_finish(&both.run[0]);
    return r;
}
