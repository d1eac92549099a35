/* Several threads that sleep at the same time: are all woken alike? */
#pragma once

#include "lab/analyse/series_set.h"
#include "lab/series/bench_series.h"

#define ST_SLEEPERS_MAX ST_SERIES_SET_MAX

/** Measures the same series in n threads at once, which have the policy and timer slack of the
 * calling thread.
 * @param config all threads call its go_on. @param ret n elements, each as st_bench_series_measure
 * fills it, also after an error. @return 0 or the first error. */
ST_NODISCARD int st_sleepers_measure(struct st_platform *p,
                                     const struct st_bench_series_config *config, size_t n,
                                     struct st_bench_series *ret);

struct st_sleepers {
    bool known;              /* each median has enough samples for an interval */
    bool alike;              /* all intervals have a value in common */
    size_t earliest, latest; /* indices of the sleepers with the earliest and the latest interval */
    struct st_interval_ns {
        int64_t low_ns, high_ns;
    } median[ST_SLEEPERS_MAX]; /* interval of the median of each sleeper, 95 % for all together, by
                                  order statistics, as if samples were independent */
};

/** Compares the medians of the sleepers. @param set the series of all sleepers, analysed. Threads:
 * any. */
void st_sleepers_judge(const struct st_series_set *set, struct st_sleepers *ret);

void st_sleepers_text(const struct st_series_set *set, const struct st_sleepers *sleepers,
                      FILE *out, int width);
/** The document sleeptune-series-set/1 with the intervals of the medians. @return NULL: out of
 * memory. */
json_t *st_sleepers_json(const struct st_series_set *set, const struct st_sleepers *sleepers);
