/* Lateness over time: a sample for each period in which a sleep ended normally. */
#pragma once

#include "core/period.h"
#include "lab/stats/sample.h"

struct st_series {
    struct st_period period;
    size_t n, room;
    int64_t *lateness_ns; /* wake-up time minus due time */
    uint64_t *index; /* index of the period of each sample, ascending: sample i was due index[i]
                        periods after period 0 */
};

void st_series_init(struct st_series *series, const struct st_period *period);
void st_series_finish(struct st_series *series);

/** Adds a sample. @return 0, -ENOMEM, or -EINVAL when the index does not ascend. Threads: one for
 * each series. */
ST_NODISCARD int st_series_add(struct st_series *series, uint64_t index, int64_t lateness_ns);

/** Copies the lateness of all samples and sorts it. @return 0, -ENODATA (empty), -ENOMEM. Free with
 * st_series_free_sample. */
ST_NODISCARD int st_series_sample(const struct st_series *series, struct st_sample *ret);
void st_series_free_sample(struct st_sample *sample);

/** Periods from the first sample to the last, both counted; 0 for an empty series. */
uint64_t st_series_span(const struct st_series *series);

/** The range in which most values of a series lie, from its quantiles: up to half of the values may
 * be outliers. */
struct st_series_bulk {
    int64_t low_ns, median_ns, high_ns; /* quantiles: 5 %, 50 %, 95 % */
    int64_t clip_low_ns,
        clip_high_ns; /* values outside are outliers: the limits are 2 * (high - low) away
                         from the median, 6.6 standard deviations if lateness is normal */
};

/** Computes the quantiles and the limits of outliers of a series. @return 0, -ENODATA (empty),
 * -ENOMEM. */
ST_NODISCARD int st_series_bulk(const struct st_series *series, struct st_series_bulk *ret);
