/* Lateness over time: a sample for each period that was slept to its end. */
#pragma once

#include "core/period.h"
#include "lab/stats/sample.h"

struct st_series {
    struct st_period period;
    size_t n, room;
    int64_t *lateness_ns; /* woke - due */
    uint64_t *index; /* of the period, ascending: sample i was due at index[i] * period after the first */
};

void st_series_init(struct st_series *series, const struct st_period *period);
void st_series_finish(struct st_series *series);

/** @return 0, -ENOMEM, or -EINVAL when the index does not ascend. Threads: one a series. */
ST_NODISCARD int st_series_add(struct st_series *series, uint64_t index, int64_t lateness_ns);

/** The samples in order. @return 0, -ENODATA (empty), -ENOMEM. Free with st_series_free_sample. */
ST_NODISCARD int st_series_sample(const struct st_series *series, struct st_sample *ret);
void st_series_free_sample(struct st_sample *sample);

/** Periods from the first sample to the last, both counted; 0 for an empty series. */
uint64_t st_series_span(const struct st_series *series);

/** The usual range of the series, from its quantiles: up to half of the values may be outliers. */
struct st_series_bulk {
    int64_t low_ns, median_ns, high_ns; /* 5 %, 50 %, 95 % */
    int64_t clip_low_ns, clip_high_ns;  /* beyond these, twice the width away from the median, is an outlier:
                                           6.6 standard deviations where lateness is normal */
};

/** @return 0, -ENODATA (empty), -ENOMEM. */
ST_NODISCARD int st_series_bulk(const struct st_series *series, struct st_series_bulk *ret);
