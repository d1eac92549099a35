/* A series of any length in memory that does not grow: figures of all samples, levels, and its first
 * samples. */
#pragma once

#include "lab/stats/levels.h"
#include "lab/stats/moments.h"

/** The first samples, which are kept one by one to look for rhythms in them. */
#define ST_LONG_SERIES_HEAD_N (INT64_C(1) << 18)

/** 4 digits: quantiles to 0.007 %, and outliers are still distinct close above a high median. */
#define ST_LONG_SERIES_DIGITS 4

struct st_long_series {
    uint64_t n;
    uint64_t first_index, last_index;
    struct st_hist hist;
    struct st_moments moments;
    struct st_levels levels;
    struct st_series head; /* the first ones */
    size_t head_max_n;
};

/** @param head_max_n samples to keep; at least ST_LONG_SERIES_HEAD_N for st_series_analysis_of_long.
 * @return 0, -ENOMEM. Threads: one a st_long_series. Free with st_long_series_finish. */
ST_NODISCARD int st_long_series_init(struct st_long_series *all, const struct st_period *period,
                                     size_t head_max_n);
void st_long_series_finish(struct st_long_series *all);

/** Samples of n neighbouring periods. @return 0, -ENOMEM, -EINVAL (not behind the one before). */
ST_NODISCARD int st_long_series_add(struct st_long_series *all, uint64_t first_index,
                                    const int64_t *lateness_ns, size_t n);

/** As st_long_series_init with all samples of a series, which becomes the head and is empty then.
 * @return 0, -ENOMEM (the series stays the caller's). */
ST_NODISCARD int st_long_series_of(struct st_series *series, struct st_long_series *ret);

/** Are all samples in the head, and few enough to analyse them as a whole? */
bool st_long_series_is_short(const struct st_long_series *all);

/** Periods from the first sample to the last, both counted; 0 for none. */
uint64_t st_long_series_span(const struct st_long_series *all);

/** The samples in order: exactly of a short one, else to the resolution of the histogram. @return 0,
 * -ENODATA (none), -ENOMEM. Free with st_sample_finish. */
ST_NODISCARD int st_long_series_sample(const struct st_long_series *all, struct st_sample *ret);
