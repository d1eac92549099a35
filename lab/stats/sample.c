#include "lab/stats/sample.h"

#include "core/stats/hist.h"
#include "core/stats/random.h"
#include "core/stats/stats.h"

static int compare_i64(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void st_sample_sort(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare_i64);
}

void st_sample_shuffle(struct st_random *random, size_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)st_random_below(random, i);
        const size_t swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

struct st_sample st_sample_of(int64_t *values_ns, size_t n)
{
    st_sample_sort(values_ns, n);
    return (struct st_sample){values_ns, n};
}

int64_t st_sample_quantile(const struct st_sample *sample, double p)
{
    return sample->values_ns[st_hist_quantile_rank(sample->n, p) - 1];
}

/* One reading of the clock that occurs in the sample. If the step of the clock is not a whole
 * number of ns, the reading is rounded to one of two values, 1 ns apart. */
struct tick {
    int64_t first_ns;
    uint64_t first_n, second_n; /* number of values at first_ns, and 1 ns above */
};

static uint64_t tick_n(const struct tick *tick)
{
    return tick->first_n + tick->second_n;
}

/* @return the more frequent of the two values of a clock reading. With few values, chance may
 * decide which one that is. */
static int64_t tick_ns(const struct tick *tick)
{
    return tick->second_n > tick->first_n ? tick->first_ns + 1 : tick->first_ns;
}

/* Stores the distance of two neighbouring readings in *step_ns if it is better known than the one
 * stored before: if the rarer reading has more values than *most_n. */
static void compare_ticks(const struct tick *a, const struct tick *b, uint64_t *most_n,
                          int64_t *step_ns)
{
    const uint64_t n = tick_n(a) < tick_n(b) ? tick_n(a) : tick_n(b);
    if (n <= *most_n)
        return;
    *most_n = n;
    *step_ns = tick_ns(b) - tick_ns(a);
}

int64_t st_sample_clock_step_ns(const struct st_sample *sample)
{
    struct tick before = {0}, tick = {0};
    uint64_t most_n = 0;
    int64_t step_ns = 0;
    for (size_t i = 0; i < sample->n; i++) {
        const int64_t value_ns = sample->values_ns[i];
        if (i > 0 && value_ns > tick.first_ns + 1) {
            if (value_ns - sample->values_ns[i - 1] <= 1)
                return 1; /* three values that are 1 ns apart: the clock counts ns */
            compare_ticks(&before, &tick, &most_n, &step_ns);
            before = tick;
            tick = (struct tick){.first_ns = value_ns};
        }
        if (i == 0)
            tick.first_ns = value_ns;
        if (value_ns == tick.first_ns)
            tick.first_n++;
        else
            tick.second_n++;
    }
    compare_ticks(&before, &tick, &most_n, &step_ns);
    return step_ns;
}

int64_t st_sample_select(int64_t *values, size_t n, size_t rank)
{
    struct st_random random = {.state = 1};
    size_t first = 0, end = n; /* rank is in [first, end) */
    while (end - first > 1) {
        const int64_t pivot = values[first + st_random_below(&random, end - first)];
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
