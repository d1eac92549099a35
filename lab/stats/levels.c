#include "lab/stats/levels.h"

#include "lab/stats/sample.h"

#define BIN_BITS 6

void st_levels_finish(struct st_levels *levels)
{
    free(levels->level);
    free(levels->values);
    *levels = (struct st_levels){0};
}

static int make(struct st_levels *levels, size_t room, size_t values_room)
{
    levels->room = room;
    levels->level = calloc(room, sizeof(*levels->level));
    levels->values = calloc(values_room, sizeof(*levels->values));
    if (levels->level != NULL && levels->values != NULL)
        return 0;
    st_levels_finish(levels);
    return -ENOMEM;
}

/* Reorders the values. */
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
    struct st_levels levels = {
        .period = series->period, .first_index = series->index[0], .samples_each = each};
    r = make(&levels, series->n / each, each);
    if (r != 0)
        return r;
    for (size_t first = 0; first + each <= series->n; first += each) {
        for (size_t i = 0; i < each; i++) {
            const int64_t x = series->lateness_ns[first + i];
            levels.values[i] = x < bulk.clip_low_ns    ? bulk.clip_low_ns
                               : x > bulk.clip_high_ns ? bulk.clip_high_ns
                                                       : x;
        }
        levels.level[levels.n++] = (struct st_level){
            .value_ns = median(levels.values, each),
            .first = series->index[first],
            .last = series->index[first + each - 1],
        };
    }
    *ret = levels;
    return 0;
}

/* Narrows bins around the middle one of an odd number of values, at most ST_LEVELS_MEDIAN_OF: no branch
 * depends on the order of the values, which the CPU could not predict. */
static int64_t middle(const int64_t *values, size_t n)
{
    int64_t left[ST_LEVELS_MEDIAN_OF];
    size_t rank = n / 2;
    for (;;) {
        int64_t low = values[0], high = values[0];
        for (size_t i = 1; i < n; i++) {
            low = values[i] < low ? values[i] : low;
            high = values[i] > high ? values[i] : high;
        }
        if (low == high)
            return low;
        const unsigned range_bits = 64 - (unsigned)__builtin_clzll((uint64_t)high - (uint64_t)low);
        const unsigned shift = range_bits > BIN_BITS ? range_bits - BIN_BITS : 0;
        uint8_t count[1 << BIN_BITS] = {0};
        ST_EACH_OF (number, values, n)
            count[((uint64_t)*number - (uint64_t)low) >> shift]++;
        size_t bin = 0;
        for (; rank >= count[bin]; bin++)
            rank -= count[bin];
        size_t left_n = 0;
        ST_EACH_OF (number, values, n) {
            const int64_t value = *number;
            left[left_n] = value;
            left_n += ((uint64_t)value - (uint64_t)low) >> shift == bin;
        }
        values = left;
        n = left_n;
    }
}

int st_levels_init(struct st_levels *levels, const struct st_period *period)
{
    *levels = (struct st_levels){.period = *period, .samples_each = ST_LEVELS_MEDIAN_OF};
    return make(levels, 2 * ST_LEVELS_MAX, ST_LEVELS_MEDIAN_OF);
}

static void halve(struct st_levels *levels)
{
    levels->n /= 2;
    for (size_t i = 0; i < levels->n; i++) {
        const struct st_level *a = &levels->level[2 * i], *b = a + 1;
        levels->level[i] = (struct st_level){(a->value_ns + b->value_ns) / 2, a->first, b->last};
    }
    levels->samples_each *= 2;
}

/* The values that wait become a median, and this a level once there are enough of them. */
static void close_values(struct st_levels *levels, uint64_t last)
{
    levels->medians_sum_ns += (double)middle(levels->values, ST_LEVELS_MEDIAN_OF);
    levels->medians_n++;
    levels->values_n = 0;
    if (levels->medians_n * ST_LEVELS_MEDIAN_OF < levels->samples_each)
        return;
    if (levels->n == levels->room) {
        halve(levels); /* what was filled is half a level now */
        return;
    }
    levels->level[levels->n++] =
        (struct st_level){levels->medians_sum_ns / (double)levels->medians_n, levels->first, last};
    levels->medians_n = 0;
    levels->medians_sum_ns = 0;
}

void st_levels_add(struct st_levels *levels, uint64_t first_index, const int64_t *lateness_ns, size_t n)
{
    if (n > 0 && !levels->any) {
        levels->any = true;
        levels->first_index = first_index;
    }
    while (n > 0) {
        const size_t room = ST_LEVELS_MEDIAN_OF - levels->values_n, now = n < room ? n : room;
        if (levels->values_n == 0 && levels->medians_n == 0)
            levels->first = first_index;
        memcpy(levels->values + levels->values_n, lateness_ns, now * sizeof(*lateness_ns));
        levels->values_n += now;
        lateness_ns += now;
        first_index += now;
        n -= now;
        if (levels->values_n == ST_LEVELS_MEDIAN_OF)
            close_values(levels, first_index - 1);
    }
}
