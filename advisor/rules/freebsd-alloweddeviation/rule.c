/* kern.timecounter.alloweddeviation: how much the kernel may stretch a sleep. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/tick.h"

#define DEVIATION "freebsd.kern.timecounter.alloweddeviation"
#define PRECISE   "freebsd.kern.timecounter.nanosleep_precise"
#define HZ        "freebsd.kern.hz"
#define PERIODIC  "freebsd.kern.eventtimer.periodic"
#define OSRELDATE "freebsd.kern.osreldate"

/** Kernels from here on have nanosleep_precise (15.0; early 15-CURRENT had the number without the sysctl). */
#define OSRELDATE_PRECISE 1500000

/** More than this share of the period: the loop cannot do its work in time. A choice of this rule. */
#define PROBLEM_SHARE 0.25

enum nanosleep { NANOSLEEP_STRETCHED, NANOSLEEP_PRECISE, NANOSLEEP_UNKNOWN };

/** Does clock_nanosleep obey alloweddeviation here? The sysctl is trusted over the version. Sets the finding
 * when unknown. */
static enum nanosleep nanosleep_kind(const struct st_facts *facts, struct st_finding *finding)
{
    int64_t value;
    const struct st_fact *fact = st_facts_find(facts, PRECISE);
    if (fact != NULL && fact->state != ST_FACT_ABSENT) {
        if (st_finding_need_int(finding, facts, PRECISE, &value) != 0)
            return NANOSLEEP_UNKNOWN;
        if (value == 0 || value == 1)
            return value == 1 ? NANOSLEEP_PRECISE : NANOSLEEP_STRETCHED;
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "kern.timecounter.nanosleep_precise is %" PRId64 ", which is neither 0 nor 1", value);
        return NANOSLEEP_UNKNOWN;
    }
    st_finding_quote(finding, facts, OSRELDATE);
    if (st_facts_int(facts, OSRELDATE, &value) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "neither kern.osreldate nor nanosleep_precise is known, and from FreeBSD 15.0 on this "
                       "setting may not matter");
        return NANOSLEEP_UNKNOWN;
    }
    if (value < OSRELDATE_PRECISE)
        return NANOSLEEP_STRETCHED;
    st_finding_set(
        finding, ST_STATUS_UNKNOWN,
        "FreeBSD 15 has kern.timecounter.nanosleep_precise, which decides here, but it was not read");
    return NANOSLEEP_UNKNOWN;
}

/** The lateness of one whole period. false: hz is not known and matters; then the finding is set. */
static bool lateness(const struct st_facts *facts, const struct st_wish *wish, int64_t percent,
                     struct st_finding *finding, struct st_tick_late *ret)
{
    int64_t hz;
    const double period_ns = st_period_seconds(&wish->period) * 1e9;
    st_finding_quote(finding, facts, HZ);
    if (st_facts_int(facts, HZ, &hz) == 0 && st_tick_late(percent, hz, period_ns, ret) == 0)
        return true;
    if (st_tick_late(percent, ST_TICK_HZ_WORST, period_ns, ret) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "kern.timecounter.alloweddeviation is %" PRId64 ", which is not understood", percent);
        return false;
    }
    if (ret->coarse_ns > 0) {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "sleeps may end %.1f µs late or a clock tick more: kern.hz, which decides, is not known",
            ret->slop_ns / 1e3);
        return false;
    }
    return true;
}

static void fix(struct st_finding *finding)
{
    st_finding_fix_usual(finding);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "kern.timecounter.alloweddeviation", "0");
}

static void judge_stretched(const struct st_wish *wish, int64_t percent, const struct st_tick_late *late,
                            struct st_finding *finding)
{
    const double period_us = st_period_seconds(&wish->period) * 1e6;
    const double max_us = late->max_ns / 1e3;
    if (percent <= 0) {
        st_finding_set(finding, ST_STATUS_OK, "alloweddeviation is %" PRId64 ": sleeps are not stretched",
                       percent);
        st_finding_effect(finding, 0, "E = 31: %.1f µs / 2^31 is less than 1 ns", period_us);
        return;
    }
    const enum st_status status = max_us >= PROBLEM_SHARE * period_us ? ST_STATUS_PROBLEM : ST_STATUS_ADVICE;
    if (late->coarse_ns > 0) {
        st_finding_set(finding, status,
                       "alloweddeviation %" PRId64
                       " makes each sleep of %.1f µs up to %.1f µs late, a clock tick "
                       "included; 0 removes it",
                       percent, period_us, max_us);
        st_finding_effect(
            finding, max_us,
            "E = %d: %.1f / 2^%d = %.1f µs, and %.1f µs of coarse clock, as the sleep is not shorter "
            "than %.1f ms",
            late->shift, period_us, late->shift, late->slop_ns / 1e3, late->coarse_ns / 1e3,
            late->threshold_ns / 1e6);
    } else {
        st_finding_set(finding, status,
                       "alloweddeviation %" PRId64
                       " makes each sleep up to %.1f µs late (a loop settles at %.0f µs "
                       "over its base); 0 removes it",
                       percent, max_us, late->settled_ns / 1e3);
        st_finding_effect(finding, max_us,
                          "E = %d: %.1f / 2^%d = %.1f µs; on absolute deadlines %.1f / (1 + 2^-%d) = %.1f µs",
                          late->shift, period_us, late->shift, max_us, max_us, late->shift,
                          late->settled_ns / 1e3);
    }
    fix(finding);
}

/** A periodic timer ends a sleep at its first interrupt after the time, so that the window adds nothing;
 * where the coarse clock starts the sleep, that does. */
static void judge_periodic(const struct st_wish *wish, int64_t percent, const struct st_tick_late *late,
                           struct st_finding *finding)
{
    const double period_us = st_period_seconds(&wish->period) * 1e6, coarse_us = late->coarse_ns / 1e3;
    if (coarse_us <= 0) {
        st_finding_set(
            finding, ST_STATUS_OK,
            "alloweddeviation %" PRId64
            " adds nothing to the ticks of the periodic event timer, which freebsd-eventtimer counts",
            percent);
        st_finding_effect(finding, 0, "periodic = 1: a sleep ends at the first interrupt after its time");
        return;
    }
    st_finding_set(finding, coarse_us >= PROBLEM_SHARE * period_us ? ST_STATUS_PROBLEM : ST_STATUS_ADVICE,
                   "alloweddeviation %" PRId64
                   " lets the coarse clock start each sleep of %.1f µs: up to %.1f µs late; 0 removes it",
                   percent, period_us, coarse_us);
    st_finding_effect(finding, coarse_us, "%.1f µs of coarse clock, as the sleep is not shorter than %.1f ms",
                      coarse_us, late->threshold_ns / 1e6);
    fix(finding);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t percent;
    struct st_tick_late late;
    if (st_finding_need_int(finding, facts, DEVIATION, &percent) != 0)
        return;
    const enum nanosleep kind = nanosleep_kind(facts, finding);
    if (kind == NANOSLEEP_UNKNOWN || !lateness(facts, wish, percent, finding, &late))
        return;
    if (kind == NANOSLEEP_STRETCHED && percent > 0 && st_machine_int_or(facts, PERIODIC, 0) != 0) {
        st_finding_quote(finding, facts, PERIODIC);
        judge_periodic(wish, percent, &late, finding);
        return;
    }
    if (kind == NANOSLEEP_STRETCHED) {
        judge_stretched(wish, percent, &late, finding);
        return;
    }
    if (percent <= 0)
        st_finding_set(finding, ST_STATUS_OK,
                       "this kernel's clock_nanosleep is exact, and alloweddeviation %" PRId64
                       " keeps other waits exact too",
                       percent);
    else
        st_finding_set(finding, ST_STATUS_OK,
                       "alloweddeviation %" PRId64
                       " does not touch this loop, as clock_nanosleep is exact here; only programs "
                       "that wait in poll, select or kevent may be up to %.1f µs late",
                       percent, late.max_ns / 1e3);
    st_finding_effect(finding, 0, "nanosleep_precise = 1: clock_nanosleep ignores alloweddeviation");
}

const struct st_rule st_rule_freebsd_alloweddeviation = {
    .id = "freebsd-alloweddeviation",
    .os = ST_OS_FREEBSD,
    .title = "Stretched sleeps (kern.timecounter.alloweddeviation)",
    .mechanism =
        "To save wake-ups the kernel lets a sleep end anywhere in a window that grows with the time still to "
        "sleep, and an idle CPU uses the late edge of it. Real-time priority does not cancel this; up to "
        "FreeBSD 14 it holds for nanosleep, clock_nanosleep and usleep, on all versions for poll, select "
        "and kevent.",
    .privilege = "root",
    .cost = "power: timers that are close together no longer share one wake-up",
    .when_not = "laptops on battery, when nobody makes music. A program can do without it: timed waits on a "
                "condition "
                "variable or a semaphore and kqueue timers (EVFILT_TIMER) are exact at any value.",
    .sources = "FreeBSD sys/kern/kern_tc.c tc_adjprecision(), sys/kern/kern_time.c kern_clock_nanosleep()\n"
               "periodic timers: sys/kern/kern_clocksource.c handleevents(), nextcallopt\n"
               "nanosleep(2) of FreeBSD 15 (kern.timecounter.nanosleep_precise), commit 626ea75ed2e9\n"
               "measured on 13.2 and 15.1 kernels: the settled lateness agrees to 0.5 µs at 1.3 to 10 ms\n"
               "that a quarter of the period is a problem: sleeptune's own line",
    .history = "11.1: clock_nanosleep and nanosleep are stretched on all clocks (sys/kern/kern_time.c of "
               "11.1 to 14)\n"
               "15.0: no longer on the plain clocks, unless nanosleep_precise is 0; poll, select, kevent and "
               "the _FAST clocks still are (nanosleep(2) of May 2025, commit 626ea75ed2e9)",
    .guide =
        {
            .now = "sysctl kern.timecounter.alloweddeviation=0",
            .persistent = "# /etc/sysctl.conf\nkern.timecounter.alloweddeviation=0",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kern.timecounter.alloweddeviation   # 0",
            .undo = "take the line out of /etc/sysctl.conf; sysctl kern.timecounter.alloweddeviation=5, the "
                    "default, for now",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){DEVIATION, PRECISE, PERIODIC, HZ, OSRELDATE, NULL},
    .targets = (const char *const[]){"kern.timecounter.alloweddeviation", NULL},
    .judge = judge,
};
