#include "lab/compare/pairs.h"

#include "core/stats/distribution.h"
#include "core/stats/stats.h"
#include "evidence/drift.h"
#include "lab/compare/missed.h"

/* 1 in 100 pairs of runs of independent values exceeds it: both sides, at most four block lengths. */
#define NEIGHBOURS_LEVEL (0.01 / 2 / 4)
/* Of pairs of runs of independent values, one in 20 passes it in a figure. Lower levels let through more of
 * what other programs do to runs one after the other: docs/adr/0013-evidence.md. */
#define DRIFT_LEVEL (0.05 / 2)
#define EVENTS_MIN  10 /* beyond a figure, that come independently */
#define MISSING_MAX 0.5
#define Z_95        1.959963984540054 /* both sides */
/* The fewest blocks of the run that misses more. */
#define BLOCKS_DF (ST_PAIRS_BLOCKS_MIN - 1.0)

const char *const st_figure_names[ST_FIGURES] = {"median", "p99", "p99.9", "missed"};
const double st_figure_quantiles[ST_FIGURES] = {0.5, 0.99, 0.999, 0};

/* --- drawing blocks: quantiles and misses of what was drawn --- */

/** The blocks of a run, some of which are drawn, any of them more than once. */
struct draw {
    const struct st_blocks *blocks;
    size_t len; /* blocks, fewer once they were joined */
    size_t values_n;
    double *values;       /* distinct ones, ascending */
    uint64_t *cumulative; /* [value][block]: how many of the block's are <= it */
    double n[ST_BLOCKS_MAX], trials_n[ST_BLOCKS_MAX], missed_n[ST_BLOCKS_MAX];
    uint64_t times[ST_BLOCKS_MAX]; /* how often each block was drawn */
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
    ST_EACH_OF (value, blocks->block, blocks->len)
        room += value->len;
    int32_t *buckets = calloc(room, sizeof(*buckets));
    if (buckets == NULL)
        return -ENOMEM;
    ST_EACH_OF (block, blocks->block, blocks->len) {
        ST_EACH_OF (bucket, block->buckets, block->len)
            buckets[n++] = bucket->bucket;
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

static void draw_finish(struct draw *run)
{
    free(run->values);
    free(run->cumulative);
}

/** Each block is drawn once. @param blocks borrowed. @return 0, -ENOMEM. */
static int draw_init(struct draw *run, const struct st_blocks *blocks)
{
    int32_t *buckets = NULL;
    *run = (struct draw){.blocks = blocks, .len = blocks->len};
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
        draw_finish(run);
    return r;
}

/* Of a row of a table with a column for each block: columns 2k and 2k + 1 become one. */
static void join_row(double *row, size_t len)
{
    for (size_t k = 0; k < len; k += 2)
        row[k / 2] = row[k] + (k + 1 < len ? row[k + 1] : 0);
}

/** Blocks of twice the length: two neighbours become one. */
static void draw_join(struct draw *run)
{
    const size_t len = run->len, half = (len + 1) / 2;
    for (size_t i = 0; i < run->values_n; i++) {
        const uint64_t *from = run->cumulative + i * len;
        uint64_t *to = run->cumulative + i * half;
        for (size_t k = 0; k < len; k += 2)
            to[k / 2] = from[k] + (k + 1 < len ? from[k + 1] : 0);
    }
    join_row(run->n, len);
    join_row(run->trials_n, len);
    join_row(run->missed_n, len);
    run->len = half;
}

/** Draws as many blocks as there are. */
static void draw_again(struct draw *run, struct st_random *random)
{
    memset(run->times, 0, sizeof(run->times));
    for (size_t i = 0; i < run->len; i++)
        run->times[st_random_below(random, run->len)]++;
}

/* Drawn values that are <= value i. */
static uint64_t draw_count(const struct draw *run, size_t i)
{
    const uint64_t *row = run->cumulative + i * run->len;
    uint64_t n = 0;
    for (size_t k = 0; k < run->len; k++)
        n += row[k] * run->times[k];
    return n;
}

/** The bucket of a quantile. */
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

/** Share of the periods. */
static double draw_missed(const struct draw *run)
{
    double missed = 0, trials = 0;
    for (size_t k = 0; k < run->len; k++) {
        missed += run->missed_n[k] * (double)run->times[k];
        trials += run->trials_n[k] * (double)run->times[k];
    }
    return trials > 0 ? missed / trials : 0;
}

/** Bucket of the p-quantile, while each block is drawn once. Some values lie above it, unless there is one
 * bucket only. */
static size_t draw_bucket(const struct draw *run, double p)
{
    const size_t bucket = run->values_n > 0 ? quantile_bucket(run, p) : 0;
    return bucket > 0 && bucket == run->values_n - 1 ? bucket - 1 : bucket;
}

/**
 * Do neighbours depend on each other? Counts of the blocks vary more then than those of independent events.
 * @param bucket counts values above it; SIZE_MAX: missed periods. @param known mean size of bursts that are
 * known of (1: none): p is of what varies by more than they do. @param ret_p probability that independent
 * events vary as much.
 * @return the ratio of the variances, which is also how many of the values tell as much as one independent
 * value; 1: no more than chance, or too few to count. Source: Fisher's index of dispersion. */
static double draw_scatter(const struct draw *run, size_t bucket, double known, double *ret_p)
{
    const bool misses = bucket == SIZE_MAX;
    const double *n = misses ? run->trials_n : run->n;
    double all_n = 0, hits_n = 0, squares = 0, df = -1;
    *ret_p = 1;
    for (size_t k = 0; k < run->len; k++) {
        all_n += n[k];
        hits_n += misses ? run->missed_n[k] : n[k] - (double)run->cumulative[bucket * run->len + k];
    }
    const double share = all_n > 0 ? hits_n / all_n : 0;
    if (share >= 1 || hits_n < known * (double)run->len) /* one each at least: Cochran 1954 */
        return 1;
    for (size_t k = 0; k < run->len; k++) {
        const double hits = misses ? run->missed_n[k] : n[k] - (double)run->cumulative[bucket * run->len + k];
        if (n[k] > 0)
            squares += (hits - n[k] * share) * (hits - n[k] * share) / (n[k] * share * (1 - share));
        df += n[k] > 0;
    }
    if (df < 1)
        return 1;
    *ret_p = st_distribution_chi_squared_p(squares / known, df);
    return fmax(1, squares / df);
}

static double run_figure(const struct draw *run, enum st_figure_id id)
{
    return id == ST_FIGURE_MISSED ? draw_missed(run) : draw_quantile(run, st_figure_quantiles[id]);
}

/* --- both --- */

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

/** What blocks of one length show. */
struct scale {
    double low, high, p_value, error;
};

/** Variance of the drawn differences, scaled to this number of blocks, and its degrees of freedom. */
static double variance_of(const struct both *both, double *ret_df)
{
    const size_t n = ST_PAIRS_RESAMPLES;
    double squares[2], blocks[2];
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
    const double tail = 0.5 * st_distribution_normal_p(st_distribution_student_t(Z_95, df) * factor);
    const size_t skip = (size_t)(tail * (double)n);
    ret->low = effects[skip];
    ret->high = effects[n - 1 - skip];
    size_t against_n = 0; /* drawn differences of the other sign, or none */
    ST_EACH_OF (effect, effects, n)
        against_n += value > 0 ? *effect <= 0 : *effect >= 0;
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
    double scatter[2]; /* draw_scatter where it is more than chance; else bursts */
};

static void widen(struct both *both, enum st_figure_id id, struct st_random *random, struct widest *ret)
{
    double *from = both->effects, *to = from + ST_PAIRS_RESAMPLES, *effects = to + ST_PAIRS_RESAMPLES;
    struct st_figure *figure = &ret->figure;
    struct scale scale;
    for (size_t i = 0; i < ST_PAIRS_RESAMPLES; i++) {
        draw_again(&both->run[0], random);
        draw_again(&both->run[1], random);
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
static bool part_figure(struct draw *run, enum st_figure_id id, size_t first, size_t n, uint64_t least_n,
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

/** How far the sections lie apart; NAN: not known. */
static double sections_apart(struct both *both, enum st_figure_id id, size_t side)
{
    const size_t len = both->run[side].len;
    const uint64_t least_n = id == ST_FIGURE_MISSED ? 1 : st_stats_quantile_min_n(st_figure_quantiles[id]);
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

/** Does a figure differ between the sections of one run by more than its blocks do by chance? Blocks of the
 * shortest length show that: what lasts longer than one of them, and comes and goes, is in the next run or is
 * not. */
static bool is_drifting(struct both *both, enum st_figure_id id, size_t side)
{
    double blocks[ST_BLOCKS_MAX];
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
            figure->drift[side] = figure->known[side] ? sections_apart(both, id, side) : (double)NAN;
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

/** What neighbours that depend on each other do to each figure, by blocks of one length. */
static void look_at_neighbours(const struct both *both, struct widest *all)
{
    ST_EACH_FIGURE (id) {
        for (size_t side = 0; side < 2 && all[id].figure.difference.known; side++) {
            double p;
            const double ratio =
                draw_scatter(&both->run[side], all[id].bucket[side], all[id].bursts[side], &p);
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
 * exponentially, more where it does so evenly. Source: Kuensch 1989. */
static void make_up(struct widest *widest, const struct both *both)
{
    struct st_figure *figure = &widest->figure;
    double missing = 0;
    for (size_t side = 0; side < 2; side++) {
        const struct draw *run = &both->run[side];
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
static bool is_narrow(const struct widest *widest, enum st_figure_id id, size_t side,
                      const struct st_blocks *blocks)
{
    const double scatter = widest->scatter[side];
    if (scatter <= 1 || !widest->figure.difference.known)
        return false;
    return id == ST_FIGURE_MISSED
               ? (double)blocks->missed_n / scatter < EVENTS_MIN
               : (double)blocks->n / scatter < (double)st_stats_quantile_min_n(st_figure_quantiles[id]);
}

/** The figures of the runs as they are; what can be compared has difference.known. */
static void figures_now(const struct both *both, struct widest *all)
{
    const bool enough = both->run[0].len >= ST_PAIRS_BLOCKS_MIN && both->run[1].len >= ST_PAIRS_BLOCKS_MIN;
    ST_EACH_FIGURE (id) {
        struct st_figure *figure = &all[id].figure;
        for (size_t side = 0; side < 2; side++) {
            const struct st_blocks *blocks = both->run[side].blocks;
            const bool missed = id == ST_FIGURE_MISSED;
            figure->known[side] =
                missed ? blocks->trials_n > 0 : blocks->n >= st_stats_quantile_min_n(st_figure_quantiles[id]);
            if (figure->known[side])
                figure->value[side] = run_figure(&both->run[side], id);
            all[id].bursts[side] = missed ? st_bursts_scatter(&blocks->bursts) : 1;
            all[id].scatter[side] = all[id].bursts[side];
            all[id].bucket[side] = missed ? SIZE_MAX : draw_bucket(&both->run[side], st_figure_quantiles[id]);
        }
        figure->difference.known = figure->known[0] && figure->known[1] && enough;
        if (figure->difference.known) {
            const double value = figure->value[1] - figure->value[0];
            figure->difference = (struct st_estimate){true, value, value, value};
        }
    }
}

static void compare_runs(struct both *both, struct st_random *random, struct st_figure ret[ST_FIGURES])
{
    const struct st_blocks *const a = both->run[0].blocks, *const b = both->run[1].blocks;
    struct widest all[ST_FIGURES] = {0};
    const size_t least = a->len < b->len ? a->len : b->len;
    figures_now(both, all);
    look_at_drift(both, all);
    for (size_t size = 1; size == 1 || (least + size - 1) / size >= ST_PAIRS_BLOCKS_MIN; size *= 2) {
        for (size_t side = 0; side < 2 && size > 1; side++)
            draw_join(&both->run[side]);
        look_at_neighbours(both, all);
        for (enum st_figure_id id = 0; id < ST_FIGURE_MISSED; id++) {
            if (all[id].figure.difference.known)
                widen(both, id, random, &all[id]);
        }
    }
    for (enum st_figure_id id = 0; id < ST_FIGURE_MISSED; id++)
        make_up(&all[id], both);
    if (all[ST_FIGURE_MISSED].figure.difference.known)
        count_missed(both, &all[ST_FIGURE_MISSED]);
    ST_EACH_FIGURE (id) {
        ret[id] = all[id].figure;
        ret[id].narrow = is_narrow(&all[id], id, 0, a) || is_narrow(&all[id], id, 1, b);
    }
}

int st_pairs_compare(const struct st_blocks *a, const struct st_blocks *b, struct st_random *random,
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
