#include "lab/stats/long_series.h"

void st_long_series_finish(struct st_long_series *all)
{
    st_hist_finish(&all->hist);
    st_levels_finish(&all->levels);
    st_series_finish(&all->head);
    *all = (struct st_long_series){0};
}

int st_long_series_init(struct st_long_series *all, const struct st_period *period, size_t head_max_n)
{
    *all = (struct st_long_series){.head_max_n = head_max_n};
    st_series_init(&all->head, period);
    int r = st_hist_init(&all->hist, ST_LONG_SERIES_DIGITS);
    if (r == 0)
        r = st_levels_init(&all->levels, period);
    if (r != 0)
        st_long_series_finish(all);
    return r;
}

/* All but the head. */
static int count(struct st_long_series *all, uint64_t first_index, const int64_t *lateness_ns, size_t n)
{
    if (all->n > 0 && first_index <= all->last_index)
        return -EINVAL;
    if (all->n == 0)
        all->first_index = first_index;
    all->last_index = first_index + n - 1;
    all->n += n;
    ST_EACH_OF (value, lateness_ns, n)
        st_hist_add(&all->hist, *value);
    st_moments_add(&all->moments, lateness_ns, n);
    st_levels_add(&all->levels, first_index, lateness_ns, n);
    return 0;
}

int st_long_series_add(struct st_long_series *all, uint64_t first_index, const int64_t *lateness_ns, size_t n)
{
    int r = n > 0 ? count(all, first_index, lateness_ns, n) : 0;
    for (size_t i = 0; i < n && all->head.n < all->head_max_n && r == 0; i++)
        r = st_series_add(&all->head, first_index + i, lateness_ns[i]);
    return r;
}

int st_long_series_of(struct st_series *series, struct st_long_series *ret)
{
    struct st_long_series all;
    int r = st_long_series_init(&all, &series->period, series->n);
    for (size_t first = 0, end; first < series->n && r == 0; first = end) {
        for (end = first + 1; end < series->n && series->index[end] == series->index[end - 1] + 1; end++)
            ;
        r = count(&all, series->index[first], series->lateness_ns + first, end - first);
    }
    if (r != 0) {
        st_long_series_finish(&all);
        return r;
    }
    all.head = *series;
    *series = (struct st_series){.period = series->period};
    *ret = all;
    return 0;
}

bool st_long_series_is_short(const struct st_long_series *all)
{
    return all->n == all->head.n && all->n <= ST_LONG_SERIES_HEAD_N;
}

uint64_t st_long_series_span(const struct st_long_series *all)
{
    return all->n == 0 ? 0 : all->last_index - all->first_index + 1;
}

int st_long_series_sample(const struct st_long_series *all, struct st_sample *ret)
{
    if (all->n == 0)
        return -ENODATA;
    if (!st_long_series_is_short(all))
        return st_sample_of_hist(&all->hist, ret);
    int64_t *values_ns = malloc(all->head.n * sizeof(*values_ns));
    if (values_ns == NULL)
        return -ENOMEM;
    memcpy(values_ns, all->head.lateness_ns, all->head.n * sizeof(*values_ns));
    *ret = st_sample_of(values_ns, all->head.n);
    return 0;
}
