#include "lab/chart/box.h"

#include "core/ns.h"
#include "core/stats/stats.h"

static void fences(const struct st_box *box, int64_t *ret_low, int64_t *ret_high)
{
    const int64_t width = st_ns_sub(box->q3_ns, box->q1_ns);
    const int64_t reach = st_ns_add(width, width / 2);
    *ret_low = st_ns_sub(box->q1_ns, reach);
    *ret_high = st_ns_add(box->q3_ns, reach);
}

/* How many values of the sample are less than `value`. */
static uint64_t rank_below(const struct st_sample *sample, int64_t value)
{
    uint64_t low = 0, high = sample->n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sample->values_ns[middle + 1 - 1] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void st_box_of(const struct st_sample *sample, struct st_box *ret)
{
    const uint64_t n = sample->n;
    int64_t low, high;
    *ret = (struct st_box){
        .n = n,
        .known = n >= st_stats_quantile_min_n(0.75),
        .median_known = n >= st_stats_quantile_min_n(0.5),
        .min_ns = sample->values_ns[0],
        .q1_ns = st_sample_quantile(sample, 0.25),
        .median_ns = st_sample_quantile(sample, 0.5),
        .q3_ns = st_sample_quantile(sample, 0.75),
        .max_ns = sample->values_ns[n - 1],
        .outliers_known = true,
    };
    double sum = 0;
    for (uint64_t i = 1; i <= n && !ret->known; i++)
        sum += (double)sample->values_ns[i - 1];
    ret->mean_known = !ret->known;
    ret->mean_ns = ret->mean_known ? llrint(fmin(sum / (double)n, 0x1p62)) : 0;
    fences(ret, &low, &high);
    const uint64_t below_n = rank_below(sample, low);
    const uint64_t not_above_n = high == INT64_MAX ? n : rank_below(sample, high + 1);
    ret->low_ns = sample->values_ns[below_n + 1 - 1];
    ret->high_ns = sample->values_ns[not_above_n - 1];
    ret->outliers_n = below_n + (n - not_above_n);
}

void st_box_of_figures(struct st_box *ret)
{
    int64_t low, high;
    fences(ret, &low, &high);
    ret->low_ns = ret->min_ns < low ? low : ret->min_ns;
    ret->high_ns = ret->max_ns > high ? high : ret->max_ns;
    ret->outliers_known = ret->min_ns >= low && ret->max_ns <= high;
    ret->outliers_n = 0;
}
