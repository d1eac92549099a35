/* A histogram of signed ns with HdrHistogram's bucket layout: 3 digits, 1 ns to 1 hour; early wake-ups in
 * a separate table. */
#pragma once

#include "core/base.h"

#define ST_HIST_HIGHEST_NS                                                                                   \
    INT64_C(3600000000000) /* 1 hour; larger values count in over_n and max_ns only                          \
                            */

/**
 * Counts are kept in two tables: late (>= 0) and early (< 0, by magnitude). Memory that no value touched
 * stays untouched (calloc), so an empty table costs address space only. Layout: HdrHistogram (Gil Tene,
 * public domain / BSD), lowest discernible 1, 3 significant digits: 2048 sub-buckets, values 0 .. 2047 exact,
 * then 1024 linear steps an octave. */
struct st_hist {
    int digits; /* 1 .. 4 */
    uint32_t sub_bucket_count;
    uint32_t counts_len; /* of each table */
    uint64_t *late;
    uint64_t *early;
    uint64_t total_n;      /* all values, including over_n */
    uint64_t early_n;      /* values < 0 */
    uint64_t over_n;       /* values > ST_HIST_HIGHEST_NS (or < -ST_HIST_HIGHEST_NS, also in early_n) */
    uint64_t early_over_n; /* values < -ST_HIST_HIGHEST_NS, in early_n and over_n */
    int64_t min_ns;        /* exact; INT64_MAX while total_n is 0 */
    int64_t max_ns;        /* exact; INT64_MIN while total_n is 0 */
    double sum_ns;
};

/** @param digits 1 .. 4, normally 3. @return 0, -ERANGE, -ENOMEM. Threads: any. */
ST_NODISCARD int st_hist_init(struct st_hist *hist, int digits);
void st_hist_finish(struct st_hist *hist);
void st_hist_reset(struct st_hist *hist);
/** Makes the memory of the late table resident now, for programs that run for months (core/pages.h). */
void st_hist_touch(struct st_hist *hist);

/** Counts one value. Threads: one writer; constant time, no allocation. */
void st_hist_add(struct st_hist *hist, int64_t value_ns);
void st_hist_add_n(struct st_hist *hist, int64_t value_ns, uint64_t n);

/** Adds all counts of `from`. @return 0 or -EINVAL (other digits). */
ST_NODISCARD int st_hist_merge(struct st_hist *hist, const struct st_hist *from);

/** The value at rank `rank` (1 = smallest .. total_n = largest) among all values, early ones first.
 * Returns the middle of the bucket (error <= 0.05 %), limited to the exact min and max; rank 1 and
 * total_n are the exact min and max. Over-range values read as max. @return ns, 0 when empty. */
int64_t st_hist_value_at_rank(const struct st_hist *hist, uint64_t rank);

/** The rank of quantile p in [0, 1] among n >= 1 values: ceil(p * n), at least 1. */
uint64_t st_hist_quantile_rank(uint64_t n, double p);
/** Quantile p in [0, 1]: the value at st_hist_quantile_rank. */
int64_t st_hist_quantile(const struct st_hist *hist, double p);

/** Number of values > limit_ns, to the resolution of a bucket. */
uint64_t st_hist_count_above(const struct st_hist *hist, int64_t limit_ns);

/** Bucket of a value >= 0: its index, lowest value and width. For exporters and tests. */
uint32_t st_hist_index(const struct st_hist *hist, int64_t value_ns);
int64_t st_hist_bucket_lowest(const struct st_hist *hist, uint32_t index);
int64_t st_hist_bucket_width(const struct st_hist *hist, uint32_t index);
int64_t st_hist_bucket_middle(const struct st_hist *hist, uint32_t index);
