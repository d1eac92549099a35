#include "lab/analyse/change_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int st_change_blocks_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double st_change_blocks_median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), st_change_blocks_compare);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void st_change_blocks_free(struct st_change_blocks *b)
{
    free(b->value_ns);
    free(b->time_s);
    free(b->index);
    free(b->work);
    free(b->left);
    free(b->ranked);
}

int st_change_blocks_make(const struct st_levels *levels, struct st_change_blocks *ret)
{
    const size_t each = (levels->n + ST_LEVELS_MAX - 1) / ST_LEVELS_MAX;
    struct st_change_blocks b = {.n = levels->n / each};
    b.value_ns = calloc(b.n, sizeof(*b.value_ns));
    b.time_s = calloc(b.n, sizeof(*b.time_s));
    b.index = calloc(b.n, sizeof(*b.index));
    b.work = calloc(b.n, sizeof(*b.work));
    b.left = calloc(b.n, sizeof(*b.left));
    b.ranked = calloc(b.n, sizeof(*b.ranked));
    if (b.value_ns == NULL || b.time_s == NULL || b.index == NULL || b.work == NULL || b.left == NULL ||
        b.ranked == NULL) {
        st_change_blocks_free(&b);
        return -ENOMEM;
    }
    const double period_s = st_period_seconds(&levels->period);
    for (size_t i = 0; i < b.n; i++) {
        const struct st_level *level = &levels->level[i * each], *last = level + each - 1;
        for (const struct st_level *l = level; l <= last; l++)
            b.value_ns[i] += l->value_ns / (double)each;
        b.index[i] = level->first - levels->first_index;
        b.time_s[i] = period_s * ((double)b.index[i] + (double)(last->last - levels->first_index)) / 2;
    }
    *ret = b;
    return 0;
}

double st_change_blocks_inflation(const double *values, size_t n)
{
    double mean = 0, square = 0, sum = 0, pair = 0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (values[i] - mean) * (values[i] - mean);
    for (size_t lag = 1; lag <= n / 2 && square > 0; lag++) {
        double product = 0;
        for (size_t i = lag; i < n; i++)
            product += (values[i] - mean) * (values[i - lag] - mean);
        pair += product / square;
        if (lag % 2 == 1)
            continue;
        if (pair <= 0)
            break;
        sum += pair;
        pair = 0;
    }
    return 1 + 2 * sum;
}

double st_change_blocks_level(struct st_change_blocks *b, size_t first, size_t end)
{
    memcpy(b->work, b->value_ns + first, (end - first) * sizeof(*b->work));
    return st_change_blocks_median(b->work, end - first);
}
