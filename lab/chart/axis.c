#include "lab/chart/axis.h"

bool st_axis_wants_log(double low, double usual, double high)
{
    return low > 0 && usual > 0 && high > 10 * usual;
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

/* Finds the multiples of `step` on a linear axis. @return how many. */
static size_t line_ticks(const struct st_axis *axis, double step, double ret[ST_AXIS_TICKS_MAX])
{
    const double first = ceil(axis->low / step - 1e-9), room = 1e-9 * (axis->high - axis->low);
    size_t n = 0;
    while (n < ST_AXIS_TICKS_MAX && (first + (double)n) * step <= axis->high + room) {
        ret[n] = (first + (double)n) * step;
        n++;
    }
    return n;
}

/* Finds ticks of a logarithmic axis: in each k-th decade, `parts` times the power of ten. @return
 * how many. */
static size_t log_ticks(const struct st_axis *axis, const double *parts, size_t parts_n, int k,
                        double ret[ST_AXIS_TICKS_MAX])
{
    size_t n = 0;
    for (int decade = (int)floor(log10(axis->low)); decade <= (int)ceil(log10(axis->high));
         decade += k) {
        ST_EACH_OF (part, parts, parts_n) {
            const double tick = *part * pow(10, decade);
            if (tick >= axis->low && tick <= axis->high && n < ST_AXIS_TICKS_MAX)
                ret[n++] = tick;
        }
    }
    return n;
}

/* Finds as many ticks of a logarithmic axis as possible, at most `wanted`. @return how many. */
static size_t most_log_ticks(const struct st_axis *axis, size_t wanted,
                             double ret[ST_AXIS_TICKS_MAX])
{
    static const struct {
        size_t n;
        double parts[6];
    } sets[] = {{6, {1, 1.5, 2, 3, 5, 7}}, {3, {1, 2, 5}}, {2, {1, 3}}};
    size_t n = SIZE_MAX;
    for (size_t i = 0; i < ST_ARRAY_LEN(sets) && n > wanted; i++)
        n = log_ticks(axis, sets[i].parts, sets[i].n, 1, ret);
    for (int k = 1; n > wanted; k++)
        n = log_ticks(axis, sets[0].parts, 1, k, ret);
    return n;
}

size_t st_axis_ticks(const struct st_axis *axis, size_t wanted, double ret[ST_AXIS_TICKS_MAX])
{
    static const double steps[] = {1, 2, 5, 10, 20, 50};
    size_t n = axis->log ? most_log_ticks(axis, wanted, ret) : 0;
    if (n >= 2)
        return n;
    const double decade = pow(10, floor(log10((axis->high - axis->low) / (double)wanted)));
    ST_EACH (step, steps) {
        n = line_ticks(axis, *step * decade, ret);
        if (n <= wanted)
            break;
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
    const double shown = fabs(tick) < step / 1000 ? 0 : tick / unit; /* prints 0 instead of -0 */
    snprintf(buf, buf_bytes, "%.*f", places > 0 ? (int)fmin(places, 9) : 0, shown);
    return buf;
}
