#include "lib/series.h"

#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "lib/random.h"

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

uint64_t st_series_span(const struct st_series *series)
{
    return series->n == 0 ? 0 : series->index[series->n - 1] - series->index[0] + 1;
}

/* Values below rank before it, the others behind it; the pivots are random, so that no order of values is
 * slow. Source: Hoare 1961. @return the value at rank. */
static int64_t select_rank(int64_t *values, size_t n, size_t rank, struct st_random *random)
{
    size_t first = 0, end = n; /* rank is in [first, end) */
    while (end - first > 1) {
        const int64_t pivot = values[first + st_random_below(random, end - first)];
        size_t below = first, at = first, above = end;
        while (at < above) {
            const int64_t value = values[at];
            if (value < pivot) {
                values[at++] = values[below];
                values[below++] = value;
            } else if (value > pivot) {
                values[at] = values[--above];
                values[above] = value;
            } else {
                at++;
            }
        }
        if (rank >= below && rank < above)
            break;
        *(rank < below ? &end : &first) = rank < below ? below : above;
    }
    return values[rank];
}

int st_series_bulk(const struct st_series *series, struct st_series_bulk *ret)
{
    if (series->n == 0)
        return -ENODATA;
    int64_t *values = malloc(series->n * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    memcpy(values, series->lateness_ns, series->n * sizeof(*values));
    struct st_random random = {.state = 1};
    const size_t tail = (series->n - 1) / 20;
    struct st_series_bulk bulk = {
        .low_ns = select_rank(values, series->n, tail, &random),
        .median_ns = select_rank(values, series->n, (series->n - 1) / 2, &random),
        .high_ns = select_rank(values, series->n, series->n - 1 - tail, &random),
    };
    free(values);
    const int64_t width_ns = st_ns_sub(bulk.high_ns, bulk.low_ns);
    const int64_t reach_ns = width_ns < INT64_MAX / 2 ? 2 * width_ns : INT64_MAX;
    bulk.clip_low_ns = st_ns_sub(bulk.median_ns, reach_ns);
    bulk.clip_high_ns = st_ns_add(bulk.median_ns, reach_ns);
    *ret = bulk;
    return 0;
}
