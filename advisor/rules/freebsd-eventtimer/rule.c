/* kern.eventtimer: does the hardware wake us when asked, or at each tick? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define PERIODIC  "freebsd.kern.eventtimer.periodic"
#define TIMER     "freebsd.kern.eventtimer.timer"
#define CHOICE    "freebsd.kern.eventtimer.choice"
#define SINGLEMUL "freebsd.kern.eventtimer.singlemul"
#define HZ        "freebsd.kern.hz"
#define CPUS      "freebsd.kern.smp.cpus"
#define ET_PREFIX "freebsd.kern.eventtimer.et."
#define ET_SUFFIX ".flags"

#define NAME_MAX_BYTES  32
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* sys/sys/timeet.h */
#define ET_ONESHOT 0x02
#define ET_PERCPU  0x04
#define ET_C3STOP  0x08

#define SINGLEMUL_MAX 20 /* setuptimer() clamps to 1 .. 20 */
#define HZ_MAX        1000000
#define STATHZ        127 /* kern.clockrate's, the usual value */

/** A timer that can do one-shot on each CPU by itself. */
static void find_alternative(void *ctx, const struct st_fact *fact)
{
    char *name = ctx;
    const size_t prefix = strlen(ET_PREFIX), len = strlen(fact->key) - prefix - strlen(ET_SUFFIX);
    if (name[0] != '\0' || fact->state != ST_FACT_OK || !fact->is_int || len >= NAME_MAX_BYTES ||
        (fact->i64 & (ET_ONESHOT | ET_PERCPU)) != (ET_ONESHOT | ET_PERCPU))
        return;
    /* it becomes part of a command that people paste, and a capture may come from anybody */
    if (strspn(fact->key + prefix, NAME_CHARACTERS) != len)
        return;
    memcpy(name, fact->key + prefix, len);
    name[len] = '\0';
}

static void fix_timer(struct st_finding *finding, const char *name)
{
    char now[96], persistent[96];
    snprintf(now, sizeof(now), "sysctl kern.eventtimer.timer=%s", name);
    snprintf(persistent, sizeof(persistent), "# /etc/sysctl.conf\nkern.eventtimer.timer=%s", name);
    st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "kern.eventtimer.timer", name);
}

static void judge_periodic(const struct st_facts *facts, const struct st_wish *wish, int64_t flags,
                           struct st_finding *finding)
{
    int64_t hz, mul;
    const double period_us = st_period_seconds(&wish->period) * 1e6;
    if (st_finding_need_int(finding, facts, HZ, &hz) != 0 ||
        st_finding_need_int(finding, facts, SINGLEMUL, &mul) != 0) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "the event timer is periodic, so each sleep waits for the next tick; how long, is not known");
    } else if (hz < 1 || hz > HZ_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "kern.hz is %" PRId64 ", which cannot be", hz);
        return;
    } else {
        mul = mul < 1 ? 1 : mul > SINGLEMUL_MAX ? SINGLEMUL_MAX : mul;
        while (hz * mul < STATHZ) /* setuptimer() adds hz until it is enough for statclock() */
            mul++;
        const double tick_us = 1e6 / ((double)hz * (double)mul);
        st_finding_set(finding, tick_us >= period_us / 2 ? ST_STATUS_PROBLEM : ST_STATUS_ADVICE,
                       "the event timer is periodic: each sleep waits for the next tick, up to %.0f µs",
                       tick_us);
        st_finding_effect(finding, tick_us, "1 / (hz %" PRId64 " * singlemul %" PRId64 ") = %.1f µs", hz, mul,
                          tick_us);
    }
    char other[NAME_MAX_BYTES] = "";
    st_facts_each(facts, ET_PREFIX, ET_SUFFIX, find_alternative, other);
    if (flags < 0 || (flags & ET_ONESHOT) != 0) {
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kern.eventtimer.periodic", "0");
    } else if (other[0] != '\0') {
        fix_timer(finding, other);
    }
}

/** Flags of the current timer, -1 when they cannot be read. */
static int64_t timer_flags(const struct st_facts *facts, struct st_finding *finding, const char *timer)
{
    char key[128];
    int64_t flags;
    if (timer == NULL || strlen(timer) >= NAME_MAX_BYTES)
        return -1;
    snprintf(key, sizeof(key), ET_PREFIX "%s" ET_SUFFIX, timer);
    st_finding_quote(finding, facts, key);
    return st_facts_int(facts, key, &flags) == 0 && flags >= 0 ? flags : -1;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t periodic;
    const char *timer;
    if (st_finding_need_int(finding, facts, PERIODIC, &periodic) != 0)
        return;
    st_finding_quote(finding, facts, TIMER);
    st_finding_quote(finding, facts, CHOICE);
    if (st_facts_text(facts, TIMER, &timer) != 0)
        timer = NULL;
    const int64_t flags = timer_flags(facts, finding, timer);
    if (periodic != 0) {
        judge_periodic(facts, wish, flags, finding);
        return;
    }
    st_finding_quote(finding, facts, CPUS);
    const int64_t cpus = st_machine_int_or(facts, CPUS, 1);
    char other[NAME_MAX_BYTES] = "";
    st_facts_each(facts, ET_PREFIX, ET_SUFFIX, find_alternative, other);
    if (flags >= 0 && (flags & ET_PERCPU) == 0 && cpus > 1 && other[0] != '\0') {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "%" PRId64
                       " CPUs share the event timer %s, so a wake-up may take a detour over another CPU; %s "
                       "is one for each CPU",
                       cpus, timer, other);
        fix_timer(finding, other);
        return;
    }
    if (flags < 0 && cpus > 1) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the event timer is in one-shot mode; whether %" PRId64 " CPUs share it is not known",
                       cpus);
        return;
    }
    if (flags < 0)
        st_finding_set(finding, ST_STATUS_OK,
                       "the event timer is in one-shot mode: sleeps do not wait for a tick");
    else if ((flags & ET_C3STOP) != 0)
        st_finding_set(
            finding, ST_STATUS_OK,
            "%s is in one-shot mode; it stops in C3, so the kernel keeps the CPUs out of C3: power, not "
            "lateness",
            timer);
    else
        st_finding_set(finding, ST_STATUS_OK, "%s is in one-shot mode: sleeps do not wait for a tick", timer);
    st_finding_effect(finding, 0, "periodic = 0: the timer is set for the end of each sleep");
}

const struct st_rule st_rule_freebsd_eventtimer = {
    .id = "freebsd-eventtimer",
    .os = ST_OS_FREEBSD,
    .title = "Event timer mode (kern.eventtimer)",
    .mechanism =
        "In one-shot mode the kernel sets the event timer for the end of the next sleep. In periodic mode it "
        "looks at its timers only at each of hz * singlemul interrupts a second, so every sleep is rounded "
        "up "
        "to the next one.",
    .privilege = "root",
    .cost = "none: one-shot is the default and saves power",
    .when_not = "hardware whose one-shot timers are broken; then raise kern.eventtimer.singlemul instead",
    .sources = "eventtimers(4)\n"
               "FreeBSD sys/kern/kern_clocksource.c setuptimer(), handleevents(); sys/sys/timeet.h (flags)\n"
               "that a tick of half the period is a problem: sleeptune's own line; stathz is taken as 127",
    .guide =
        {
            .now = "sysctl kern.eventtimer.periodic=0",
            .persistent = "# /etc/sysctl.conf, and no kern.eventtimer.periodic in /boot/loader.conf\n"
                          "kern.eventtimer.periodic=0",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kern.eventtimer.periodic kern.eventtimer.timer   # 0, and a timer for each CPU "
                     "such as LAPIC",
            .undo =
                "take the line out of /etc/sysctl.conf. 0 is the default, so there is nothing else to undo",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){PERIODIC, TIMER, CHOICE, SINGLEMUL, HZ, CPUS, ET_PREFIX "*", NULL},
    .targets = (const char *const[]){"kern.eventtimer.timer", "kern.eventtimer.periodic", NULL},
    .judge = judge,
};
