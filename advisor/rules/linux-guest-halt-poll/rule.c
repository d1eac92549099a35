/* Virtual machines: does an idle virtual CPU poll, or is it given back to the host? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define GOVERNOR "linux.cpuidle.governor"
#define POLL     "linux.haltpoll.guest_halt_poll_ns"

#define OPTION  "haltpoll.guest_halt_poll_ns"
#define NOW(ns) "echo " ns " | sudo tee /sys/module/haltpoll/parameters/guest_halt_poll_ns"

/** Below this a whole CPU for polling may be worth it. A choice of this rule. */
#define PERIOD_SHORT_NS INT64_C(1400000)

static void advise(struct st_finding *finding, int64_t poll, const struct st_wish *wish)
{
    char now[160], ever[512];
    const int64_t value = wish->period_ns + wish->period_ns / 4;
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "an idle virtual CPU polls for %" PRId64
                   " µs and is given back to the host then, before the next "
                   "cycle of %" PRId64 " µs",
                   poll / 1000, wish->period_ns / 1000);
    snprintf(now, sizeof(now), NOW("%" PRId64), value);
    snprintf(ever, sizeof(ever), ST_MACHINE_FIX_BOOT_OPTION(OPTION "=%" PRId64), value, value);
    st_finding_fix(finding, now, ever, ST_NEEDS_NOTHING);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t poll;
    const char *governor;
    if (st_finding_need_int(finding, facts, POLL, &poll) != 0)
        return;
    st_finding_quote(finding, facts, ST_MACHINE_VIRTUAL);
    if (!st_machine_is_guest(facts)) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "only for virtual machines, and this is none");
        return;
    }
    if (st_finding_need_text(finding, facts, GOVERNOR, &governor) != 0)
        return;
    if (strcmp(governor, "haltpoll") != 0)
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "the idle governor is %.20s, not haltpoll",
                       governor);
    else if (poll < 0)
        st_finding_set(finding, ST_STATUS_UNKNOWN, "%" PRId64 " ns cannot be", poll);
    else if (poll >= wish->period_ns) {
        st_finding_set(finding, ST_STATUS_OK, "an idle virtual CPU polls through the whole cycle");
        st_finding_effect(finding, 0, "%" PRId64 " ns >= the period: no halt, so no way back from the host",
                          poll);
    } else if (wish->period_ns > PERIOD_SHORT_NS)
        st_finding_set(finding, ST_STATUS_OK,
                       "an idle virtual CPU is given back to the host after %" PRId64
                       " µs; how fast it comes back is "
                       "the host's business",
                       poll / 1000);
    else
        advise(finding, poll, wish);
}

const struct st_rule st_rule_linux_guest_halt_poll = {
    .id = "linux-guest-halt-poll",
    .os = ST_OS_LINUX,
    .title = "Polling of idle virtual CPUs",
    .mechanism =
        "A virtual CPU that is halted has to be woken by the host, which costs more than waking a real one. "
        "The haltpoll governor polls for a while before it halts; only polling that is longer than the sleep "
        "avoids the halt.",
    .privilege = "root",
    .cost = "CPU: an idle virtual CPU takes a whole one of the host's while it polls",
    .when_not = "hosts that are shared; machines on battery",
    .sources =
        "Linux Documentation/virt/guest-halt-polling.rst (default 200000 ns), "
        "drivers/cpuidle/governors/haltpoll.c\n"
        "measured in one KVM guest: idle CPUs kept from halting: median lateness 14.2 µs instead of 24 µs\n"
        "the line of 1.4 ms is sleeptune's own",
    .guide =
        {
            .now = NOW("1700000") "   # more than the period, here 64 frames at 48 kHz",
            .persistent = ST_MACHINE_FIX_BOOT_OPTION(OPTION "=1700000"),
            .needs = ST_NEEDS_NOTHING,
            .check = "cat /sys/devices/system/cpu/cpuidle/current_governor_ro   # haltpoll\n"
                     "cat /sys/module/haltpoll/parameters/guest_halt_poll_ns",
            .undo = ST_MACHINE_UNDO_BOOT_OPTION(OPTION),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){POLL, GOVERNOR, ST_MACHINE_VIRTUAL, NULL},
    .judge = judge,
};
