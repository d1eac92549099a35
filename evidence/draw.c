#include "evidence/draw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/distribution.h"
#include "core/stats/stats.h"

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

void st_draw_finish(struct st_draw *run)
{
    free(run->values);
    free(run->cumulative);
}

int st_draw_init(struct st_draw *run, const struct st_blocks *blocks)
{
    int32_t *buckets = NULL;
    *run = (struct st_draw){.blocks = blocks, .len = blocks->len};
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
        st_draw_finish(run);
    return r;
}

/* Of a row of a table with a column for each block: columns 2k and 2k + 1 become one. */
static void join_row(double *row, size_t len)
{
    for (size_t k = 0; k < len; k += 2)
        row[k / 2] = row[k] + (k + 1 < len ? row[k + 1] : 0);
}

void st_draw_join(struct st_draw *run)
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

void st_draw_again(struct st_draw *run, struct st_random *random)
{
    memset(run->times, 0, sizeof(run->times));
    for (size_t i = 0; i < run->len; i++)
        run->times[st_random_below(random, run->len)]++;
}

/* Drawn values that are <= value i. */
static uint64_t draw_count(const struct st_draw *run, size_t i)
{
    const uint64_t *row = run->cumulative + i * run->len;
    uint64_t n = 0;
    for (size_t k = 0; k < run->len; k++)
        n += row[k] * run->times[k];
    return n;
}

/** The bucket of a quantile. */
static size_t quantile_bucket(const struct st_draw *run, double p)
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

double st_draw_quantile(const struct st_draw *run, double p)
{
    return run->values[quantile_bucket(run, p)];
}

double st_draw_missed(const struct st_draw *run)
{
    double missed = 0, trials = 0;
    for (size_t k = 0; k < run->len; k++) {
        missed += run->missed_n[k] * (double)run->times[k];
        trials += run->trials_n[k] * (double)run->times[k];
    }
    return trials > 0 ? missed / trials : 0;
}

size_t st_draw_bucket(const struct st_draw *run, double p)
{
    const size_t bucket = run->values_n > 0 ? quantile_bucket(run, p) : 0;
    return bucket > 0 && bucket == run->values_n - 1 ? bucket - 1 : bucket;
}

double st_draw_scatter(const struct st_draw *run, size_t bucket, double known, double *ret_p)
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
