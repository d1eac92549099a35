/* The arithmetic of FreeBSD's kernel for imprecise sleeps. */
#include "core/tick.h"

#define SHIFT_EXACT   31
#define SINGLEMUL_MAX 20
#define STATHZ        127 /* usual rate of the statistics clock (kern.clockrate) */

int64_t st_tick_singlemul(int64_t hz, int64_t singlemul)
{
    int64_t mul = ST_MIN(ST_MAX(singlemul, 1), SINGLEMUL_MAX);
    /* as setuptimer() does, which raises the rate until it is enough for statclock() */
    while (hz * mul < STATHZ)
        mul++;
    return mul;
}

int st_tick_shift(int64_t percent)
{
    if (percent <= 0)
        return SHIFT_EXACT;
    const int64_t t = (99 + percent) / percent;
    int shift = -1;
    for (int64_t rest = t + (t >> 1); rest > 0; rest >>= 1)
        shift++;
    return shift;
}

int st_tick_late(int64_t percent, int64_t hz, double sleep_ns, struct st_tick_late *ret)
{
    if (percent < INT32_MIN || percent > INT32_MAX || hz < 1 || hz > ST_TICK_HZ_MAX ||
        !(sleep_ns > 0))
        return -ERANGE;
    /* The kernel updates the timecounter every tc_tick ticks, which is about once a millisecond at
     * most. */
    const int64_t tc_tick = hz <= 1000 ? 1 : (hz + 500) / 1000;
    const double coarse_ns = (double)tc_tick / (double)hz * 1e9;
    struct st_tick_late late = {.shift = st_tick_shift(percent)};
    late.threshold_ns = percent > 0 ? ldexp(coarse_ns, late.shift) : (double)INFINITY;
    late.slop_ns = ldexp(sleep_ns, -late.shift);
    late.coarse_ns = sleep_ns >= late.threshold_ns ? coarse_ns : 0;
    late.max_ns = late.slop_ns + late.coarse_ns;
    late.settled_ns = late.slop_ns / (1 + ldexp(1, -late.shift));
    *ret = late;
    return 0;
}
