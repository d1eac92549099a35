#include "lib/pass.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "lib/stats.h"

#define BLOCKS_LEAST 10
#define BLOCKS_MOST  60
#define PARTS        5  /* of a run, to see what it does by itself */
#define PART_LEAST   20 /* values in each */

enum { QUANTILES = ST_PASS_P99 + 1 };
static const double ps[QUANTILES] = {[ST_PASS_MEDIAN] = 0.5, [ST_PASS_P99] = 0.99};

void st_pass_init(struct st_pass *pass, const struct st_period *period)
{
    *pass = (struct st_pass){.period = *period};
}

void st_pass_finish(struct st_pass *pass)
{
    free(pass->lateness_ns);
    free(pass->index);
    free(pass->missed);
    *pass = (struct st_pass){.period = pass->period};
}

/* --- filling ---------------------------------------------------------------------------------------------
 */

/* Periods first .. first + n - 1 went by. @return whether they can be counted. */
static bool went_by(struct st_pass *pass, uint64_t first, uint64_t n)
{
    if (pass->error == 0 && (n > UINT32_MAX || first > UINT32_MAX - n))
        pass->error = -EFBIG;
    if (pass->error != 0)
        return false;
    if (first + n > pass->end)
        pass->end = first + n;
    return true;
}

static void miss(struct st_pass *pass, uint64_t first, uint64_t n)
{
    struct st_pass_span *last = pass->missed_len > 0 ? &pass->missed[pass->missed_len - 1] : NULL;
    if (last != NULL && last->first + last->n == first) {
        last->n += n;
        pass->missed_n += n;
        return;
    }
    if (pass->missed_len == pass->missed_room) {
        const size_t room = pass->missed_room > 0 ? pass->missed_room * 2 : 64;
        struct st_pass_span *grown = reallocarray(pass->missed, room, sizeof(*grown));
        if (grown == NULL) {
            pass->error = -ENOMEM;
            return;
        }
        pass->missed = grown;
        pass->missed_room = room;
    }
    pass->missed[pass->missed_len++] = (struct st_pass_span){first, n};
    pass->missed_n += n;
}

static bool make_room(struct st_pass *pass)
{
    if (pass->n < pass->room)
        return true;
    if (pass->room >= ST_PASS_VALUES_MAX) {
        pass->error = -EFBIG;
        return false;
    }
    const size_t room = pass->room > 0 ? pass->room * 2 : 4096;
    int64_t *lateness_ns = reallocarray(pass->lateness_ns, room, sizeof(*lateness_ns));
    if (lateness_ns != NULL)
        pass->lateness_ns = lateness_ns;
    uint32_t *index = reallocarray(pass->index, room, sizeof(*index));
    if (index != NULL)
        pass->index = index;
    if (lateness_ns == NULL || index == NULL) {
        pass->error = -ENOMEM;
        return false;
    }
    pass->room = room;
    return true;
}

void st_pass_cycle(struct st_pass *pass, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    if (!went_by(pass, period_index, 1) || !make_room(pass))
        return;
    pass->lateness_ns[pass->n] = lateness_ns;
    pass->index[pass->n++] = (uint32_t)period_index;
    if (st_period_missed(&pass->period, period_index, st_ns_add(lateness_ns, callback_ns)))
        miss(pass, period_index, 1);
}

void st_pass_skipped(struct st_pass *pass, uint64_t first, uint64_t n)
{
    if (n > 0 && went_by(pass, first, n))
        miss(pass, first, n);
}

void st_pass_lost(struct st_pass *pass, uint64_t first, uint64_t n)
{
    if (went_by(pass, first, n))
        pass->lost_n += n;
}

/* --- comparing -------------------------------------------------------------------------------------------
 */

static uint32_t blocks_of(const struct st_pass *first, const struct st_pass *second)
{
    const double seconds = fmin((double)first->end * st_period_seconds(&first->period),
                                (double)second->end * st_period_seconds(&second->period));
    return seconds < BLOCKS_LEAST ? BLOCKS_LEAST : seconds > BLOCKS_MOST ? BLOCKS_MOST : (uint32_t)seconds;
}

/* The block of a period: blocks_n equal parts of the whole run. */
static uint32_t block_of(const struct st_pass *pass, uint64_t index, uint32_t blocks_n)
{
    return (uint32_t)(index * blocks_n / pass->end);
}

/* The first period of a block. */
static uint64_t block_start(const struct st_pass *pass, uint32_t block, uint32_t blocks_n)
{
    return (pass->end * block + blocks_n - 1) / blocks_n;
}

static int block_values(const struct st_pass *pass, uint32_t blocks_n, uint32_t **ret)
{
    uint32_t *blocks = malloc((pass->n > 0 ? pass->n : 1) * sizeof(*blocks));
    if (blocks == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < pass->n; i++)
        blocks[i] = block_of(pass, pass->index[i], blocks_n);
    *ret = blocks;
    return 0;
}

/* The quantiles of values first .. first + n - 1. known: NULL, or whether there are enough of them. */
static int quantiles_of(const struct st_pass *pass, size_t first, size_t n, double *ret, bool *known)
{
    int64_t *sorted = malloc(n * sizeof(*sorted));
    if (sorted == NULL)
        return -ENOMEM;
    memcpy(sorted, pass->lateness_ns + first, n * sizeof(*sorted));
    const struct st_sample sample = st_sample_of(sorted, n);
    for (int k = 0; k < QUANTILES; k++) {
        const bool enough = n >= st_stats_quantile_min_n(ps[k]);
        ret[k] = known == NULL || enough ? (double)st_sample_quantile(&sample, ps[k]) : 0;
        if (known != NULL)
            known[k] = enough;
    }
    free(sorted);
    return 0;
}

/* How far the quantiles of the parts lie apart; 0: a part has too few values. */
static int drift_of(const struct st_pass *pass, double *ret)
{
    double low[QUANTILES], high[QUANTILES], values[QUANTILES];
    size_t first = 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        size_t next = first;
        while (next < pass->n && block_of(pass, pass->index[next], PARTS) == part)
            next++;
        if (next - first < PART_LEAST)
            return 0;
        const int r = quantiles_of(pass, first, next - first, values, NULL);
        if (r != 0)
            return r;
        for (int k = 0; k < QUANTILES; k++) {
            low[k] = part == 0 ? values[k] : fmin(low[k], values[k]);
            high[k] = part == 0 ? values[k] : fmax(high[k], values[k]);
        }
        first = next;
    }
    for (int k = 0; k < QUANTILES; k++)
        ret[k] = high[k] - low[k];
    return 0;
}

static int add_quantiles(const struct st_pass *pass, int i, struct st_pass_difference *ret)
{
    double whole[QUANTILES], drift[QUANTILES] = {0};
    bool known[QUANTILES];
    if (pass->n == 0)
        return 0;
    int r = quantiles_of(pass, 0, pass->n, whole, known);
    if (r == 0)
        r = drift_of(pass, drift);
    for (int k = 0; r == 0 && k < QUANTILES; k++) {
        struct st_pass_figure *figure = &ret->figures[k];
        figure->known[i] = known[k];
        figure->value[i] = whole[k];
        figure->drift = fmax(figure->drift, drift[k]);
    }
    return r;
}

static int compare_quantiles(const struct st_pass *passes[2], uint32_t *blocks[2], struct st_random *random,
                             struct st_pass_difference *ret)
{
    struct st_blocked blocked[2];
    int r = 0;
    for (int i = 0; r == 0 && i < 2; i++) {
        blocked[i] = (struct st_blocked){passes[i]->lateness_ns, blocks[i], passes[i]->n};
        r = add_quantiles(passes[i], i, ret);
    }
    for (int k = 0; r == 0 && k < QUANTILES; k++)
        r = st_bootstrap_quantile_blocked(&blocked[0], &blocked[1], ret->blocks_n, ps[k],
                                          ST_EFFECT_DIFFERENCE, ST_CONFIDENCE_95, random,
                                          &ret->figures[k].difference);
    return r;
}

/* The share of missed periods in each of blocks_n equal parts. */
static void shares(const struct st_pass *pass, uint32_t blocks_n, double *ret)
{
    for (uint32_t block = 0; block < blocks_n; block++)
        ret[block] = 0;
    for (size_t i = 0; i < pass->missed_len; i++) {
        const struct st_pass_span *span = &pass->missed[i];
        const uint64_t span_end = span->first + span->n;
        for (uint32_t block = block_of(pass, span->first, blocks_n); block < blocks_n; block++) {
            const uint64_t start = block_start(pass, block, blocks_n);
            const uint64_t end = block_start(pass, block + 1, blocks_n);
            const uint64_t from = span->first > start ? span->first : start;
            const uint64_t to = span_end < end ? span_end : end;
            if (from >= to)
                break;
            ret[block] += (double)(to - from) / (double)(end - start);
        }
    }
}

static int compare_misses(const struct st_pass *passes[2], struct st_pass_difference *ret)
{
    struct st_pass_figure *figure = &ret->figures[ST_PASS_MISSED];
    struct st_estimate by_block, *estimate = &figure->difference;
    double blocks[2][BLOCKS_MOST], parts[PARTS];
    const int r = st_rate_effect(passes[0]->missed_n, passes[0]->end, passes[1]->missed_n, passes[1]->end,
                                 ST_EFFECT_DIFFERENCE, estimate);
    if (r != 0)
        return r;
    for (int i = 0; i < 2; i++) {
        figure->known[i] = true;
        figure->value[i] = (double)passes[i]->missed_n / (double)passes[i]->end;
        shares(passes[i], ret->blocks_n, blocks[i]);
        shares(passes[i], PARTS, parts);
        for (int k = 1; k < PARTS; k++) {
            for (int j = 0; j < k; j++)
                figure->drift = fmax(figure->drift, fabs(parts[k] - parts[j]));
        }
    }
    st_effect_of_pairs(blocks[0], blocks[1], ret->blocks_n, ST_EFFECT_DIFFERENCE, &by_block);
    if (by_block.known && estimate->known) {
        estimate->low = fmin(estimate->low, by_block.low);
        estimate->high = fmax(estimate->high, by_block.high);
    }
    return 0;
}

int st_pass_compare(const struct st_pass *first, const struct st_pass *second, struct st_random *random,
                    struct st_pass_difference *ret)
{
    const struct st_pass *passes[2] = {first, second};
    struct st_pass_difference difference = {0};
    uint32_t *blocks[2] = {NULL, NULL};
    if (first->end == 0 || second->end == 0)
        return -EINVAL;
    difference.blocks_n = blocks_of(first, second);
    int r = block_values(first, difference.blocks_n, &blocks[0]);
    if (r == 0)
        r = block_values(second, difference.blocks_n, &blocks[1]);
    if (r == 0)
        r = compare_quantiles(passes, blocks, random, &difference);
    if (r == 0)
        r = compare_misses(passes, &difference);
    free(blocks[0]);
    free(blocks[1]);
    if (r == 0)
        *ret = difference;
    return r;
}

bool st_pass_shows(const struct st_pass_figure *figure)
{
    return st_estimate_shows(&figure->difference, ST_EFFECT_DIFFERENCE) &&
           fabs(figure->difference.value) > figure->drift;
}

double st_pass_resolution(const struct st_pass_figure *figure)
{
    return fmax(st_estimate_resolution(&figure->difference), figure->drift);
}
