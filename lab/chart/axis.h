/* An axis of a chart: from values to places, and the round values that are written beside it. */
#pragma once

#include "core/base.h"

#define ST_AXIS_TICKS_MAX 24

struct st_axis {
    bool log;         /* both ends are above 0 then */
    double low, high; /* low < high */
};

/**
 * The axis that holds low .. high with a little room, from 0 where that costs less than a third of it.
 * @param log only where low > 0, else the axis is linear. @param low, high finite; equal ones are spread.
 * Threads: any. */
struct st_axis st_axis_fit(double low, double high, bool log);

/** Is a logarithmic axis called for? Where all is above 0 and the largest is more than 10 times what is
 * usual. */
bool st_axis_wants_log(double low, double usual, double high);

/** 0 at low, 1 at high; values outside are put at the ends. */
double st_axis_at(const struct st_axis *axis, double value);

/** Round values from low to high, ascending: the most of them that are not more than `wanted` (3 ..
 * ST_AXIS_TICKS_MAX - 1), two at least. @return how many. */
size_t st_axis_ticks(const struct st_axis *axis, size_t wanted, double ret[ST_AXIS_TICKS_MAX]);

/** What times on a linear axis are divided by: 1, 1e3, 1e6 or 1e9 ns, with its name (UTF-8). */
double st_axis_time_unit(const struct st_axis *axis, const char **ret_name);

/** A tick of a linear axis in that unit ("0.05"), with as many places as `step` needs, of a logarithmic one
 * with its own ("50 µs"). @return buf. */
const char *st_axis_time_text(const struct st_axis *axis, double tick, double step, char *buf,
                              size_t buf_bytes);
