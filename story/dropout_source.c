#include "story/dropout_source.h"

/* The loss of a source: time without sound (ns), or the number of dropouts. */
static uint64_t harm_of(const struct st_dropout_source *source, bool timed)
{
    const struct st_dropout_sum *sum = &source->table->sum;
    return timed && sum->n > 0 ? (uint64_t)sum->lost_ns : sum->n;
}

static bool goes_first(const struct st_dropout_source *a, const struct st_dropout_source *b,
                       bool timed)
{
    const uint64_t of_a = harm_of(a, timed), of_b = harm_of(b, timed), asked_a = of_a * a->asked,
                   asked_b = of_b * b->asked;
    if (asked_a != asked_b)
        return asked_a > asked_b;
    if (a->plays != b->plays)
        return a->plays;
    if (of_a != of_b)
        return of_a > of_b;
    return st_xrun_sources_find(a->name)->server_env != NULL &&
           st_xrun_sources_find(b->name)->server_env == NULL;
}

void st_dropout_source_sort(struct st_dropout_source *sources, size_t n)
{
    bool timed = true;
    ST_EACH_OF (source, sources, n)
        timed &= source->table->sum.n == 0 || st_dropout_table_is_timed(&source->table->sum);
    for (size_t i = 1; i < n; i++) {
        for (size_t j = i; j > 0 && goes_first(&sources[j], &sources[j - 1], timed); j--) {
            const struct st_dropout_source first = sources[j];
            sources[j] = sources[j - 1];
            sources[j - 1] = first;
        }
    }
}
