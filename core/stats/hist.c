#include "core/stats/hist.h"

#include "core/pages.h"

/* log2 of half of sub_bucket_count, which is the number of buckets (linear steps) in each octave */
static unsigned half_magnitude(const struct st_hist *hist)
{
    return (unsigned)__builtin_ctz(hist->sub_bucket_count) - 1;
}

int st_hist_init(struct st_hist *hist, int digits)
{
    if (digits < 1 || digits > 4)
        return -ERANGE;
    uint32_t exact = 2; /* 2 * 10^digits: each value below it has a bucket of its own */
    for (int i = 0; i < digits; i++)
        exact *= 10;
    uint32_t sub_buckets = 1;
    while (sub_buckets < exact)
        sub_buckets *= 2;
    uint32_t buckets = 1;
    for (int64_t untrackable_ns = sub_buckets; untrackable_ns <= ST_HIST_HIGHEST_NS;
         untrackable_ns *= 2)
        buckets++;

    struct st_hist made = {
        .digits = digits,
        .sub_bucket_count = sub_buckets,
        .counts_len = (buckets + 1) * (sub_buckets / 2),
        .min_ns = INT64_MAX,
        .max_ns = INT64_MIN,
    };
    made.late = calloc(made.counts_len, sizeof(*made.late));
    made.early = calloc(made.counts_len, sizeof(*made.early));
    if (made.late == NULL || made.early == NULL) {
        st_hist_finish(&made);
        return -ENOMEM;
    }
    *hist = made;
    return 0;
}

void st_hist_finish(struct st_hist *hist)
{
    free(hist->late);
    free(hist->early);
    hist->late = NULL;
    hist->early = NULL;
}

void st_hist_touch(struct st_hist *hist)
{
    st_pages_touch(hist->late, hist->counts_len * sizeof(*hist->late));
}

void st_hist_reset(struct st_hist *hist)
{
    /* Clears only the tables that have counts: writing to the other one would make its memory
     * resident. */
    if (hist->total_n > hist->early_n)
        memset(hist->late, 0, hist->counts_len * sizeof(*hist->late));
    if (hist->early_n > 0)
        memset(hist->early, 0, hist->counts_len * sizeof(*hist->early));
    hist->total_n = 0;
    hist->early_n = 0;
    hist->over_n = 0;
    hist->early_over_n = 0;
    hist->min_ns = INT64_MAX;
    hist->max_ns = INT64_MIN;
    hist->sum_ns = 0;
}

uint32_t st_hist_index(const struct st_hist *hist, int64_t value_ns)
{
    if (value_ns > ST_HIST_HIGHEST_NS)
        return hist->counts_len - 1;
    const uint64_t value = (uint64_t)value_ns;
    const unsigned half = half_magnitude(hist);
    const unsigned bits = 64 - (unsigned)__builtin_clzll(value | (hist->sub_bucket_count - 1));
    const unsigned bucket = bits - (half + 1);
    return (bucket << half) + (uint32_t)(value >> bucket);
}

/* Octave of a bucket, whose width is 2^octave ns; 0 for all values that have a bucket each. */
static unsigned octave(const struct st_hist *hist, uint32_t index)
{
    return index < hist->sub_bucket_count ? 0 : (index >> half_magnitude(hist)) - 1;
}

int64_t st_hist_bucket_lowest(const struct st_hist *hist, uint32_t index)
{
    const unsigned shift = octave(hist, index);
    return (int64_t)(index - (shift << half_magnitude(hist))) << shift;
}

int64_t st_hist_bucket_width(const struct st_hist *hist, uint32_t index)
{
    return INT64_C(1) << octave(hist, index);
}

void st_hist_add_n(struct st_hist *hist, int64_t value_ns, uint64_t n)
{
    if (n == 0)
        return;
    hist->total_n += n;
    hist->sum_ns += (double)value_ns * (double)n;
    hist->min_ns = ST_MIN(hist->min_ns, value_ns);
    hist->max_ns = ST_MAX(hist->max_ns, value_ns);
    hist->early_n += value_ns < 0 ? n : 0;
    if (value_ns > ST_HIST_HIGHEST_NS || value_ns < -ST_HIST_HIGHEST_NS) {
        hist->over_n += n;
        hist->early_over_n += value_ns < 0 ? n : 0;
        return;
    }
    (value_ns < 0 ? hist->early : hist->late)[st_hist_index(hist, llabs(value_ns))] += n;
}

void st_hist_add(struct st_hist *hist, int64_t value_ns)
{
    st_hist_add_n(hist, value_ns, 1);
}

static void merge_table(uint64_t *counts, const uint64_t *from, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        if (from[i] != 0) /* skips zeros, since a write would make the page resident */
            counts[i] += from[i];
    }
}

int st_hist_merge(struct st_hist *hist, const struct st_hist *from)
{
    if (hist->digits != from->digits)
        return -EINVAL;
    if (from->total_n > from->early_n)
        merge_table(hist->late, from->late, hist->counts_len);
    if (from->early_n > 0)
        merge_table(hist->early, from->early, hist->counts_len);
    hist->total_n += from->total_n;
    hist->early_n += from->early_n;
    hist->over_n += from->over_n;
    hist->early_over_n += from->early_over_n;
    hist->sum_ns += from->sum_ns;
    hist->min_ns = ST_MIN(hist->min_ns, from->min_ns);
    hist->max_ns = ST_MAX(hist->max_ns, from->max_ns);
    return 0;
}

int64_t st_hist_bucket_middle(const struct st_hist *hist, uint32_t index)
{
    return st_hist_bucket_lowest(hist, index) + st_hist_bucket_width(hist, index) / 2;
}

int64_t st_hist_value_at_rank(const struct st_hist *hist, uint64_t rank)
{
    const int64_t len = hist->counts_len;
    uint64_t seen_n = hist->early_over_n;
    if (hist->total_n == 0)
        return 0;
    if (rank <= 1 || rank <= seen_n)
        return hist->min_ns;
    if (rank >= hist->total_n)
        return hist->max_ns;
    /* i < 0: walks the table of early values from its end, so that the earliest value comes
     * first */
    for (int64_t i = hist->early_n > 0 ? -len : 0; i < len; i++) {
        const uint32_t at = (uint32_t)(i < 0 ? -i - 1 : i);
        const int64_t middle_ns = st_hist_bucket_middle(hist, at),
                      value_ns = i < 0 ? -middle_ns : middle_ns;
        seen_n += (i < 0 ? hist->early : hist->late)[at];
        if (seen_n >= rank)
            return ST_MIN(ST_MAX(value_ns, hist->min_ns), hist->max_ns);
    }
    return hist->max_ns;
}

uint64_t st_hist_quantile_rank(uint64_t n, double p)
{
    /* The factor corrects p * n where rounding makes it too large: 0.07 * 100 > 7. */
    const double rank = ceil(p * (double)n * (1 - 1e-14));
    if (!(rank > 1))
        return 1;
    return rank < (double)n ? (uint64_t)rank : n;
}

int64_t st_hist_quantile(const struct st_hist *hist, double p)
{
    return st_hist_value_at_rank(hist, st_hist_quantile_rank(hist->total_n, p));
}

uint64_t st_hist_count_above(const struct st_hist *hist, int64_t limit_ns)
{
    if (hist->total_n == 0 || limit_ns >= hist->max_ns)
        return 0;
    if (limit_ns < hist->min_ns)
        return hist->total_n;
    uint64_t n = limit_ns >= 0 ? hist->over_n - hist->early_over_n : hist->total_n - hist->early_n;
    const bool beyond = limit_ns > ST_HIST_HIGHEST_NS || limit_ns < -ST_HIST_HIGHEST_NS;
    const uint32_t at = beyond ? hist->counts_len : st_hist_index(hist, llabs(limit_ns));
    for (uint32_t i = limit_ns >= 0 ? at + 1 : 0; i < (limit_ns >= 0 ? hist->counts_len : at); i++)
        n += (limit_ns >= 0 ? hist->late : hist->early)[i];
    return n;
}
