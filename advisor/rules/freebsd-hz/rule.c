/* kern.hz: what it does, and what it does not do any more. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/tick.h"

#define HZ        "freebsd.kern.hz"
#define PERIODIC  "freebsd.kern.eventtimer.periodic"
#define GUEST     "freebsd.kern.vm_guest"
#define DEVIATION "freebsd.kern.timecounter.alloweddeviation"
#define PRECISE   "freebsd.kern.timecounter.nanosleep_precise"

#define HZ_USUAL 1000

/** What the coarse clock adds where it starts the sleep, in us; 0: it does not. It moves once a tick, and not
 * more often than 1000 times a second. */
static double coarse_us(const struct st_facts *facts, const struct st_wish *wish, int64_t hz)
{
    int64_t percent;
    struct st_tick_late late;
    if (st_machine_int_or(facts, PRECISE, 0) == 1 || st_facts_int(facts, DEVIATION, &percent) != 0 ||
        st_tick_late(percent, hz, st_period_seconds(&wish->period) * 1e9, &late) != 0)
        return 0;
    return late.coarse_ns / 1e3;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t hz, periodic;
    if (st_finding_need_int(finding, facts, HZ, &hz) != 0)
        return;
    if (hz < 1) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "kern.hz is %" PRId64 ", which cannot be", hz);
        return;
    }
    st_finding_quote(finding, facts, PERIODIC);
    st_finding_quote(finding, facts, GUEST);
    const double tick_us = 1e6 / (double)hz;
    if (st_facts_int(facts, PERIODIC, &periodic) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "kern.hz is %" PRId64
                       "; whether sleeps depend on it is not known, as kern.eventtimer.periodic "
                       "could not be read",
                       hz);
        return;
    }
    if (periodic != 0 && hz < HZ_USUAL) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "kern.hz is %" PRId64
                       " and the event timer is periodic, so sleeps are rounded by it; the µs are "
                       "counted in freebsd-eventtimer",
                       hz);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_LOADER, "kern.hz", "1000");
        return;
    }
    if (periodic != 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "kern.hz is %" PRId64 "; see freebsd-eventtimer for the periodic timer", hz);
        st_finding_effect(finding, 0, "its µs are counted in freebsd-eventtimer");
        return;
    }
    if (st_machine_int_or(facts, PRECISE, 0) != 1 &&
        (st_machine_is_unread(facts, PRECISE) || st_machine_is_unread(facts, DEVIATION))) {
        st_finding_quote(finding, facts, DEVIATION);
        st_finding_quote(finding, facts, PRECISE);
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "kern.hz is %" PRId64
                       "; whether its coarse clock starts sleeps is not known, as alloweddeviation or "
                       "nanosleep_precise could not be read",
                       hz);
        return;
    }
    const double added_us = coarse_us(facts, wish, hz);
    if (added_us > 0) {
        st_finding_quote(finding, facts, DEVIATION);
        st_finding_set(finding, ST_STATUS_OK,
                       "kern.hz %" PRId64
                       " sets the coarse clock that starts long sleeps; its µs are counted in "
                       "freebsd-alloweddeviation",
                       hz);
        st_finding_effect(finding, 0, "%.0f µs of coarse clock, counted there", added_us);
        return;
    }
    if (hz < HZ_USUAL)
        st_finding_set(finding, ST_STATUS_OK,
                       "kern.hz %" PRId64
                       " does not touch this loop; POSIX timers (timer_settime) may be up to two "
                       "ticks, %.0f ms, late",
                       hz, 2 * tick_us / 1e3);
    else
        st_finding_set(finding, ST_STATUS_OK, "kern.hz %" PRId64 " does not touch this loop", hz);
    st_finding_effect(finding, 0, "one-shot event timer: sleeps do not wait for the tick of %.0f µs",
                      tick_us);
}

const struct st_rule st_rule_freebsd_hz = {
    .id = "freebsd-hz",
    .os = ST_OS_FREEBSD,
    .title = "Timer ticks (kern.hz)",
    .mechanism =
        "With a one-shot event timer, the default, sleeps do not depend on kern.hz. It matters with a "
        "periodic event timer, for POSIX timers, which round up to ticks, and for where long sleeps start to "
        "use "
        "the coarse clock (freebsd-alloweddeviation).",
    .privilege = "root",
    .cost = "power: more clock interrupts",
    .when_not = "with a one-shot event timer, the default; above 2000 there were reports of larger sleep "
                "errors (2009)",
    .sources = "FreeBSD sys/kern/kern_clocksource.c, sys/kern/kern_tc.c\n"
               "measured on 13.2 at hz 100 and 1000: the same lateness of clock_nanosleep; a POSIX timer of "
               "2.667 ms "
               "was 17.3 ms late at hz 100\n"
               "default 100 in virtual machines: seen in captures of 13.2 and 15.1",
    .guide =
        {
            .persistent = "# /boot/loader.conf\nkern.hz=\"1000\"",
            .needs = ST_NEEDS_REBOOT,
            .check = "sysctl kern.hz   # 1000",
            .undo = "take the line out of /boot/loader.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){HZ, PERIODIC, GUEST, DEVIATION, PRECISE, NULL},
    .judge = judge,
};
