#include "lab/summary_json.h"

#include "core/json.h"

static json_t *quantile(const struct st_quantile *q)
{
    return q->known ? ST_JSON(q->value_ns) : json_null();
}

json_t *st_summary_json(const struct st_summary *s)
{
    json_t *o = json_object();
    st_json_set(o, "mean", st_json_real_or_null(s->n > 0, s->mean_ns));
    st_json_set(o, "sd", st_json_real_or_null(s->sd_known, s->sd_ns));
    st_json_set(o, "min", s->n > 0 ? ST_JSON(s->min_ns) : json_null());
    st_json_set(o, "q1", quantile(&s->q1));
    st_json_set(o, "median", quantile(&s->median));
    st_json_set(o, "q3", quantile(&s->q3));
    st_json_set(o, "p95", quantile(&s->p95));
    st_json_set(o, "p99", quantile(&s->p99));
    st_json_set(o, "max", s->n > 0 ? ST_JSON(s->max_ns) : json_null());
    return o;
}

json_t *st_median_interval_json(const struct st_summary *s)
{
    const struct st_quantile *median = &s->median;
    return median->interval_known
               ? json_pack("[I,I]", (json_int_t)median->low_ns, (json_int_t)median->high_ns)
               : json_null();
}

json_t *st_integers_json(const int64_t *values, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(array, ST_JSON(values[i]));
    return array;
}
