/* Several threads that sleep at the same time: are all woken alike? */
#pragma once

#include "lab/analyse/series_set.h"
#include "lab/series/bench_series.h"

#define ST_SLEEPERS_MAX ST_SERIES_SET_MAX

/** Measures the same series in n threads at once, which have the policy and timer slack of this one.
 * @param config its go_on is asked by all threads. @param ret each as st_bench_series_measure fills it, also
 * after an error. @return 0 or the first error. */
ST_NODISCARD int st_sleepers_measure(struct st_platform *p, const struct st_bench_series_config *config,
                                     size_t n, struct st_bench_series *ret);

struct st_sleepers {
    bool known;              /* there are samples enough for an interval of each median */
    bool alike;              /* all intervals share a value */
    size_t earliest, latest; /* of those that are shown to differ */
    struct st_interval_ns {
        int64_t low_ns, high_ns;
    } median[ST_SLEEPERS_MAX]; /* 95 % for all together, by order statistics: samples are independent */
};

/** @param set analysed. Threads: any. */
void st_sleepers_judge(const struct st_series_set *set, struct st_sleepers *ret);

void st_sleepers_text(const struct st_series_set *set, const struct st_sleepers *sleepers, FILE *out,
                      int width);
/** sleeptune-series-set/1 with these intervals. @return NULL: out of memory. */
json_t *st_sleepers_json(const struct st_series_set *set, const struct st_sleepers *sleepers);
