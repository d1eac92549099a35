#include "core/period.h"

#include "core/mul_div.h"

#define FRAMES_MAX    (UINT32_C(1) << 22)
#define RATE_MAX_HZ   (UINT32_C(1) << 22)
#define PERIOD_MAX_NS UINT64_C(3600000000000) /* one hour */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int st_period_init(struct st_period *period, uint32_t frames, uint32_t rate_hz)
{
    if (frames == 0 || frames > FRAMES_MAX || rate_hz == 0 || rate_hz > RATE_MAX_HZ)
        return -ERANGE;
    return st_period_init_ns(period, (uint64_t)frames * UINT64_C(1000000000), rate_hz);
}

int st_period_init_ns(struct st_period *period, uint64_t num_ns, uint64_t den)
{
    if (den == 0 || num_ns < den || (num_ns - 1) / den >= PERIOD_MAX_NS)
        return -ERANGE;
    const uint64_t divisor = greatest_common_divisor(num_ns, den);
    *period = (struct st_period){.num = num_ns / divisor, .den = den / divisor};
    return 0;
}

/* t0 + offset, at most INT64_MAX. __builtin_add_overflow computes the exact sum, also of a signed
 * and an unsigned number. */
static int64_t add_saturating(int64_t t0_ns, uint64_t offset_ns) ST_NONBLOCKING
{
    int64_t due_ns;
    return __builtin_add_overflow(t0_ns, offset_ns, &due_ns) ? INT64_MAX : due_ns;
}

int64_t st_period_due_wide_ns(const struct st_period *period, int64_t t0_ns,
                              uint64_t k) ST_NONBLOCKING
{
    uint64_t offset_ns;
    if (st_mul_div(k, period->num, period->den / 2, period->den, &offset_ns) != 0)
        return INT64_MAX;
    return add_saturating(t0_ns, offset_ns);
}

/* Finds the largest j with due(j) <= now.
 * With d = now - t0 and due(j) - t0 = floor((j * num + h) / den), h = floor(den / 2):
 * due(j) <= now  <=>  j * num + h < (d + 1) * den  <=>  j <= ((d + 1) * den - 1 - h) / num. */
uint64_t st_period_index_at(const struct st_period *period, int64_t t0_ns,
                            int64_t now_ns) ST_NONBLOCKING
{
    if (now_ns < t0_ns)
        return 0;
    const uint64_t elapsed_ns = (uint64_t)now_ns - (uint64_t)t0_ns;
    const uint64_t half_den = period->den / 2;
    uint64_t scaled;
    if (elapsed_ns != UINT64_MAX && !__builtin_mul_overflow(elapsed_ns + 1, period->den, &scaled))
        return (scaled - 1 - half_den) / period->num;
    uint64_t k; /* fits into 64 bits, because num >= den */
    const int r = st_mul_div(elapsed_ns, period->den, period->den - 1 - half_den, period->num, &k);
    return r == 0 ? k : UINT64_MAX;
}

int64_t st_period_ns(const struct st_period *period) ST_NONBLOCKING
{
    return st_period_due_ns(period, 0, 1);
}

double st_period_seconds(const struct st_period *period)
{
    return (double)period->num / (double)period->den / 1e9;
}
