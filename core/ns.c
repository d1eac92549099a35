#include "core/ns.h"

#include "core/mul_div.h"
#include "core/text/number.h"

int64_t st_ns_from_timespec(const struct timespec *ts) ST_NONBLOCKING
{
    int64_t s = ts->tv_sec;
    int64_t rest_ns = ts->tv_nsec;
    if (s < 0 && rest_ns > 0) { /* of one sign: the product alone may be just out of range */
        s++;
        rest_ns -= ST_NS_PER_S;
    }
    int64_t ns;
    if (!__builtin_mul_overflow(s, ST_NS_PER_S, &ns) && !__builtin_add_overflow(ns, rest_ns, &ns))
        return ns;
    return s < 0 ? INT64_MIN : INT64_MAX;
}

struct timespec st_ns_to_timespec(int64_t ns) ST_NONBLOCKING
{
    int64_t s = ns / ST_NS_PER_S;
    int64_t rest_ns = ns % ST_NS_PER_S;
    if (rest_ns < 0) {
        rest_ns += ST_NS_PER_S;
        s--;
    }
    if (sizeof(time_t) < sizeof(s) && s > INT32_MAX)
        s = INT32_MAX; /* 32 bits: a clock that counts from 1970 ends in 2038 */
    return (struct timespec){.tv_sec = (time_t)s, .tv_nsec = (long)rest_ns};
}

int64_t st_ns_add(int64_t a_ns, int64_t b_ns) ST_NONBLOCKING
{
    int64_t sum_ns;
    if (__builtin_add_overflow(a_ns, b_ns, &sum_ns))
        return b_ns < 0 ? INT64_MIN : INT64_MAX;
    return sum_ns;
}

int64_t st_ns_sub(int64_t a_ns, int64_t b_ns) ST_NONBLOCKING
{
    int64_t difference_ns;
    if (__builtin_sub_overflow(a_ns, b_ns, &difference_ns))
        return b_ns < 0 ? INT64_MAX : INT64_MIN;
    return difference_ns;
}

/* Longest first where one is the beginning of another. */
static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"\xc2\xb5s", 1000}, /* U+00B5 micro sign */
    {"\xce\xbcs", 1000}, /* U+03BC Greek mu */
    {"ms", 1000000},
    {"min", 60 * ST_NS_PER_S},
    {"s", ST_NS_PER_S},
    {"m", 60 * ST_NS_PER_S},
    {"h", 3600 * ST_NS_PER_S},
};

/* A decimal number: whole part, and fraction / scale < 1. */
struct number {
    uint64_t whole;
    uint64_t fraction;
    uint64_t scale;
};

static int parse_number(const char **at, struct number *ret)
{
    const char *c = *at;
    struct number number = {.scale = 1};
    const char *start = c;
    if (*c >= '0' && *c <= '9' && st_number_take(&c, &number.whole) != 0)
        return -ERANGE;
    if (*c == '.') {
        start = ++c;
        for (; *c >= '0' && *c <= '9'; c++) {
            if (number.scale >
                UINT64_C(100000000000000000)) /* 1e17: the rest is below a thousandth of a ns */
                continue;
            number.scale *= 10;
            number.fraction = number.fraction * 10 + (uint64_t)(*c - '0');
        }
    }
    if (c == start)
        return -EINVAL;
    *at = c;
    *ret = number;
    return 0;
}

static const struct unit *parse_unit(const char **at)
{
    ST_EACH (row, units) {
        const size_t len = strlen(row->name);
        if (strncmp(*at, row->name, len) == 0) {
            *at += len;
            return row;
        }
    }
    return NULL;
}

int st_ns_parse(const char *text, int64_t *ret_ns)
{
    const char *at = text;
    int64_t total_ns = 0;
    int64_t last_unit_ns = INT64_MAX;
    do {
        struct number number;
        const int r = parse_number(&at, &number);
        if (r < 0)
            return r;
        const struct unit *unit = parse_unit(&at);
        if (unit == NULL && (*at != '\0' || last_unit_ns != INT64_MAX))
            return -EINVAL; /* a number without unit stands alone */
        const int64_t unit_ns = unit != NULL ? unit->ns : ST_NS_PER_S;
        if (unit_ns >= last_unit_ns)
            return -EINVAL;
        last_unit_ns = unit_ns;
        uint64_t fraction_ns;
        int64_t part_ns;
        if (st_mul_div(number.fraction, (uint64_t)unit_ns, number.scale / 2, number.scale, &fraction_ns) !=
                0 ||
            __builtin_mul_overflow(number.whole, unit_ns, &part_ns) ||
            __builtin_add_overflow(part_ns, fraction_ns, &part_ns) ||
            __builtin_add_overflow(total_ns, part_ns, &total_ns))
            return -ERANGE;
    } while (*at != '\0');
    *ret_ns = total_ns;
    return 0;
}

const char *st_ns_format(int64_t ns, char *buf, size_t buf_bytes)
{
    static const struct {
        uint64_t unit_ns;
        uint64_t below; /* used while the rounded figure is below this, in steps */
        uint64_t steps; /* a unit: 10 is one decimal */
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
            size_ns / step_ns + (size_ns % step_ns >= (step_ns + 1) / 2 && step_ns > 1 ? 1 : 0);
        if (steps >= row->below)
            continue;
        const char *sign = ns < 0 ? "-" : "";
        if (row->decimals == 0)
            snprintf(buf, buf_bytes, "%s%" PRIu64 " %s", sign, steps, row->name);
        else
            snprintf(buf, buf_bytes, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign, steps / row->steps,
                     row->decimals, steps % row->steps, row->name);
        break;
    }
    return buf;
}

const char *st_ns_format_exact(int64_t ns, char *buf, size_t buf_bytes)
{
    const double us = (double)ns / 1e3, size = us < 0 ? -us : us;
    if (size < 1 || size >= 999.95)
        return st_ns_format(ns, buf, buf_bytes);
    snprintf(buf, buf_bytes, "%.*f \xc2\xb5s", size < 10 ? 3 : size < 99.995 ? 2 : 1, us);
    return buf;
}

const char *st_ns_format_short(int64_t ns, char *buf, size_t buf_bytes)
{
    if (ns < ST_NS_PER_MS || ns >= ST_NS_PER_S - ST_NS_PER_MS / 2)
        return st_ns_format(ns, buf, buf_bytes);
    const int decimals = ns < 9995 * ST_NS_PER_US ? 2 : ns < 99950 * ST_NS_PER_US ? 1 : 0;
    snprintf(buf, buf_bytes, "%.*f ms", decimals, (double)ns / (double)ST_NS_PER_MS);
    return buf;
}

const char *st_ns_format_long(int64_t ns, char *buf, size_t buf_bytes)
{
    const int64_t minutes = st_ns_add(ns, 30 * ST_NS_PER_S) / (60 * ST_NS_PER_S);
    if (ns < 120 * ST_NS_PER_S)
        snprintf(buf, buf_bytes, "%" PRId64 " s", (ns + ST_NS_PER_S / 2) / ST_NS_PER_S);
    else if (minutes < 60)
        snprintf(buf, buf_bytes, "%" PRId64 " min", minutes);
    else if (minutes < 48 * 60)
        snprintf(buf, buf_bytes, "%" PRId64 " h %" PRId64 " min", minutes / 60, minutes % 60);
    else
        snprintf(buf, buf_bytes, "%" PRId64 " d %" PRId64 " h", minutes / 1440, minutes / 60 % 24);
    return buf;
}
