#include "lab/stats/series.h"

#include "core/ns.h"
#include "lab/stats/sample.h"

void st_series_init(struct st_series *series, const struct st_period *period)
{
    *series = (struct st_series){.period = *period};
}

void st_series_finish(struct st_series *series)
{
    free(series->lateness_ns);
    free(series->index);
    *series = (struct st_series){.period = series->period};
}

int st_series_add(struct st_series *series, uint64_t index, int64_t lateness_ns)
{
    if (series->n > 0 && index <= series->index[series->n - 1])
        return -EINVAL;
    if (series->n == series->room) {
        const size_t room = series->room == 0 ? 1024 : series->room * 2;
        int64_t *lateness = realloc(series->lateness_ns, room * sizeof(*lateness));
        if (lateness == NULL)
            return -ENOMEM;
        series->lateness_ns = lateness;
        uint64_t *indices = realloc(series->index, room * sizeof(*indices));
        if (indices == NULL)
            return -ENOMEM;
        series->index = indices;
        series->room = room;
    }
    series->lateness_ns[series->n] = lateness_ns;
    series->index[series->n++] = index;
    return 0;
}

int st_series_sample(const struct st_series *series, struct st_sample *ret)
{
    if (series->n == 0)
        return -ENODATA;
    int64_t *values_ns = malloc(series->n * sizeof(*values_ns));
    if (values_ns == NULL)
        return -ENOMEM;
    memcpy(values_ns, series->lateness_ns, series->n * sizeof(*values_ns));
    *ret = st_sample_of(values_ns, series->n);
    return 0;
}

void st_series_free_sample(struct st_sample *sample)
{
    free((void *)(uintptr_t)sample->values_ns);
    *sample = (struct st_sample){0};
}

uint64_t st_series_span(const struct st_series *series)
{
    return series->n == 0 ? 0 : series->index[series->n - 1] - series->index[0] + 1;
}

int st_series_bulk(const struct st_series *series, struct st_series_bulk *ret)
{
    if (series->n == 0)
        return -ENODATA;
    int64_t *values = malloc(series->n * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    memcpy(values, series->lateness_ns, series->n * sizeof(*values));
    const size_t tail = (series->n - 1) / 20;
    const int64_t low_ns = st_sample_select(values, series->n, tail);
    const int64_t median_ns = st_sample_select(values, series->n, (series->n - 1) / 2);
    const int64_t high_ns = st_sample_select(values, series->n, series->n - 1 - tail);
    free(values);
    const int64_t width_ns = st_ns_sub(high_ns, low_ns);
    const int64_t reach_ns = width_ns < INT64_MAX / 2 ? 2 * width_ns : INT64_MAX;
    *ret = (struct st_series_bulk){
        .low_ns = low_ns,
        .median_ns = median_ns,
        .high_ns = high_ns,
        .clip_low_ns = st_ns_sub(median_ns, reach_ns),
        .clip_high_ns = st_ns_add(median_ns, reach_ns),
    };
    return 0;
}
