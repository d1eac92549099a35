#include "lab/summary.h"

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/json.h"
#include "lab/chart/box.h"
#include "lab/stats/moments.h"

static struct st_quantile quantile(const struct st_sample *sample, double p)
{
    struct st_quantile q = {.p = p, .n = sample->n};
    if (q.n < st_stats_quantile_min_n(fmax(p, 1 - p)))
        return q;
    q.known = true;
    q.value_ns = st_sample_quantile(sample, p);
    uint64_t low, high;
    if (st_stats_quantile_ranks(q.n, p, 0.95, &low, &high) == 0) {
        q.interval_known = true;
        q.low_ns = sample->values_ns[low - 1];
        q.high_ns = sample->values_ns[high - 1];
    }
    return q;
}

void st_summary_of(const struct st_sample *sample, struct st_summary *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->n = sample->n;
    ret->q1 = quantile(sample, 0.25);
    ret->median = quantile(sample, 0.5);
    ret->q3 = quantile(sample, 0.75);
    ret->p95 = quantile(sample, 0.95);
    ret->p99 = quantile(sample, 0.99);
    if (ret->n == 0)
        return;
    ret->min_ns = sample->values_ns[0];
    ret->max_ns = sample->values_ns[ret->n - 1];
    ret->sd_known = ret->n >= 2;
    const struct st_moments moments = st_moments_of(sample->values_ns, sample->n);
    ret->mean_ns = moments.mean;
    ret->sd_ns = moments.sd;
    struct st_box box;
    st_box_of(sample, &box);
    ret->outliers_n = box.outliers_n;
}

struct st_quantile st_summary_median_interval(int64_t *values_ns, size_t n, double confidence)
{
    struct st_quantile q = {.p = 0.5, .n = n};
    uint64_t low, high;
    if (n == 0 || st_stats_quantile_ranks(n, 0.5, confidence, &low, &high) != 0)
        return q;
    const struct st_sample sample = st_sample_of(values_ns, n);
    q.known = q.interval_known = true;
    q.value_ns = st_sample_quantile(&sample, 0.5);
    q.low_ns = sample.values_ns[low - 1];
    q.high_ns = sample.values_ns[high - 1];
    return q;
}

static bool enough(const struct st_sample *sample, uint64_t n, double wide_ns)
{
    uint64_t low, high;
    if (st_stats_quantile_ranks(n, 0.5, 0.95, &low, &high) != 0)
        return false;
    /* the value of rank r of n lies at about the quantile r / (n + 1) */
    const int64_t low_ns = st_sample_quantile(sample, (double)low / ((double)n + 1));
    const int64_t high_ns = st_sample_quantile(sample, (double)high / ((double)n + 1));
    return (double)st_ns_sub(high_ns, low_ns) / 2 <= wide_ns;
}

uint64_t st_summary_median_enough_n(const struct st_sample *sample, double share, int64_t least_ns,
                                    uint64_t max_n)
{
    uint64_t low_n = st_stats_quantile_min_n(0.5), high_n = max_n;
    if (sample->n < low_n || max_n < low_n)
        return 0;
    const double wide_ns =
        fmax(share * fabs((double)st_sample_quantile(sample, 0.5)), (double)least_ns);
    if (!enough(sample, max_n, wide_ns))
        return 0;
    while (low_n < high_n) { /* the interval shrinks as n grows */
        const uint64_t middle_n = low_n + (high_n - low_n) / 2;
        if (enough(sample, middle_n, wide_ns))
            high_n = middle_n;
        else
            low_n = middle_n + 1;
    }
    return high_n;
}

uint64_t st_summary_median_not_enough_min_n(uint64_t max_n)
{
    uint64_t low, high;
    if (st_stats_quantile_ranks(max_n, 0.5, 0.95, &low, &high) != 0)
        return 0;
    return (uint64_t)ceil(10 * ((double)max_n + 1) / (double)(high - low));
}

static json_t *quantile_json(const struct st_quantile *q)
{
    return st_json_integer_or_null(q->known, q->value_ns);
}

json_t *st_summary_json(const struct st_summary *s)
{
    return st_json_object("mean:o sd:o min:o q1:o median:o q3:o p95:o p99:o max:o outliers:o",
                          st_json_real_or_null(s->n > 0, s->mean_ns),
                          st_json_real_or_null(s->sd_known, s->sd_ns),
                          st_json_integer_or_null(s->n > 0, s->min_ns), quantile_json(&s->q1),
                          quantile_json(&s->median), quantile_json(&s->q3), quantile_json(&s->p95),
                          quantile_json(&s->p99), st_json_integer_or_null(s->n > 0, s->max_ns),
                          st_json_integer_or_null(s->q1.known, (json_int_t)s->outliers_n));
}

json_t *st_summary_interval_json(const struct st_quantile *q)
{
    return q->interval_known ? json_pack("[I,I]", (json_int_t)q->low_ns, (json_int_t)q->high_ns)
                             : json_null();
}

json_t *st_summary_integers_json(const int64_t *values, size_t n)
{
    json_t *array = json_array();
    ST_EACH_OF (value, values, n)
        (void)json_array_append_new(array, json_integer(*value));
    return array;
}
