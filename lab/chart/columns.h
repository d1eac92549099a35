/* A series of any length in a bounded number of columns, each with the minimum and the maximum of all its
 * values. */
#pragma once

#include "core/base.h"

#define ST_COLUMNS_MAX 2048

struct st_column {
    uint64_t n;             /* values */
    int64_t min_ns, max_ns; /* where n > 0 */
    uint64_t missed_n;
};

/** Column i holds the periods first + i * periods .. first + (i + 1) * periods - 1. A column spans twice the
 * periods once all are used. */
struct st_columns {
    uint64_t first;
    uint64_t periods;
    size_t n;
    struct st_column column[ST_COLUMNS_MAX];
};

void st_columns_init(struct st_columns *columns);

/** One value. @param index of its period, not less than that of the first one; others are left out.
 * @param missed it is counted as a miss, too. Threads: one writer; constant time in the mean. */
void st_columns_add(struct st_columns *columns, uint64_t index, int64_t value_ns, bool missed);

/** Counts n missed periods, which have no value. */
void st_columns_missed(struct st_columns *columns, uint64_t first_index, uint64_t n);
