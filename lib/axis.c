#include "lib/axis.h"

#include <math.h>
#include <stdio.h>

#include "lib/ns.h"

static double step_of(double span, size_t wanted)
{
    const double raw = span / (double)(wanted > 1 ? wanted - 1 : 1);
    const double decade = pow(10, floor(log10(raw)));
    const double part = raw / decade;
    return decade * (part <= 1.0001 ? 1 : part <= 2.0001 ? 2 : part <= 5.0001 ? 5 : 10);
}

bool st_axis_wants_log(double low, double usual, double high)
{
    return low > 0 && usual > 0 && high > 30 * usual;
}

struct st_axis st_axis_fit(double low, double high, bool log)
{
    if (log && low > 0) {
        struct st_axis axis = {true, low / 1.15, high * 1.15};
        if (axis.high < 2 * axis.low)
            axis = (struct st_axis){true, low / 2, high * 2};
        return axis;
    }
    if (!(high > low)) {
        const double room = fmax(fabs(low) * 0.1, 1);
        low -= room;
        high += room;
    }
    if (low > 0 && low < 0.5 * high)
        low = 0;
    if (high < 0 && high > 0.5 * low)
        high = 0;
    const double room = 0.04 * (high - low);
    return (struct st_axis){false, low < 0 || low > 0 ? low - room : 0,
                            high < 0 || high > 0 ? high + room : 0};
}

double st_axis_at(const struct st_axis *axis, double value)
{
    double at;
    if (axis->log)
        at = value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : 0;
    else
        at = (value - axis->low) / (axis->high - axis->low);
    return fmin(fmax(at, 0), 1);
}

/* 1, 10, 100 ...; 1, 2, 5, 10 ... where there are few decades. */
static size_t log_ticks(const struct st_axis *axis, size_t wanted, double *ret)
{
    static const double parts[] = {1, 2, 5};
    const double decades = log10(axis->high / axis->low);
    const size_t parts_n = decades * 3 <= (double)wanted + 1 ? ST_ARRAY_LEN(parts) : 1;
    const int each = decades > (double)wanted ? (int)ceil(decades / (double)wanted) : 1;
    size_t n = 0;
    for (int decade = (int)floor(log10(axis->low)); decade <= (int)ceil(log10(axis->high)); decade += each) {
        for (size_t i = 0; i < parts_n; i++) {
            const double tick = parts[i] * pow(10, decade);
            if (tick >= axis->low && tick <= axis->high && n < ST_AXIS_TICKS_MAX)
                ret[n++] = tick;
        }
    }
    return n;
}

size_t st_axis_ticks(const struct st_axis *axis, size_t wanted, double ret[ST_AXIS_TICKS_MAX])
{
    if (axis->log) {
        const size_t n = log_ticks(axis, wanted, ret);
        if (n >= 2)
            return n;
    }
    const double span = axis->high - axis->low, step = step_of(span, wanted);
    const double first = ceil(axis->low / step - 1e-9);
    size_t n = 0;
    while (n < ST_AXIS_TICKS_MAX && (first + (double)n) * step <= axis->high + 1e-9 * span) {
        ret[n] = (first + (double)n) * step;
        n++;
    }
    return n;
}

static const struct {
    double ns;
    const char *name;
} units[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};

static size_t unit_of(double largest)
{
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(units) && largest >= units[i + 1].ns)
        i++;
    return i;
}

double st_axis_time_unit(const struct st_axis *axis, const char **ret_name)
{
    const size_t i = unit_of(fmax(fabs(axis->low), fabs(axis->high)) / 1.5);
    *ret_name = units[i].name;
    return units[i].ns;
}

const char *st_axis_time_text(const struct st_axis *axis, double tick, double step, char *buf,
                              size_t buf_bytes)
{
    const char *name;
    if (axis->log) {
        const size_t i = unit_of(tick * 1.0001);
        snprintf(buf, buf_bytes, "%.4g %s", tick / units[i].ns, units[i].name);
        return buf;
    }
    const double unit = st_axis_time_unit(axis, &name);
    const double places = ceil(-log10(step / unit) - 1e-9);
    const double shown = fabs(tick) < step / 1000 ? 0 : tick / unit; /* no "-0" */
    snprintf(buf, buf_bytes, "%.*f", places > 0 ? (int)fmin(places, 9) : 0, shown);
    return buf;
}
