#include "lab/compare/pairs.h"

#include "core/stats/distribution.h"
#include "core/stats/stats.h"
#include "lab/compare/drift.h"
#include "lab/stats/tails.h"

/* Values of a run count as dependent on their neighbours below this p-value. Of pairs of runs with
 * independent values, 1 in 100 is below it by chance: the 1 % is divided by two runs and at most
 * four block lengths. */
#define NEIGHBOURS_LEVEL (0.01 / 2 / 4)
/* A figure drifts within a run below this p-value. Of pairs of runs with independent values, 1 in
 * 20 is below it in a figure by chance. With a lower level, compare would report more differences
 * that other programs cause from one run to the next: docs/adr/0013-evidence.md. */
#define DRIFT_LEVEL (0.05 / 2)
#define MISSING_MAX 0.5
/* 97.5 % quantile of the normal distribution: 95 % lie within */
#define Z_95       1.959963984540054
#define BLOCKS_MAX 64
#define VALUE_BITS 11 /* significant bits of a value that is drawn: exact to 0.05 % */

const char *const st_figure_names[ST_FIGURES] = {"median", "p99", "p99.9"};
const double st_figure_quantiles[ST_FIGURES] = {0.5, 0.99, 0.999};

/* --- drawing blocks: quantiles of what was drawn --- */

/** The blocks of a run. Some are drawn, also more than once; the figures are then those of the
 * drawn values. */
struct draw {
    struct st_sample sample; /* all values of the run, sorted */
    size_t len;              /* number of blocks, which halves when neighbours are joined */
    size_t values_n;
    double *values;       /* distinct values, ascending, rounded to VALUE_BITS */
    uint64_t *cumulative; /* [value][block]: how many values of the block are <= this value */
    double n[BLOCKS_MAX];
    uint64_t times[BLOCKS_MAX]; /* how often each block was drawn */
};

static void draw_finish(struct draw *run)
{
    st_series_free_sample(&run->sample);
    free(run->values);
    free(run->cumulative);
}

static double coarse(int64_t ns)
{
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    const unsigned bits = size > 0 ? 64 - (unsigned)__builtin_clzll(size) : 0;
    const unsigned shift = bits > VALUE_BITS ? bits - VALUE_BITS : 0;
    const double near = (double)((size + ((UINT64_C(1) << shift) >> 1)) >> shift << shift);
    return ns < 0 ? -near : near;
}

static size_t place_of(const struct draw *run, double value)
{
    size_t low = 0, high = run->values_n - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (run->values[middle] >= value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Counts the values of each block. Each block is drawn once, so that the figures are those of the
 * whole run. */
static void draw_fill(struct draw *run, const struct st_series *series)
{
    for (size_t i = 0; i < series->n; i++) {
        const size_t k = i * run->len / series->n;
        run->cumulative[place_of(run, coarse(series->lateness_ns[i])) * run->len + k]++;
        run->n[k]++;
        run->times[k] = 1;
    }
    for (size_t i = run->len; i < run->values_n * run->len; i++)
        run->cumulative[i] += run->cumulative[i - run->len];
}

/** Reads the values of a run and divides them into blocks. @return 0, -ENOMEM. */
static int draw_init(struct draw *run, const struct st_series *series)
{
    *run = (struct draw){.len = series->n < BLOCKS_MAX ? series->n : BLOCKS_MAX};
    const int r = series->n > 0 ? st_series_sample(series, &run->sample) : 0;
    run->values = calloc(series->n + 1, sizeof(*run->values));
    for (size_t i = 0; i < run->sample.n && run->values != NULL; i++) {
        const double value = coarse(run->sample.values_ns[i]);
        if (i == 0 || value > run->values[run->values_n - 1])
            run->values[run->values_n++] = value;
    }
    run->cumulative = calloc(run->values_n * run->len + 1, sizeof(*run->cumulative));
    if (r != 0 || run->values == NULL || run->cumulative == NULL) {
        draw_finish(run);
        return -ENOMEM;
    }
    draw_fill(run, series);
    return 0;
}

/** Doubles the length of the blocks: two neighbours become one. */
static void draw_join(struct draw *run)
{
    const size_t len = run->len, half = (len + 1) / 2;
    for (size_t i = 0; i < run->values_n; i++) {
        const uint64_t *from = run->cumulative + i * len;
        uint64_t *to = run->cumulative + i * half;
        for (size_t k = 0; k < len; k += 2)
            to[k / 2] = from[k] + (k + 1 < len ? from[k + 1] : 0);
    }
    for (size_t k = 0; k < len; k += 2)
        run->n[k / 2] = run->n[k] + (k + 1 < len ? run->n[k + 1] : 0);
    run->len = half;
}

/** Draws as many blocks at random as the run has; some more than once, some not at all. */
static void draw_again(struct draw *run, struct st_random *random)
{
    memset(run->times, 0, sizeof(run->times));
    for (size_t i = 0; i < run->len; i++)
        run->times[st_random_below(random, run->len)]++;
}

/* Number of drawn values that are <= values[i]. */
static uint64_t draw_count(const struct draw *run, size_t i)
{
    const uint64_t *row = run->cumulative + i * run->len;
    uint64_t n = 0;
    for (size_t k = 0; k < run->len; k++)
        n += row[k] * run->times[k];
    return n;
}

/** The index in `values` of the p-quantile of the drawn values. */
static size_t quantile_bucket(const struct draw *run, double p)
{
    size_t low = 0, high = run->values_n - 1;
    const uint64_t rank = st_hist_quantile_rank(draw_count(run, high), p);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (draw_count(run, middle) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double draw_quantile(const struct draw *run, double p)
{
    return run->values[quantile_bucket(run, p)];
}

/** The bucket (index in `values`) of the p-quantile if each block is drawn once. Some values lie
 * above it, unless there is only one bucket. */
static size_t draw_bucket(const struct draw *run, double p)
{
    const size_t bucket = run->values_n > 0 ? quantile_bucket(run, p) : 0;
    return bucket > 0 && bucket == run->values_n - 1 ? bucket - 1 : bucket;
}

/**
 * Do neighbouring values depend on each other? Then the number of values above a bucket varies more
 * from block to block than that of independent events.
 * @param bucket index in `values`: the values above it are counted. @param ret_p probability that
 * independent events vary as much. @return the ratio of the variances: this number of dependent
 * values says as much as one independent value. 1: no more than chance, or too few to count.
 * Source: Fisher's index of dispersion. */
static double draw_scatter(const struct draw *run, size_t bucket, double *ret_p)
{
    const double *n = run->n;
    double all_n = 0, hits_n = 0, squares = 0, df = -1;
    *ret_p = 1;
    for (size_t k = 0; k < run->len; k++) {
        all_n += n[k];
        hits_n += n[k] - (double)run->cumulative[bucket * run->len + k];
    }
    const double share = all_n > 0 ? hits_n / all_n : 0;
    if (share >= 1 || hits_n < (double)run->len) /* the test needs at least one value above the
                                                    bucket for each block: Cochran 1954 */
        return 1;
    for (size_t k = 0; k < run->len; k++) {
        const double hits = n[k] - (double)run->cumulative[bucket * run->len + k];
        if (n[k] > 0)
            squares += (hits - n[k] * share) * (hits - n[k] * share) / (n[k] * share * (1 - share));
        df += n[k] > 0;
    }
    if (df < 1)
        return 1;
    *ret_p = st_tails_chi_squared_p(squares, df);
    return fmax(1, squares / df);
}

/* --- both runs --- */

struct both {
    struct draw run[2];
    double *effects;
};

static double variance(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    ST_EACH_OF (value, values, n)
        sum += *value;
    ST_EACH_OF (value, values, n)
        squares += (*value - sum / (double)n) * (*value - sum / (double)n);
    return squares / (double)(n - 1);
}

/** The interval, p-value and standard error that blocks of one length give. */
struct scale {
    double low, high, p_value, error;
};

/** Variance of the drawn differences, corrected for the number of blocks, and its degrees of
 * freedom. */
static double variance_of(const struct both *both, double *ret_df)
{
    const size_t n = ST_PAIRS_RESAMPLES;
    double squares[2], blocks[2];
    for (size_t side = 0; side < 2; side++) {
        /* resampling k blocks gives (k - 1) / k of the true variance */
        blocks[side] = (double)both->run[side].len;
        squares[side] = variance(both->effects + side * n, n) * blocks[side] / (blocks[side] - 1);
    }
    const double square = squares[0] + squares[1];
    *ret_df = square > 0 ? square * square /
                               (squares[0] * squares[0] / (blocks[0] - 1) +
                                squares[1] * squares[1] / (blocks[1] - 1))
                         : fmin(blocks[0], blocks[1]) - 1;
    return square;
}

/** Computes interval and p-value from the drawn differences, which are sorted. @param value
 * difference of the figures of both whole runs. */
static void judge(const struct both *both, struct scale *ret, double value)
{
    const size_t n = ST_PAIRS_RESAMPLES;
    const double *effects = both->effects + 2 * n;
    const double least = fmin((double)both->run[0].len, (double)both->run[1].len);
    const double factor = sqrt(least / (least - 1));
    double df;
    const double square = variance_of(both, &df);
    ret->error = sqrt(square);
    const double tail = 0.5 * st_distribution_normal_p(st_tails_student_t(Z_95, df) * factor);
    const size_t skip = (size_t)(tail * (double)n);
    ret->low = effects[skip];
    ret->high = effects[n - 1 - skip];
    size_t against_n = 0; /* drawn differences that are 0 or do not have the sign of `value` */
    ST_EACH_OF (effect, effects, n)
        against_n += value > 0 ? *effect <= 0 : *effect >= 0;
    const double share = (double)(against_n + 1) / (double)(n + 1);
    double p = value == 0 || share >= 0.5 ? 1
               : square > 0               ? st_tails_student_p(value / sqrt(square), df)
                                          : 0;
    if (against_n > 0 && p < 1) /* drawn differences against `value` limit p, too; if there are
                                   none, they cannot show how small p is */
        p = fmax(p, st_tails_student_p(st_distribution_normal_z(share) / factor, df));
    ret->p_value = p;
}

/** The result for one figure: the widest interval of all lengths of blocks. */
struct widest {
    struct st_figure figure;
    size_t bucket[2];  /* for each run: index in draw.values of the quantile */
    double scatter[2]; /* result of draw_scatter for each run if it is more than chance; else 1 */
};

static void widen(struct both *both, enum st_figure_id id, struct st_random *random,
                  struct widest *ret)
{
    double *from = both->effects, *to = from + ST_PAIRS_RESAMPLES,
           *effects = to + ST_PAIRS_RESAMPLES;
    struct st_figure *figure = &ret->figure;
    struct scale scale;
    for (size_t i = 0; i < ST_PAIRS_RESAMPLES; i++) {
        draw_again(&both->run[0], random);
        draw_again(&both->run[1], random);
        from[i] = draw_quantile(&both->run[0], st_figure_quantiles[id]);
        to[i] = draw_quantile(&both->run[1], st_figure_quantiles[id]);
        effects[i] = to[i] - from[i];
    }
    st_stats_sort_double(effects, ST_PAIRS_RESAMPLES);
    judge(both, &scale, figure->difference.value);
    figure->difference.low = fmin(figure->difference.low, scale.low);
    figure->difference.high = fmax(figure->difference.high, scale.high);
    figure->error = fmax(figure->error, scale.error);
    figure->p_value = fmax(figure->p_value, scale.p_value);
}

/* --- drift --- */

/** Computes a figure from the blocks first .. first + n - 1 alone. @return whether they have
 * least_n values. */
static bool part_figure(struct draw *run, enum st_figure_id id, size_t first, size_t n,
                        uint64_t least_n, double *ret)
{
    double seen_n = 0;
    for (size_t k = 0; k < run->len; k++) {
        run->times[k] = k >= first && k < first + n;
        seen_n += (double)run->times[k] * run->n[k];
    }
    const bool enough = seen_n >= (double)least_n;
    *ret = enough ? draw_quantile(run, st_figure_quantiles[id]) : 0;
    return enough;
}

/** The largest minus the smallest value of a figure in the sections of a run, ns; NAN: unknown. */
static double sections_apart(struct both *both, enum st_figure_id id, size_t side)
{
    const size_t len = both->run[side].len;
    const uint64_t least_n = st_stats_quantile_min_n(st_figure_quantiles[id]);
    double low = (double)INFINITY, high = -low, value;
    for (size_t section = 0, k = 0; section < ST_DRIFT_SECTIONS; section++) {
        const size_t first = k;
        while (k < len && st_drift_section(k, len) == section)
            k++;
        if (!part_figure(&both->run[side], id, first, k - first, least_n, &value))
            return (double)NAN;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return high - low;
}

/** Does a figure differ between the sections of one run by more than its blocks do by chance? The
 * shortest blocks are compared, so that a disturbance that lasts longer than one block and then
 * ends counts as drift: it may or may not occur in the next run. */
static bool is_drifting(struct both *both, enum st_figure_id id, size_t side)
{
    double blocks[BLOCKS_MAX];
    const size_t len = both->run[side].len;
    for (size_t k = 0; k < len; k++) {
        if (!part_figure(&both->run[side], id, k, 1, 1, &blocks[k]))
            return false;
    }
    return st_drift_p(blocks, len) <= DRIFT_LEVEL;
}

static void look_at_drift(struct both *both, struct widest *all)
{
    ST_EACH_FIGURE (id) {
        struct st_figure *figure = &all[id].figure;
        for (size_t side = 0; side < 2; side++) {
            figure->drift[side] =
                figure->known[side] ? sections_apart(both, id, side) : (double)NAN;
            if (isfinite(figure->drift[side]) && is_drifting(both, id, side))
                figure->drifts = fmax(figure->drifts, figure->drift[side]);
        }
    }
    ST_EACH_OF (run, both->run, 2) {
        ST_EACH_OF (time, run->times, run->len)
            *time = 1;
    }
}

/* --- neighbours --- */

/** Measures for each figure how much neighbouring values of a run depend on each other, with blocks
 * of the present length. Dependent values say less than their number, so that the interval of the
 * difference must be wider. */
static void look_at_neighbours(const struct both *both, struct widest *all)
{
    ST_EACH_FIGURE (id) {
        for (size_t side = 0; side < 2 && all[id].figure.difference.known; side++) {
            double p;
            const double ratio = draw_scatter(&both->run[side], all[id].bucket[side], &p);
            if (p < NEIGHBOURS_LEVEL)
                all[id].scatter[side] = fmax(all[id].scatter[side], ratio);
        }
    }
}

/* Widens the interval for the variance that blocks miss. If values depend on each other over some
 * `scatter` values, means of blocks of L values vary too little: they show the share 1 - scatter /
 * 2L of the variance if the correlation decays exponentially, and more if it decays evenly. Source:
 * Kuensch 1989. */
static void make_up(struct widest *widest, const struct both *both)
{
    struct st_figure *figure = &widest->figure;
    double missing = 0;
    for (size_t side = 0; side < 2; side++) {
        const struct draw *run = &both->run[side];
        const double n = (double)run->sample.n;
        if (widest->scatter[side] > 1)
            missing = fmax(missing, widest->scatter[side] * (double)run->len / n / 2);
    }
    if (!figure->difference.known || missing <= 0)
        return;
    const double factor = sqrt(1 / (1 - fmin(missing, MISSING_MAX))),
                 value = figure->difference.value;
    figure->difference.low = value - (value - figure->difference.low) * factor;
    figure->difference.high = value + (figure->difference.high - value) * factor;
    figure->error *= factor;
    if (figure->p_value > 0 && figure->p_value < 1)
        figure->p_value =
            st_distribution_normal_p(st_distribution_normal_z(figure->p_value / 2) / factor);
}

/** Do values depend on each other for so long that the interval may be too narrow? Then the run has
 * too few independent values for the quantile. */
static bool is_narrow(const struct widest *widest, enum st_figure_id id, size_t side,
                      const struct draw *run)
{
    const double scatter = widest->scatter[side];
    if (scatter <= 1 || !widest->figure.difference.known)
        return false;
    return (double)run->sample.n / scatter <
           (double)st_stats_quantile_min_n(st_figure_quantiles[id]);
}

/** Computes the figures of both whole runs; figures that can be compared get difference.known. */
static void figures_now(const struct both *both, struct widest *all)
{
    const bool enough =
        both->run[0].len >= ST_PAIRS_BLOCKS_MIN && both->run[1].len >= ST_PAIRS_BLOCKS_MIN;
    ST_EACH_FIGURE (id) {
        struct st_figure *figure = &all[id].figure;
        for (size_t side = 0; side < 2; side++) {
            const struct draw *run = &both->run[side];
            figure->known[side] = run->sample.n >= st_stats_quantile_min_n(st_figure_quantiles[id]);
            if (figure->known[side])
                figure->value[side] = draw_quantile(run, st_figure_quantiles[id]);
            all[id].scatter[side] = 1;
            all[id].bucket[side] = draw_bucket(run, st_figure_quantiles[id]);
        }
        figure->difference.known = figure->known[0] && figure->known[1] && enough;
        if (figure->difference.known) {
            const double value = figure->value[1] - figure->value[0];
            figure->difference = (struct st_estimate){true, value, value, value};
        }
    }
}

/** Replaces the values that are rounded to VALUE_BITS by exact ones: both figures, and the middle
 * of the interval. */
static void make_exact(const struct both *both, enum st_figure_id id, struct st_figure *figure)
{
    for (size_t side = 0; side < 2; side++) {
        if (!figure->known[side])
            continue;
        const double exact =
            (double)st_sample_quantile(&both->run[side].sample, st_figure_quantiles[id]);
        const double more = (exact - figure->value[side]) * (side == 1 ? 1 : -1);
        figure->value[side] = exact;
        figure->difference.value += more;
        figure->difference.low += more;
        figure->difference.high += more;
    }
}

static void compare_runs(struct both *both, struct st_random *random,
                         struct st_figure ret[ST_FIGURES])
{
    struct widest all[ST_FIGURES] = {0};
    const size_t least = both->run[0].len < both->run[1].len ? both->run[0].len : both->run[1].len;
    figures_now(both, all);
    look_at_drift(both, all);
    for (size_t size = 1; size == 1 || (least + size - 1) / size >= ST_PAIRS_BLOCKS_MIN;
         size *= 2) {
        for (size_t side = 0; side < 2 && size > 1; side++)
            draw_join(&both->run[side]);
        look_at_neighbours(both, all);
        ST_EACH_FIGURE (id) {
            if (all[id].figure.difference.known)
                widen(both, id, random, &all[id]);
        }
    }
    ST_EACH_FIGURE (id) {
        make_up(&all[id], both);
        make_exact(both, id, &all[id].figure);
        ret[id] = all[id].figure;
        ret[id].narrow =
            is_narrow(&all[id], id, 0, &both->run[0]) || is_narrow(&all[id], id, 1, &both->run[1]);
    }
}

int st_pairs_compare(const struct st_series *a, const struct st_series *b, struct st_random *random,
                     struct st_figure ret[ST_FIGURES])
{
    struct both both = {.effects = NULL};
    int r = draw_init(&both.run[0], a);
    if (r != 0)
        return r;
    r = draw_init(&both.run[1], b);
    if (r == 0) {
        both.effects = calloc((size_t)3 * ST_PAIRS_RESAMPLES, sizeof(*both.effects));
        r = both.effects != NULL ? 0 : -ENOMEM;
        if (r == 0)
            compare_runs(&both, random, ret);
        free(both.effects);
        draw_finish(&both.run[1]);
    }
    draw_finish(&both.run[0]);
    return r;
}
