/* The clocksource: what a look at the clock costs. */
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define CURRENT   "linux.clocksource.current"
#define AVAILABLE "linux.clocksource.available"
#define CONFIG_HZ "linux.config.HZ"

#define HZ_MAX 10000

/** Read in place, by the CPU. */
static const char *const fast[] = {
    "tsc",      "tsc-early",        "kvm-clock",         "hyperv_clocksource_tsc_page",
    "timebase", "arch_sys_counter", "riscv_clocksource", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/** The best of those that are read without a system call; the kernel lists them from best to worst. */
static bool best_fast(const char *available, char *ret, size_t bytes)
{
    for (const char *at = available; *at != '\0';) {
        const size_t len = strcspn(at, " \n");
        snprintf(ret, bytes, "%.*s", (int)len, at);
        if (len < bytes && is_one_of(ret, fast) && strcmp(ret, "tsc-early") != 0)
            return true;
        at += len;
        at += strspn(at, " \n");
    }
    return false;
}

/** The boot option goes with the TSC; what keeps a hypervisor's own clock away has to be taken away. */
static void fix_slow(const char *best, bool chosen, struct st_finding *finding)
{
    char now[128];
    snprintf(now, sizeof(now),
             "echo %s | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource", best);
    st_finding_fix(finding, now,
                   chosen ? "# remove clocksource= from the kernel command line: /etc/default/grub and "
                            "/etc/default/grub.d, then\nsudo update-grub"
                   : strcmp(best, "tsc") == 0 ? finding->rule->guide.persistent
                                              : NULL,
                   ST_NEEDS_NOTHING);
}

static void judge_slow(const struct st_facts *facts, const char *current, struct st_finding *finding)
{
    const char *available;
    char option[32], best[40];
    st_finding_quote(finding, facts, ST_MACHINE_CMDLINE);
    if (st_finding_need_text(finding, facts, AVAILABLE, &available) != 0) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "the clock is %s, so each look at it is a slow read and a system call", current);
    } else if (!best_fast(available, best, sizeof(best))) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "the clock is %s, as the kernel does not offer the TSC: do not force it, see 'dmesg | "
                       "grep -i tsc' "
                       "for why",
                       current);
    } else {
        const bool chosen = st_machine_boot_option(facts, "clocksource", option, sizeof(option)) == 0;
        st_finding_set(finding, ST_STATUS_ADVICE, "the clock is %s although %s is available%s", current, best,
                       chosen ? ": clocksource= is on the kernel command line" : "");
        fix_slow(best, chosen, finding);
    }
}

static void judge_jiffies(const struct st_facts *facts, struct st_finding *finding)
{
    int64_t hz;
    st_finding_set(finding, ST_STATUS_PROBLEM,
                   "the clock is jiffies: it moves once a tick, and high-resolution timers cannot run");
    st_finding_quote(finding, facts, CONFIG_HZ);
    if (st_facts_int(facts, CONFIG_HZ, &hz) == 0 && hz >= 1 && hz <= HZ_MAX)
        st_finding_effect(finding, 1e6 / (double)hz, "one tick: 1 / HZ %d = %.0f µs", (int)hz,
                          1e6 / (double)hz);
    st_finding_fix(finding, NULL, "# see why there is no other clock:\nsudo dmesg | grep -i clocksource",
                   ST_NEEDS_REBOOT);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "pit", "hyperv_clocksource_msr", NULL};
    const char *current;
    (void)wish;
    if (st_finding_need_text(finding, facts, CURRENT, &current) != 0)
        return;
    if (strcmp(current, "jiffies") == 0 || strcmp(current, "refined-jiffies") == 0) {
        judge_jiffies(facts, finding);
    } else if (is_one_of(current, slow)) {
        judge_slow(facts, current, finding);
    } else if (strcmp(current, "xen") == 0) {
        st_finding_set(finding, ST_STATUS_OK, "the clock is xen, the hypervisor's own");
    } else if (is_one_of(current, fast)) {
        st_finding_set(finding, ST_STATUS_OK, "the clock is %s, which is read without a system call",
                       current);
        st_finding_effect(finding, 0, "%s: no slow hardware and no system call in a clock read", current);
    } else {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "the clock is %.40s, which this rule does not know; 'sleeptune measure' prints what a read costs",
            current);
    }
}

const struct st_rule st_rule_linux_clocksource = {
    .id = "linux-clocksource",
    .os = ST_OS_LINUX,
    .title = "Clocksource: the cost of a clock read",
    .mechanism = "A program looks at the clock several times in each cycle. With tsc, kvm-clock and the like "
                 "it reads it in "
                 "place; with hpet or acpi_pm each look is a system call and a read of a slow chip, about a "
                 "microsecond "
                 "or more.",
    .privilege = "root",
    .cost = "none, when the kernel offers the TSC",
    .when_not = "the kernel has marked the TSC unstable: it had a reason. Never add tsc=reliable on a guess.",
    .sources = "kernel-parameters (clocksource=, tsc=); Linux kernel/time/clocksource.c\n"
               "cost of a read: 'sleeptune measure' prints it for this machine",
    .guide =
        {
            .now = "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
            .persistent = ST_MACHINE_FIX_BOOT_OPTION("clocksource=tsc"),
            .needs = ST_NEEDS_NOTHING,
            .check = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource   # tsc; "
                     "kvm-clock or the like in a guest\n"
                     "sudo dmesg | grep -i clocksource   # not \"unstable\"",
            .undo = ST_MACHINE_UNDO_BOOT_OPTION("clocksource=tsc"),
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){CURRENT, AVAILABLE, CONFIG_HZ, ST_MACHINE_CMDLINE, NULL},
    .judge = judge,
};
