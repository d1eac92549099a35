/* A series of any length in a bounded number of columns, each with the minimum and the maximum of
 * all its values. */
#pragma once

#include "lab/stats/series.h"

#define ST_COLUMNS_MAX 2048

struct st_column {
    uint64_t n;             /* number of values in the column */
    int64_t min_ns, max_ns; /* valid if n > 0 */
};

/** The columns of a series. Column i holds the periods i * periods .. (i + 1) * periods - 1,
 * counted from the first sample. */
struct st_columns {
    uint64_t periods;
    size_t n;
    struct st_column column[ST_COLUMNS_MAX];
};

/** Sums up the samples of a series in the columns of pixels of a picture. @param series at least
 * one sample. Threads: any; no allocation. */
void st_columns_of(const struct st_series *series, struct st_columns *ret);
