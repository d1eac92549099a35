/* The last 15 values of a figure, with their median and maximum. */
#pragma once

#include "core/base.h"

#define ST_RECENT_MAX 15 /* odd, so that the median is one of the values */

/** A ring of the last ST_RECENT_MAX values. All zero at first. */
struct st_recent {
    double values[ST_RECENT_MAX];
    uint64_t n; /* number of values that were ever added */
};

/** Adds a value; if there are ST_RECENT_MAX, drops the oldest. Real-time safe. */
void st_recent_add(struct st_recent *recent, double value) ST_NONBLOCKING;

/** The median, or the lower of the middle two values: up to half of the values may be outliers.
 * Some 0.1 us, real-time safe. @return 0 without values. */
double st_recent_median(const struct st_recent *recent) ST_NONBLOCKING;

/** The largest value. Real-time safe. @return 0 without values. */
double st_recent_max(const struct st_recent *recent) ST_NONBLOCKING;
