#include "lab/series/sleepers.h"

#include <pthread.h>

#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"
#include "lab/ns_exact.h"

struct sleeper {
    const struct st_bench_series_config *config;
    struct st_platform *platform;
    struct st_bench_series *bench;
    pthread_t thread;
    bool started;
    int r;
};

static void *run(void *of)
{
    struct sleeper *s = of;
    s->r = st_bench_series_measure(s->platform, s->config, s->bench);
    return NULL;
}

int st_sleepers_measure(struct st_platform *p, const struct st_bench_series_config *config,
                        size_t n, struct st_bench_series *ret)
{
    struct sleeper *sleepers = calloc(n, sizeof(*sleepers));
    int r = sleepers == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        sleepers[i] = (struct sleeper){.config = config, .platform = p, .bench = &ret[i]};
        r = -pthread_create(&sleepers[i].thread, NULL, run, &sleepers[i]);
        sleepers[i].started = r == 0;
    }
    for (size_t i = 0; i < n && sleepers != NULL; i++) {
        if (sleepers[i].started)
            (void)pthread_join(sleepers[i].thread, NULL);
        r = r != 0 ? r : sleepers[i].r;
    }
    free(sleepers);
    return r;
}

void st_sleepers_judge(const struct st_series_set *set, struct st_sleepers *ret)
{
    struct st_sleepers s = {.known = true};
    for (size_t i = 0; i < set->n && s.known; i++) {
        const struct st_sample *sample = &set->result[i]->sample;
        uint64_t low, high;
        s.known =
            st_stats_quantile_ranks(sample->n, 0.5, 1 - 0.05 / (double)set->n, &low, &high) == 0;
        if (!s.known)
            break;
        s.median[i] =
            (struct st_interval_ns){sample->values_ns[low - 1], sample->values_ns[high - 1]};
        s.earliest = s.median[i].high_ns < s.median[s.earliest].high_ns ? i : s.earliest;
        s.latest = s.median[i].low_ns > s.median[s.latest].low_ns ? i : s.latest;
    }
    s.alike = s.known && s.median[s.latest].low_ns <= s.median[s.earliest].high_ns;
    *ret = s;
}

void st_sleepers_text(const struct st_series_set *set, const struct st_sleepers *s, FILE *out,
                      int width)
{
    const struct st_interval_ns *a = &s->median[s->earliest], *b = &s->median[s->latest];
    st_series_set_text(set, "lateness", out);
    if (!s->known)
        st_text_wrap(out, "Too few samples to say whether all sleepers are alike.", 0, width);
    else if (s->alike)
        st_text_wrap(out,
                     "No difference between the sleepers is shown: the intervals of all medians "
                     "overlap (95 % for all together).",
                     0, width);
    else
        st_text_wrap(out,
                     st_text("Not all are alike: sleeper %zu (median %s .. %s) wakes later than "
                             "sleeper %zu (%s .. %s; 95 %% for all together).",
                             s->latest + 1, st_ns_exact(b->low_ns), st_ns_exact(b->high_ns),
                             s->earliest + 1, st_ns_exact(a->low_ns), st_ns_exact(a->high_ns)),
                     0, width);
}

json_t *st_sleepers_json(const struct st_series_set *set, const struct st_sleepers *s)
{
    json_t *o = st_series_set_json(set, "at the same time", true, NULL);
    for (size_t i = 0; i < set->n && s->known; i++)
        (void)json_object_set_new(
            json_array_get(json_object_get(o, "series"), i), "median_interval_ns",
            json_pack("[I, I]", (json_int_t)s->median[i].low_ns, (json_int_t)s->median[i].high_ns));
    if (o != NULL)
        (void)json_object_set_new(o, "alike", s->known ? json_boolean(s->alike) : json_null());
    return o;
}
