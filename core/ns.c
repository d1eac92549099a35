#include "core/ns.h"

#include "core/mul_div.h"
#include "core/text/number.h"

int64_t st_ns_from_timespec(const struct timespec *ts) ST_NONBLOCKING
{
    int64_t s = ts->tv_sec;
    int64_t rest_ns = ts->tv_nsec;
    /* Gives both parts the same sign, because the product alone could be just out of range. */
    if (s < 0 && rest_ns > 0) {
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
        /* time_t has 32 bits: a clock that counts from 1970 ends in 2038. */
        s = INT32_MAX;
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

/* Units of st_ns_parse. A name that begins with another one must come first ("min" before "m"). */
static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"\xc2\xb5s", 1000}, /* U+00B5 micro sign */
    {"\xce\xbcs", 1000}, /* U+03BC Greek mu */
    {"ms", 1000000},
    {"min", ST_NS_PER_MINUTE},
    {"s", ST_NS_PER_S},
    {"m", ST_NS_PER_MINUTE},
    {"h", ST_NS_PER_HOUR},
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
            /* Ignores further digits, since the rest is less than a thousandth of a ns. */
            if (number.scale > UINT64_C(100000000000000000))
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
            return -EINVAL; /* a number without a unit must be the whole text */
        const int64_t unit_ns = unit != NULL ? unit->ns : ST_NS_PER_S;
        if (unit_ns >= last_unit_ns)
            return -EINVAL;
        last_unit_ns = unit_ns;
        uint64_t fraction_ns;
        int64_t part_ns;
        if (st_mul_div(number.fraction, (uint64_t)unit_ns, number.scale / 2, number.scale,
                       &fraction_ns) != 0 ||
            __builtin_mul_overflow(number.whole, unit_ns, &part_ns) ||
            __builtin_add_overflow(part_ns, fraction_ns, &part_ns) ||
            __builtin_add_overflow(total_ns, part_ns, &total_ns))
            return -ERANGE;
    } while (*at != '\0');
    *ret_ns = total_ns;
    return 0;
}
