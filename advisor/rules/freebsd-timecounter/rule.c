/* kern.timecounter.hardware: what a look at the clock costs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define HARDWARE "freebsd.kern.timecounter.hardware"
#define CHOICE   "freebsd.kern.timecounter.choice"
#define FAST     "freebsd.kern.timecounter.fast_gettime"

#define NOW(name)  "sysctl kern.timecounter.hardware=" name
#define EVER(name) "# /etc/sysctl.conf\nkern.timecounter.hardware=" name

/** The best TSC in kern.timecounter.choice: "TSC-low(1000) HPET(950) ..." */
struct tsc {
    bool found;
    char name[24];
    int quality;
};

static struct tsc find_tsc(const char *choice)
{
    struct tsc best = {0};
    for (const char *at = choice; (at = strstr(at, "TSC")) != NULL; at++) {
        struct tsc one = {.found = true};
        if (at != choice && at[-1] != ' ')
            continue;
        if (sscanf(at, "%23[A-Za-z0-9-](%9d)", one.name, &one.quality) == 2 &&
            (!best.found || one.quality > best.quality))
            best = one;
    }
    return best;
}

static bool has_prefix(const char *text, const char *const *prefixes)
{
    for (size_t i = 0; prefixes[i] != NULL; i++) {
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

/** A slow counter is in use: is there a better one that the kernel trusts? */
static void judge_slow(const struct st_facts *facts, const char *hardware, struct st_finding *finding)
{
    char now[96], persistent[128];
    const char *choice;
    st_finding_quote(finding, facts, CHOICE);
    if (st_facts_text(facts, CHOICE, &choice) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the clock is %s, which is slow to read; whether there is a better one is not known",
                       hardware);
        return;
    }
    const struct tsc tsc = find_tsc(choice);
    if (!tsc.found) {
        st_finding_set(finding, ST_STATUS_OK, "the clock is %s, slow to read; this machine offers no TSC",
                       hardware);
    } else if (tsc.quality <= 0) {
        st_finding_set(
            finding, ST_STATUS_OK,
            "the clock is %s, slow to read; leave it, as the kernel does not trust the TSC here (quality %d)",
            hardware, tsc.quality);
    } else {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "the clock is %s, so each look at it reads slow hardware; %s (quality %d) is the better choice",
            hardware, tsc.name, tsc.quality);
        snprintf(now, sizeof(now), NOW("%s"), tsc.name);
        snprintf(persistent, sizeof(persistent), EVER("%s"), tsc.name);
        st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kern.timecounter.hardware", tsc.name);
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    static const char *const fast_clocks[] = {"TSC", "kvmclock", "Hyper-V-TSC", "ARM MPCore", "RISC-V", NULL};
    static const char *const slow_clocks[] = {"HPET", "ACPI-", "i8254", "dummy", NULL};
    const char *hardware;
    int64_t fast;
    (void)wish;
    if (st_finding_need_text(finding, facts, HARDWARE, &hardware) != 0)
        return;
    if (has_prefix(hardware, slow_clocks)) {
        judge_slow(facts, hardware, finding);
        return;
    }
    if (!has_prefix(hardware, fast_clocks)) {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "the clock is %.40s, which this rule does not know; 'sleeptune measure' prints what a read costs",
            hardware);
        return;
    }
    st_finding_quote(finding, facts, FAST);
    const int r = st_facts_int(facts, FAST, &fast);
    if (r == 0 && fast == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "the clock is %s, a fast one; freebsd-fast-gettime is about how it is "
                       "reached",
                       hardware);
    } else if (r != 0 && r != -ENOENT) {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "the clock is %s; whether programs read it without a system call (fast_gettime) is not known",
            hardware);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "the clock is %s, which is read without a system call",
                       hardware);
        st_finding_effect(finding, 0, "%s: no slow hardware and no system call in a clock read", hardware);
    }
}

const struct st_rule st_rule_freebsd_timecounter = {
    .id = "freebsd-timecounter",
    .os = ST_OS_FREEBSD,
    .title = "Timecounter: the cost of a clock read",
    .mechanism =
        "A program looks at the clock several times in each cycle. The CPU's own counter (TSC) is read in "
        "place; HPET, ACPI and i8254 are chips behind a bus, and every read of them may take about a "
        "microsecond or more.",
    .privilege = "root",
    .cost = "none, when the kernel gives the TSC a positive quality",
    .when_not = "a TSC of negative quality: the kernel found it out of step between CPUs. Never force it.",
    .sources =
        "timecounters(4); FreeBSD sys/kern/kern_tc.c (quality, fast_gettime), sys/dev/acpica/acpi_hpet.c\n"
        "cost of a read: not measured on FreeBSD; 'sleeptune measure' prints it for this machine",
    .guide =
        {
            .now = NOW("TSC-low"),
            .persistent = EVER("TSC-low"),
            .needs = ST_NEEDS_NOTHING,
            .check =
                "sysctl kern.timecounter.choice   # TSC-low with a number above 0: the kernel trusts it\n"
                "sysctl kern.timecounter.hardware",
            .undo = "take the line out of /etc/sysctl.conf and restart: the kernel chooses by itself",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){HARDWARE, CHOICE, FAST, NULL},
    .targets = (const char *const[]){"kern.timecounter.hardware", NULL},
    .judge = judge,
};
