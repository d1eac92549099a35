#include "lab/stats/levels.h"

#include "lab/stats/sample.h"

void st_levels_finish(struct st_levels *levels)
{
    free(levels->level);
    *levels = (struct st_levels){0};
}

/* The median of n > 0 values, which it reorders. */
static double median(int64_t *values, size_t n)
{
    const int64_t above = st_sample_select(values, n, n / 2);
    if (n % 2 == 1)
        return (double)above;
    int64_t below = values[0];
    for (size_t i = 1; i < n / 2; i++)
        below = values[i] > below ? values[i] : below;
    return ((double)below + (double)above) / 2;
}

int st_levels_of(const struct st_series *series, struct st_levels *ret)
{
    struct st_series_bulk bulk;
    int r = st_series_bulk(series, &bulk);
    if (r != 0)
        return r;
    const size_t each = (series->n + ST_LEVELS_MAX - 1) / ST_LEVELS_MAX;
    struct st_levels levels = {.period = series->period,
                               .first_index = series->index[0],
                               .level = calloc(series->n / each, sizeof(*levels.level))};
    int64_t *values = calloc(each, sizeof(*values));
    if (levels.level == NULL || values == NULL) {
        free(values);
        st_levels_finish(&levels);
        return -ENOMEM;
    }
    for (size_t first = 0; first + each <= series->n; first += each) {
        for (size_t i = 0; i < each; i++) {
            const int64_t x = series->lateness_ns[first + i];
            values[i] = x < bulk.clip_low_ns    ? bulk.clip_low_ns
                        : x > bulk.clip_high_ns ? bulk.clip_high_ns
                                                : x;
        }
        levels.level[levels.n++] = (struct st_level){
            .value_ns = median(values, each),
            .first = series->index[first],
            .last = series->index[first + each - 1],
        };
    }
    free(values);
    *ret = levels;
    return 0;
}
