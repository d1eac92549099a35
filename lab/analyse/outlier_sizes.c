#include "lab/analyse/outlier_sizes.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/stats/sample.h"

#define ALPHA 1e-4
#define WIDTH 0.06 /* of a cluster, logarithm */
#define FLANK 0.5  /* below it, what it is compared with */
#define EXCESS_MIN                                                                                           \
    1.25               /* times as many as the flank predicts; less is ignored even where it is significant */
#define GRAIN_MAX 0.01 /* of a bucket, against the smallest outlier */

/* Outliers in order: sizes above the median, and how many there are up to each. */
struct outliers {
    double *size_ns;
    uint64_t *up_to_n;
    bool *taken;
    size_t len;
    double above_ns; /* all are larger */
};

static uint64_t before(const struct outliers *o, size_t i)
{
    return i > 0 ? o->up_to_n[i - 1] : 0;
}

static void outliers_free(struct outliers *o)
{
    free(o->size_ns);
    free(o->up_to_n);
    free(o->taken);
}

/* The values of a sample that are later than above_ns. @return 0, -ENOMEM. */
static int outliers_make(const struct st_sample *sample, int64_t median_ns, int64_t above_ns,
                         struct outliers *ret)
{
    size_t first = sample->len;
    while (first > 0 && sample->values_ns[first - 1] > above_ns)
        first--;
    struct outliers o = {.above_ns = (double)above_ns - (double)median_ns};
    o.size_ns = calloc(sample->len - first + 1, sizeof(*o.size_ns));
    o.up_to_n = calloc(sample->len - first + 1, sizeof(*o.up_to_n));
    o.taken = calloc(sample->len - first + 1, sizeof(*o.taken));
    if (o.size_ns == NULL || o.up_to_n == NULL || o.taken == NULL) {
        outliers_free(&o);
        return -ENOMEM;
    }
    for (size_t i = first; i < sample->len; i++) {
        const double size_ns = (double)sample->values_ns[i] - (double)median_ns;
        const uint64_t *cumulative_n = sample->cumulative_n;
        const uint64_t n = cumulative_n == NULL ? 1 : cumulative_n[i] - (i > 0 ? cumulative_n[i - 1] : 0);
        if (o.len > 0 && size_ns <= o.size_ns[o.len - 1]) {
            o.up_to_n[o.len - 1] += n; /* equal ones are one size */
            continue;
        }
        o.up_to_n[o.len] = before(&o, o.len) + n;
        o.size_ns[o.len++] = size_ns;
    }
    *ret = o;
    return 0;
}

/* P(X >= k) of a binomial (n, p), for k above n p; INFINITY: above `limit`, no matter how far. The terms fall
 * ever faster from the first one on, so that this alone tells what cannot pass. */
static double binomial_above(uint64_t n, double p, uint64_t k, double limit)
{
    const double x = (double)k, all = (double)n, odds = p / (1 - p);
    double term =
        exp(lgamma(all + 1) - lgamma(x + 1) - lgamma(all - x + 1) + x * log(p) + (all - x) * log1p(-p));
    double sum = term;
    if (term > limit)
        return (double)INFINITY;
    for (double i = x; i < all && term >= 1e-12 * sum; i++) {
        term *= (all - i) / (i + 1) * odds;
        sum += term;
    }
    return fmin(sum, 1);
}

/* The surest cluster among the outliers that are not taken.
 * @param grain how wide the buckets are that the values come from, as a share of lateness. */
static bool find_one(const struct outliers *o, double median_ns, double grain, struct st_outlier_size *ret,
                     size_t *ret_first, size_t *ret_end)
{
    struct st_outlier_size best = {.p_value = ALPHA};
    const double all = (double)before(o, o->len);
    bool found = false;
    for (size_t i = 0, flank = 0, end = 0; i < o->len; i++) {
        const double low = o->size_ns[i], high = low * exp(WIDTH),
                     flank_low = fmax(low * exp(-FLANK), o->above_ns);
        while (o->size_ns[flank] < flank_low)
            flank++;
        while (end < o->len && o->size_ns[end] <= high)
            end++;
        /* the window begins at a member: that one is given */
        const uint64_t members = before(o, end) - before(o, i), below = before(o, i) - before(o, flank);
        if (o->taken[i] || o->taken[end - 1] || low - flank_low < high - low || members < 4)
            continue;
        const double width = high - low + grain * (high + fabs(median_ns));
        const double share = width / (width + low - flank_low);
        if ((double)(members - 1) <= EXCESS_MIN * share * (double)(members - 1 + below))
            continue;
        const double p = binomial_above(members - 1 + below, share, members - 1, best.p_value / all) * all;
        if (p < best.p_value) {
            best = (struct st_outlier_size){
                .low_ns = low, .high_ns = o->size_ns[end - 1], .n = members, .p_value = p};
            *ret_first = i;
            *ret_end = end;
            found = true;
        }
    }
    *ret = best;
    return found;
}

/* ret->above_ns is known. @return 0, -ENOMEM. */
static int find(const struct st_sample *sample, int64_t median_ns, double grain, struct st_outlier_sizes *ret)
{
    struct outliers o;
    size_t first = 0, end = 0;
    const int r = outliers_make(sample, median_ns, ret->above_ns, &o);
    if (r != 0)
        return r;
    ret->outliers_n = before(&o, o.len);
    while (ret->n < ST_OUTLIER_SIZES_MAX &&
           find_one(&o, (double)median_ns, grain, &ret->cluster[ret->n], &first, &end)) {
        struct st_outlier_size *size = &ret->cluster[ret->n++];
        for (size_t i = first; i < end; i++) {
            o.taken[i] = true;
            size->center_ns += o.size_ns[i] * (double)(o.up_to_n[i] - before(&o, i)) / (double)size->n;
        }
    }
    outliers_free(&o);
    return 0;
}

int st_outlier_sizes_find(const struct st_series *series, struct st_outlier_sizes *ret)
{
    struct st_series_bulk bulk;
    int r = st_series_bulk(series, &bulk);
    if (r != 0)
        return r;
    size_t n = 0;
    for (size_t i = 0; i < series->n; i++)
        n += series->lateness_ns[i] > bulk.clip_high_ns;
    int64_t *late_ns = calloc(n + 1, sizeof(*late_ns));
    if (late_ns == NULL)
        return -ENOMEM;
    for (size_t i = 0, at = 0; i < series->n; i++) {
        if (series->lateness_ns[i] > bulk.clip_high_ns)
            late_ns[at++] = series->lateness_ns[i];
    }
    const struct st_sample sample = st_sample_of(late_ns, n);
    struct st_outlier_sizes sizes = {.above_ns = bulk.clip_high_ns};
    r = find(&sample, bulk.median_ns, 0, &sizes);
    free(late_ns);
    if (r == 0)
        *ret = sizes;
    return r;
}

int st_outlier_sizes_of(const struct st_hist *hist, struct st_outlier_sizes *ret)
{
    struct st_sample sample;
    if (hist->total_n == 0)
        return -ENODATA;
    int r = st_sample_of_hist(hist, &sample);
    if (r != 0)
        return r;
    const struct st_series_bulk bulk = st_series_bulk_of(&sample);
    struct st_outlier_sizes sizes = {.above_ns = bulk.clip_high_ns};
    const double grain = 2.0 / hist->sub_bucket_count;
    const double size_ns = (double)bulk.clip_high_ns - (double)bulk.median_ns;
    if (grain * fmax(fabs((double)bulk.clip_high_ns), fabs((double)bulk.median_ns)) > GRAIN_MAX * size_ns)
        r = -ERANGE;
    else
        r = find(&sample, bulk.median_ns, grain, &sizes);
    st_sample_finish(&sample);
    if (r == 0)
        *ret = sizes;
    return r;
}
