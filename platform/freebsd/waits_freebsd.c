/* The ways of sleeping that `report --measure` compares on FreeBSD. What is stretched by
 * kern.timecounter.alloweddeviation: measured on 13.2 and 15.1, or read in sys/kern (kern_time.c,
 * kern_umtx.c). From 15.0 on kern.timecounter.nanosleep_precise exempts nanosleep and clock_nanosleep on
 * plain clocks.
 */
#include "platform/freebsd/freebsd.h"
#include "platform/posix/sleep_posix.h"

#define NANOSLEEP "kern_clock_nanosleep: a share of the remaining time"

/* The wait below the thread library's: the one that the cycle loop takes with wait = "precise". */
static int sleep_umtx(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    return s->platform->sleep_until_precise_ns(s->platform, s->due_ns);
}

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)},
#if ST_HAVE_TIMERFD
    {ST_SLEEP_TIMERFD_ABSOLUTE(" (FreeBSD 14)"), ST_STRETCHED(UNKNOWN, NULL)},
#else
    ST_SLEEP_ABSENT("timerfd-abs", "FreeBSD has timerfd from 14.0 on"),
#endif
    {
        .name = "umtx",
        .summary = "_umtx_op on a word that nobody wakes",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, "kern_umtx.c passes precision 0"),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = sleep_umtx,
    },
};

const struct st_sleep_method *st_freebsd_sleep_method(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}
