/* Values in order, for look-ups by rank: from an array or from a histogram. */
#pragma once

#include "core/stats/hist.h"

/** Sorted values, each once (cumulative_n NULL), or distinct ones with how many values are <= each. */
struct st_sample {
    const int64_t *values_ns;     /* ascending */
    const uint64_t *cumulative_n; /* cumulative counts; NULL: 1, 2, 3 ... */
    size_t len;
};

/** Sorts the values, which stay the caller's. Threads: any. */
struct st_sample st_sample_of(int64_t *values_ns, size_t n);

/** The values of a histogram, to the resolution of its buckets. @return 0, -ENOMEM. Free with
 * st_sample_finish. */
ST_NODISCARD int st_sample_of_hist(const struct st_hist *hist, struct st_sample *ret);
/** Only for samples of st_sample_of_hist. */
void st_sample_finish(struct st_sample *sample);

uint64_t st_sample_n(const struct st_sample *sample);
/** The value at rank 1 (smallest) .. n. */
int64_t st_sample_at(const struct st_sample *sample, uint64_t rank);
/** The value at st_hist_quantile_rank; n >= 1. */
int64_t st_sample_quantile(const struct st_sample *sample, double p);
/** The step of the clock that the values were measured with. If the step is no whole number of ns, such as
 * 10.02, a value is rounded up or down: 20 and 21 are one value if 22 does not occur. The distance of the
 * two neighbours with the most values, such as 20 and 30, is decisive; of single values, such as 251 and
 * 260, it may be 1 ns less. @return 0: there is only one value. */
int64_t st_sample_clock_step_ns(const struct st_sample *sample);

/**
 * The value that would be at `rank` (0 .. n - 1) of the sorted values. Reorders them: smaller ones rank
 * before it, larger ones behind it. Threads: any; no allocation; time in proportion to n, whatever the order.
 * Source: Hoare, "Algorithm 65: Find", 1961, with random pivots. */
int64_t st_sample_select(int64_t *values, size_t n, size_t rank);
