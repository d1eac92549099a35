#include "core/text/number.h"

#include <strings.h>

int st_number_take(const char **text, uint64_t *ret)
{
    uint64_t value = 0;
    const char *at = *text;
    if (*at < '0' || *at > '9')
        return -EINVAL;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return -ERANGE;
    }
    *text = at;
    *ret = value;
    return 0;
}

int st_number_i64(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    const bool negative = *text == '-';
    const char *at = text + negative;
    if (*at == '\0' || at[strspn(at, "0123456789")] != '\0')
        return -EINVAL;
    uint64_t size;
    if (st_number_take(&at, &size) != 0 || size > (uint64_t)INT64_MAX + negative)
        return -ERANGE;
    const int64_t value = negative ? (int64_t)(0 - size) : (int64_t)size;
    if (value < min || value > max)
        return -ERANGE;
    *ret = value;
    return 0;
}

int st_number_rate_hz(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    const char *at = text;
    uint64_t hz, unit = 100;
    const int r = st_number_take(&at, &hz);
    if (r != 0)
        return r;
    const char *digits = *at == '.' ? at + 1 : "";
    const size_t digits_n = strspn(digits, "0123456789");
    at += *at == '.' ? 1 + digits_n : 0;
    at += *at == ' ';
    const bool kilo = *at == 'k' || *at == 'K';
    at += kilo;
    /* "44.1" is not a whole number of Hz (without "k"), and "44." is not a number. */
    if ((*at != '\0' && strcasecmp(at, "Hz") != 0) || digits_n > (kilo ? 3 : 0) ||
        (digits_n == 0 && strchr(text, '.') != NULL))
        return -EINVAL;
    if (hz > INT64_MAX / 1000 - 1)
        return -ERANGE;
    if (kilo)
        hz *= 1000;
    for (size_t i = 0; i < digits_n; i++, unit /= 10)
        hz += (uint64_t)(digits[i] - '0') * unit;
    if ((int64_t)hz < min || (int64_t)hz > max)
        return -ERANGE;
    *ret = (int64_t)hz;
    return 0;
}

int st_number_double(const char *text, double *ret)
{
    char *end;
    if (text[strspn(text, "+-.0123456789eE")] != '\0')
        return -EINVAL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0')
        return -EINVAL;
    if (!isfinite(value))
        return -ERANGE;
    *ret = value;
    return 0;
}
