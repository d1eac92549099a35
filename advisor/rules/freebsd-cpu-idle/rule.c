/* ACPI C-states: how long a CPU takes to come back from the deepest one that it may use. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define CPU           "freebsd.dev.cpu."
#define SUPPORTED     ".cx_supported"
#define LOWEST_SYSCTL "hw.acpi.cpu.cx_lowest"
#define LOWEST        "freebsd." LOWEST_SYSCTL
#define IDLE          "freebsd.machdep.idle"
#define TIMER         "freebsd.kern.eventtimer.timer"
#define ET_PREFIX     "freebsd.kern.eventtimer.et."

#define ET_C3STOP      0x08 /* sys/sys/timeet.h */
#define STATES_MAX     8    /* MAX_CX_STATES */
#define LATENCY_MAX_US 1000000

#define NOW(state) "sysctl hw.acpi.cpu.cx_lowest=" state
#define EVER(state)                                                                                          \
    "# not in sysctl.conf: rc.d/power_profile sets it again\n"                                               \
    "sysrc performance_cx_lowest=\"" state "\"\n"                                                            \
    "# on battery as well:\nsysrc economy_cx_lowest=\"" state "\""

/** What is not worth a word: 20 us, or 2 % of a long period. Choices of this rule. */
#define SMALL_US    20
#define SMALL_SHARE 0.02

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    bool c3_off; /* the event timer stops in C3, so the kernel does not use it */
    double period_us;
    int cpus;
    int unread;
    int64_t worst_us;  /* longest latency in use */
    int worst_state;   /* its number; 0: none */
    int shallow_state; /* deepest state that is small */
};

/** "C2", "Cmax" -> 2, STATES_MAX. 0: not understood. */
static int state_number(const char *text)
{
    if (strcmp(text, "Cmax") == 0)
        return STATES_MAX;
    if (text[0] != 'C' || text[1] < '1' || text[1] > '8' || text[2] != '\0')
        return 0;
    return text[1] - '0';
}

/** How deep this CPU may go: its own cx_lowest, else the machine's. 0: not known. */
static int lowest_of(const struct scan *scan, const char *supported_key)
{
    char key[128];
    const char *text;
    snprintf(key, sizeof(key), "%.*s.cx_lowest", (int)(strlen(supported_key) - strlen(SUPPORTED)),
             supported_key);
    if (st_facts_text(scan->facts, key, &text) == 0) {
        st_finding_quote(scan->finding, scan->facts, key);
        return state_number(text);
    }
    st_finding_quote(scan->finding, scan->facts, LOWEST);
    return st_facts_text(scan->facts, LOWEST, &text) == 0 ? state_number(text) : 0;
}

/** One CPU: "C1/1/1 C2/2/80 C3/3/104", name/type/latency in us. */
static void see_cpu(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    if (fact->state == ST_FACT_ABSENT)
        return;
    scan->cpus++;
    const char *at = fact->state == ST_FACT_OK ? fact->text : "";
    const int lowest = lowest_of(scan, fact->key);
    int number, type, latency_us, used, states = 0;
    while (lowest > 0 && states < STATES_MAX &&
           sscanf(at, "C%1d/%2d/%7d%n", &number, &type, &latency_us, &used) == 3 && latency_us >= 0 &&
           latency_us <= LATENCY_MAX_US) {
        at += used;
        at += strspn(at, " ");
        states++;
        /* acpi_cpu_idle() takes a state only when the sleep is at least three times as long as its latency */
        if (states > lowest || (scan->c3_off && type >= 3) || 3.0 * latency_us > scan->period_us)
            continue;
        if (latency_us <= SMALL_US && states > scan->shallow_state)
            scan->shallow_state = states;
        if (scan->worst_state == 0 || latency_us > scan->worst_us) {
            scan->worst_us = latency_us;
            scan->worst_state = states;
        }
    }
    if (states == 0 || *at != '\0') {
        st_finding_quote(scan->finding, scan->facts, fact->key);
        scan->unread++;
    } else if (scan->cpus == 1) {
        st_finding_quote(scan->finding, scan->facts, fact->key);
    }
}

static bool c3_stops_the_timer(const struct st_facts *facts, struct st_finding *finding)
{
    const char *timer;
    char key[128];
    if (st_facts_text(facts, TIMER, &timer) != 0 || strlen(timer) > 32)
        return false;
    snprintf(key, sizeof(key), ET_PREFIX "%s.flags", timer);
    if ((st_machine_int_or(facts, key, 0) & ET_C3STOP) == 0)
        return false;
    st_finding_quote(finding, facts, key);
    return true;
}

static void judge_states(const struct scan *scan, struct st_finding *finding)
{
    char now[96], persistent[320], state[16];
    const double worst_us = (double)scan->worst_us;
    const char *c3 = scan->c3_off ? "; C3 is not used, as the event timer would stop in it" : "";
    if (worst_us <= SMALL_US || worst_us <= SMALL_SHARE * scan->period_us) {
        st_finding_set(finding, ST_STATUS_OK,
                       "waking from C%d, the deepest state in use, takes %" PRId64 " µs%s", scan->worst_state,
                       scan->worst_us, c3);
    } else {
        const int want = scan->shallow_state > 0 ? scan->shallow_state : 1;
        st_finding_set(finding, ST_STATUS_ADVICE, "waking from C%d takes up to %" PRId64 " µs%s",
                       scan->worst_state, scan->worst_us, c3);
        snprintf(now, sizeof(now), NOW("C%d"), want);
        snprintf(persistent, sizeof(persistent), EVER("C%d"), want, want);
        st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
        snprintf(state, sizeof(state), "C%d", want);
        st_finding_change(finding, ST_CHANGE_SYSCTL_NOW, LOWEST_SYSCTL, state);
        st_finding_change(finding, ST_CHANGE_RC_CONF, "performance_cx_lowest", state);
    }
    st_finding_effect(
        finding, worst_us,
        "longest latency of the states up to cx_lowest that a sleep of %.0f µs may use (a third "
        "of it): %" PRId64 " µs",
        scan->period_us, scan->worst_us);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {
        .facts = facts, .finding = finding, .period_us = st_period_seconds(&wish->period) * 1e6};
    const char *idle;
    st_finding_quote(finding, facts, IDLE);
    if (st_facts_text(facts, IDLE, &idle) == 0 && strcmp(idle, "acpi") != 0) {
        st_finding_set(finding, ST_STATUS_OK, "machdep.idle is %.20s, not acpi: an idle CPU %s", idle,
                       strcmp(idle, "spin") == 0 ? "never sleeps, which costs much power"
                                                 : "goes no deeper than C1");
        return;
    }
    scan.c3_off = c3_stops_the_timer(facts, finding);
    st_facts_each(facts, CPU, SUPPORTED, see_cpu, &scan);
    if (scan.cpus == 0)
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "this machine shows no ACPI idle states");
    else if (scan.unread > 0)
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the idle states of %d of %d CPUs (cx_supported, cx_lowest) could not be read",
                       scan.unread, scan.cpus);
    else
        judge_states(&scan, finding);
}

const struct st_rule st_rule_freebsd_cpu_idle = {
    .id = "freebsd-cpu-idle",
    .os = ST_OS_FREEBSD,
    .title = "CPU idle states (cx_lowest)",
    .mechanism =
        "An idle CPU goes to sleep in steps, and the deeper it is the longer it takes to come back: that "
        "time is added to each wake-up. cx_lowest is the deepest step that the kernel may take.",
    .privilege = "root",
    .cost = "power: some watts, and on laptops a good part of the battery",
    .when_not = "on battery, unless music is played from it",
    .sources = "acpi(4) (hw.acpi.cpu.cx_lowest, dev.cpu.N.cx_supported), rc.conf(5)\n"
               "FreeBSD sys/dev/acpica/acpi_cpu.c acpi_cpu_idle(); sys/kern/kern_clocksource.c (C3STOP)\n"
               "latencies are what the firmware states\n"
               "that up to 20 µs, or 2 % of the period, need no word: sleeptune's own line",
    .guide =
        {
            .now = NOW("C1"),
            .persistent = EVER("C1"),
            .needs = ST_NEEDS_NOTHING,
            .check =
                "sysctl dev.cpu.0.cx_supported dev.cpu.0.cx_lowest   # C2/2/80: state C2 takes 80 µs to wake",
            .undo = "sysrc -x performance_cx_lowest economy_cx_lowest; service power_profile restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){CPU "*" SUPPORTED, CPU "*.cx_lowest", LOWEST, IDLE, TIMER,
                                   ET_PREFIX "*.flags", NULL},
    .targets = (const char *const[]){LOWEST_SYSCTL, NULL},
    .judge = judge,
};
