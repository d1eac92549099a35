/* An axis of a chart: where a value lies on it, and which round values are written beside it. */
#pragma once

#include "core/base.h"

#define ST_AXIS_TICKS_MAX 24

struct st_axis {
    bool log;         /* the axis is logarithmic, and low and high are above 0 */
    double low, high; /* ends of the axis; low < high */
};

/** The axis that holds low .. high with a little room. A linear axis begins at 0 if low is above 0
 * and less than half of high, and ends at 0 if high is below 0 and above half of low.
 * @param log logarithmic if low > 0; otherwise the axis is linear. @param low, high finite; if they
 * are equal, the axis extends beyond them on both sides. Threads: any. */
struct st_axis st_axis_fit(double low, double high, bool log);

/** Should an axis be logarithmic? Yes if all values are above 0 and the largest is more than 10
 * times the usual value (such as a median). */
bool st_axis_wants_log(double low, double usual, double high);

/** Where a value lies on the axis: 0 at low, 1 at high; values outside are put at the nearer
 * end. */
double st_axis_at(const struct st_axis *axis, double value);

/** Round values from low to high, ascending: as many as possible, but at most `wanted` (3 ..
 * ST_AXIS_TICKS_MAX - 1) and at least two. @return how many. */
size_t st_axis_ticks(const struct st_axis *axis, size_t wanted, double ret[ST_AXIS_TICKS_MAX]);

/** The number by which times on a linear axis are divided: 1, 1e3, 1e6 or 1e9 ns. @param ret_name
 * name of this unit (UTF-8). */
double st_axis_time_unit(const struct st_axis *axis, const char **ret_name);

/** Text beside a tick: on a linear axis in the unit of st_axis_time_unit ("0.05"), with as many
 * decimals as `step` needs; on a logarithmic axis with a unit of its own ("50 µs"). @return buf. */
const char *st_axis_time_text(const struct st_axis *axis, double tick, double step, char *buf,
                              size_t buf_bytes);
