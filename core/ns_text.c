/* Prints durations for people. */
#include "core/ns.h"

const char *st_ns_text(int64_t ns)
{
    static const struct {
        uint64_t unit_ns;
        uint64_t below; /* the unit is used while the rounded value is below this number of steps */
        uint64_t steps; /* steps in one unit: with 10 steps the text has one decimal */
        int decimals;
        const char *name;
    } rows[] = {
        {1, 1000, 1, 0, "ns"},
        {1000, 10000, 10, 1, "\xc2\xb5s"},
        {1000000, 1000000, 1000, 3, "ms"},
        {1000000000, 12000, 100, 2, "s"},
        {UINT64_C(60000000000), 1200, 10, 1, "min"},
        {UINT64_C(3600000000000), UINT64_MAX, 10, 1, "h"},
    };
    const uint64_t size_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    ST_EACH (row, rows) {
        const uint64_t step_ns = row->unit_ns / row->steps;
        const uint64_t steps =
            size_ns / step_ns + (size_ns % step_ns >= (step_ns + 1) / 2 && step_ns > 1);
        if (steps >= row->below)
            continue;
        const char *sign = ns < 0 ? "-" : "";
        if (row->decimals == 0)
            return st_text("%s%ju %s", sign, steps, row->name);
        return st_text("%s%ju.%0*ju %s", sign, steps / row->steps, row->decimals,
                       steps % row->steps, row->name);
    }
    return "";
}

const char *st_ns_short(int64_t ns)
{
    if (ns < ST_NS_PER_MS || ns >= ST_NS_PER_S - ST_NS_PER_MS / 2)
        return st_ns_text(ns);
    const int decimals = ns < 9995 * ST_NS_PER_US ? 2 : ns < 99950 * ST_NS_PER_US ? 1 : 0;
    return st_text("%.*f ms", decimals, (double)ns / (double)ST_NS_PER_MS);
}

const char *st_ns_long(int64_t ns)
{
    const int64_t minutes = st_ns_add(ns, 30 * ST_NS_PER_S) / ST_NS_PER_MINUTE;
    if (ns < 120 * ST_NS_PER_S)
        return st_text("%jd s", (ns + ST_NS_PER_S / 2) / ST_NS_PER_S);
    if (minutes < 60)
        return st_text("%jd min", minutes);
    if (minutes < 48 * 60)
        return st_text("%jd h %jd min", minutes / 60, minutes % 60);
    return st_text("%jd d %jd h", minutes / 1440, minutes / 60 % 24);
}
