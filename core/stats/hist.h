/* A histogram of signed ns with the bucket layout of HdrHistogram: 3 digits, 1 ns to 1 hour. Early
 * wake-ups (negative values) have a table of their own. */
#pragma once

#include "core/base.h"

/* 1 hour; larger values have no bucket and are counted in over_n */
#define ST_HIST_HIGHEST_NS INT64_C(3600000000000)

/**
 * Counts are kept in two tables: late (>= 0) and early (< 0, by magnitude). Memory that no value
 * touched stays untouched (calloc), so an empty table costs address space only. Layout:
 * HdrHistogram (Gil Tene, public domain / BSD), lowest discernible 1, 3 significant digits: 2048
 * sub-buckets, values 0 .. 2047 exact, then 1024 linear steps an octave. */
struct st_hist {
    int digits; /* decimal digits of precision, 1 .. 4 */
    uint32_t sub_bucket_count;
    uint32_t counts_len; /* buckets of each table */
    uint64_t *late;
    uint64_t *early;
    uint64_t total_n; /* all values, including over_n */
    uint64_t early_n; /* values below 0 */
    /* values whose magnitude is above ST_HIST_HIGHEST_NS; negative ones are in early_n as well */
    uint64_t over_n;
    /* values below -ST_HIST_HIGHEST_NS; they are in early_n and over_n as well */
    uint64_t early_over_n;
    int64_t min_ns; /* exact smallest value; INT64_MAX while total_n is 0 */
    int64_t max_ns; /* exact largest value; INT64_MIN while total_n is 0 */
    double sum_ns;
};

/** Makes an empty histogram. @param digits 1 .. 4, normally 3. @return 0, -ERANGE, -ENOMEM.
 * Threads: any. */
ST_NODISCARD int st_hist_init(struct st_hist *hist, int digits);
void st_hist_finish(struct st_hist *hist);
void st_hist_reset(struct st_hist *hist);
/** Makes the memory of the table `late` resident now, for a program that runs for months
 * (core/pages.h). */
void st_hist_touch(struct st_hist *hist);

/** Counts one value. Threads: one writer; constant time, no allocation. */
void st_hist_add(struct st_hist *hist, int64_t value_ns);
void st_hist_add_n(struct st_hist *hist, int64_t value_ns, uint64_t n);

/** Adds all counts of `from`. @return 0; -EINVAL: it has another number of digits. */
ST_NODISCARD int st_hist_merge(struct st_hist *hist, const struct st_hist *from);

/** The value at rank `rank` (1 = smallest .. total_n = largest) among all values, early ones first.
 * It is the middle of a bucket (error <= 0.05 % with 3 digits), limited to the exact minimum and
 * maximum; ranks 1 and total_n give these. Values beyond the table count as the minimum or maximum.
 * @return ns; 0 if there is no value. */
int64_t st_hist_value_at_rank(const struct st_hist *hist, uint64_t rank);

/** The rank of quantile p in [0, 1] among n >= 1 values: ceil(p * n), but at least 1. */
uint64_t st_hist_quantile_rank(uint64_t n, double p);
/** Quantile p in [0, 1]: the value at st_hist_quantile_rank. */
int64_t st_hist_quantile(const struct st_hist *hist, double p);

/** Number of values above limit_ns; values in the bucket of limit_ns do not count. */
uint64_t st_hist_count_above(const struct st_hist *hist, int64_t limit_ns);

/** Bucket of a value >= 0: its index, lowest value (ns) and width (ns). For exporters and tests. */
uint32_t st_hist_index(const struct st_hist *hist, int64_t value_ns);
int64_t st_hist_bucket_lowest(const struct st_hist *hist, uint32_t index);
int64_t st_hist_bucket_width(const struct st_hist *hist, uint32_t index);
int64_t st_hist_bucket_middle(const struct st_hist *hist, uint32_t index);
