#include "measure/summary_json.h"

#include <stdlib.h>
#include <string.h>

#include "measure/json.h"

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

void st_circumstance_json(void *object, const char *key, const char *value)
{
    char *end;
    const long long number = strtoll(value, &end, 10);
    const bool whole = end != value && *end == '\0' && strlen(value) < 18 &&
                       strcmp(key, "cpus_isolated") != 0; /* a list: "1-3", or one CPU */
    json_t *json = whole ? ST_JSON(number) : json_string(value);
    st_json_set(object, key, json != NULL ? json : json_null()); /* not UTF-8 */
}

json_t *st_circumstances_json(struct st_platform *p)
{
    json_t *o = json_object();
    p->circumstances(p, -1, st_circumstance_json, o);
    return o;
}
