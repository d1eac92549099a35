#include "lab/stats/sample.h"

#include "core/stats/random.h"
#include "core/stats/stats.h"

struct st_sample st_sample_of(int64_t *values_ns, size_t n)
{
    st_stats_sort_i64(values_ns, n);
    return (struct st_sample){.values_ns = values_ns, .len = n};
}

static size_t filled(const uint64_t *counts, uint32_t len)
{
    size_t n = 0;
    for (uint32_t i = 0; i < len; i++)
        n += counts[i] > 0;
    return n;
}

/** Collects the buckets of a histogram. */
struct filling {
    int64_t *values_ns;
    uint64_t *cumulative_n;
    size_t len;
    uint64_t n;
};

static void put(struct filling *to, int64_t value_ns, uint64_t n)
{
    if (n == 0)
        return;
    to->n += n;
    to->values_ns[to->len] = value_ns;
    to->cumulative_n[to->len++] = to->n;
}

int st_sample_of_hist(const struct st_hist *hist, struct st_sample *ret)
{
    const size_t len = filled(hist->early, hist->counts_len) + filled(hist->late, hist->counts_len) + 2;
    struct filling to = {calloc(len, sizeof(*to.values_ns)), calloc(len, sizeof(*to.cumulative_n)), 0, 0};
    if (to.values_ns == NULL || to.cumulative_n == NULL) {
        free(to.values_ns);
        free(to.cumulative_n);
        return -ENOMEM;
    }
    put(&to, hist->min_ns, hist->early_over_n);
    for (uint32_t i = hist->counts_len; i-- > 0;)
        put(&to, -st_hist_bucket_middle(hist, i), hist->early[i]);
    for (uint32_t i = 0; i < hist->counts_len; i++)
        put(&to, st_hist_bucket_middle(hist, i), hist->late[i]);
    put(&to, hist->max_ns, hist->over_n - hist->early_over_n);
    /* the outermost values are known exactly */
    if (to.len > 0 && to.values_ns[0] < hist->min_ns)
        to.values_ns[0] = hist->min_ns;
    if (to.len > 0 && to.values_ns[to.len - 1] > hist->max_ns)
        to.values_ns[to.len - 1] = hist->max_ns;
    *ret = (struct st_sample){.values_ns = to.values_ns, .cumulative_n = to.cumulative_n, .len = to.len};
    return 0;
}

void st_sample_finish(struct st_sample *sample)
{
    free((void *)(uintptr_t)sample->values_ns);
    free((void *)(uintptr_t)sample->cumulative_n);
    *sample = (struct st_sample){0};
}

uint64_t st_sample_n(const struct st_sample *sample)
{
    return sample->cumulative_n == NULL || sample->len == 0 ? sample->len
                                                            : sample->cumulative_n[sample->len - 1];
}

int64_t st_sample_at(const struct st_sample *sample, uint64_t rank)
{
    if (sample->cumulative_n == NULL)
        return sample->values_ns[rank - 1];
    size_t low = 0, high = sample->len - 1; /* the least i with cumulative_n[i] >= rank */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sample->cumulative_n[middle] >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return sample->values_ns[low];
}

int64_t st_sample_quantile(const struct st_sample *sample, double p)
{
    return st_sample_at(sample, st_hist_quantile_rank(st_sample_n(sample), p));
}

/* The values of one clock tick: two if the step is no whole number of ns. */
struct tick {
    int64_t first_ns;
    uint64_t first_n, second_n; /* at first_ns, and 1 ns behind it */
};

static uint64_t tick_n(const struct tick *tick)
{
    return tick->first_n + tick->second_n;
}

/* The more frequent value of a tick: of few values, the rarer one is chance. */
static int64_t tick_ns(const struct tick *tick)
{
    return tick->second_n > tick->first_n ? tick->first_ns + 1 : tick->first_ns;
}

/* Two neighbours: the more values the rarer one has, the better their distance is known. */
static void compare_ticks(const struct tick *a, const struct tick *b, uint64_t *most_n, int64_t *step_ns)
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
    uint64_t most_n = 0, counted_n = 0;
    int64_t step_ns = 0;
    for (size_t i = 0; i < sample->len; i++) {
        const int64_t value_ns = sample->values_ns[i];
        const uint64_t n = (sample->cumulative_n == NULL ? i + 1 : sample->cumulative_n[i]) - counted_n;
        counted_n += n;
        if (i > 0 && value_ns > tick.first_ns + 1) {
            if (value_ns - sample->values_ns[i - 1] <= 1)
                return 1; /* three in a row: it counts ns */
            compare_ticks(&before, &tick, &most_n, &step_ns);
            before = tick;
            tick = (struct tick){.first_ns = value_ns};
        }
        if (i == 0)
            tick.first_ns = value_ns;
        if (value_ns == tick.first_ns)
            tick.first_n += n;
        else
            tick.second_n += n;
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
