/* Linux: how long an idle CPU takes to wake up. */
#include "advisor/rules/machine.h"

/* --- linux-idle-states: how long a CPU takes to wake, and the limits that programs set (PM QoS)
 * --- */

/* beginning of the keys of idle states, cpuN.stateM.*: there are facts for all states of CPU 0, and
 * for those of other CPUs that differ from CPU 0's */
#define STATES          "linux.cpuidle.cpu"
#define LATENCY         ".latency_us"
#define RESUME_LIMIT    ".resume_latency_us"
#define REQUEST_NONE_US INT64_C(2000000000) /* PM_QOS_CPU_LATENCY_DEFAULT_VALUE */

/** The rule gives no advice if the wake-up latency is at most 20 us, or at most 2 % of the period.
 * Both limits are a choice of this rule. */
#define SMALL_US    20
#define SMALL_SHARE 0.02

#define NOW(us, hex)                                                                               \
    "# limits the wake-up time to " us " µs until you press Ctrl-C:\n"                            \
    "sudo sh -c 'exec 3>/dev/cpu_dma_latency; echo 0x" hex " >&3; sleep infinity'"

#define EVER(us)                                                                                   \
    "# limits the wake-up time until the next restart (run this after each boot):\n"               \
    "sudo cpupower idle-set -D " us                                                                \
    "\n# or let programs such as Ardour set one while they play:\n"                                \
    "# /etc/udev/rules.d/90-sleeptune.rules\n"                                                     \
    "KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\""

struct scan {
    struct st_finding *finding;
    int64_t request_us;
    int states;
    const struct st_fact *unread;
    /* of the enabled states that the limit request_us allows: the one with the longest latency;
     * NULL: none */
    const struct st_fact *worst;
    /* of the states that the kernel uses only for sleeps longer than a period: the one with the
     * longest latency; NULL: none */
    const struct st_fact *deeper;
    int64_t want_us; /* latency to advise: the longest up to SMALL_US, otherwise the shortest; never
                        0, which means polling */
    bool cpus_are_limited; /* at least one CPU has a limit of its own (RESUME_LIMIT) */
};

/** Longest wake-up time in us that programs allow the CPU to which this idle state belongs. In the
 * file, "0" means no limit, "n/a" no time at all. A CPU without a fact of its own has the limit of
 * CPU 0. */
static int64_t resume_limit_us(struct scan *scan, const struct st_fact *fact)
{
    const char *own =
                   st_text(STATES "%ld" RESUME_LIMIT, strtol(fact->key + strlen(STATES), NULL, 10)),
               *key = st_facts_has(fact->facts, own) ? own : STATES "0" RESUME_LIMIT;
    const int64_t limit_us = st_facts_int_or(fact->facts, key, 0);
    if (limit_us <= 0 && !st_facts_is(fact->facts, key, "n/a"))
        return REQUEST_NONE_US;
    st_finding_quote_key(scan->finding, key);
    scan->cpus_are_limited = true;
    return limit_us;
}

static void scan_state(struct scan *scan, const struct st_fact *fact)
{
    scan->states++;
    /* if `disable` cannot be read, the state counts as enabled, so that the effect stays an upper
     * bound */
    if (st_fact_beside_int_or(fact, "disable", 0) != 0) {
        st_finding_quote(scan->finding, fact);
        return;
    }
    const int64_t latency_us = fact->i64;
    if (!fact->is_int || latency_us < 0 || latency_us > REQUEST_NONE_US) {
        scan->unread = fact;
        return;
    }
    if (latency_us > scan->request_us || latency_us > resume_limit_us(scan, fact))
        return;
    /* each governor but ladder takes a state only if the next timer is further away than the
     * state's residency, which is not shorter than the time to wake */
    if (!st_facts_is(fact->facts, ST_KEY_CPUIDLE_GOVERNOR, "ladder") &&
        st_fact_beside_int_or(fact, "residency_us", latency_us) >
            scan->finding->wish->period_ns / 1000) {
        scan->deeper = st_fact_larger(scan->deeper, fact);
        return;
    }
    scan->worst = st_fact_larger(scan->worst, fact);
    if (latency_us > 0 &&
        (scan->want_us == 0 ||
         (latency_us <= SMALL_US ? scan->want_us > SMALL_US || latency_us > scan->want_us
                                 : latency_us < scan->want_us)))
        scan->want_us = latency_us;
}

static void fix_idle_states(const struct scan *scan, struct st_finding *finding)
{
    if (scan->want_us == 0 || scan->want_us >= scan->worst->i64)
        return;
    /* /dev/cpu_dma_latency takes ten characters as a hexadecimal number, but four bytes as a binary
     * one: so the command writes "0x" and always eight digits */
    st_finding_fix_now(finding, NOW("%jd", "%08jx"), scan->want_us, (uint64_t)scan->want_us);
    st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, EVER("%jd"), scan->want_us + 1);
}

static void judge_states(const struct scan *scan, bool request_known, struct st_finding *finding)
{
    const double period_us = st_rule_period_us(finding);
    const bool guest = st_machine_is_guest(finding->facts),
               held = scan->request_us < REQUEST_NONE_US, limited = held || scan->cpus_are_limited;
    if (scan->worst == NULL && scan->deeper != NULL) {
        st_finding_quote(finding, scan->deeper);
        st_finding_fine(finding,
                        "a period of %.0f µs is so short that the CPU does not enter an idle state",
                        period_us);
        return;
    }
    if (scan->worst == NULL || scan->request_us == 0) {
        st_finding_fine(
            finding,
            "the CPUs stay awake, which is best for sound but costs much power: no idle state is "
            "enabled, or a program forbids them (/dev/cpu_dma_latency, pm_qos_resume_latency_us)");
        return;
    }
    const int64_t worst_us = scan->worst->i64;
    const double effect_us = (double)worst_us;
    const char *name = st_fact_beside_text_or(scan->worst, "name", "(name unknown)");
    st_finding_quote(finding, scan->worst);
    if (effect_us <= SMALL_US || effect_us <= SMALL_SHARE * period_us) {
        const char *why =
            limited ? ", because a program that runs now asks for short wake-up times" : "";
        if (guest)
            why = "; the host's idle states are not visible from this virtual machine";
        st_finding_ok(finding, "waking a CPU from idle state %.40s takes up to %jd µs%s", name,
                      worst_us, why);
    } else {
        const char *unless = request_known ? "" : ", unless a program limits the states";
        if (st_machine_is_unread(finding->facts, ST_KEY_PMQOS_CPU_DMA_LATENCY_US))
            unless = st_text("%s (only root can read this limit)", unless);
        st_finding_advice(finding, "waking a CPU from idle state %.40s takes up to %jd µs%s", name,
                          worst_us, unless);
        fix_idle_states(scan, finding);
    }
    const int64_t cpus_n = st_facts_int_or(finding->facts, ST_KEY_CPUIDLE_CPUS_N, 1);
    const char *formula =
        st_text("longest time to wake up (exit latency) from the enabled idle states of %jd CPU%s",
                cpus_n, ST_PLURAL(cpus_n));
    if (held)
        formula = st_text("%s, without the states above %jd µs, which a program forbids now",
                          formula, scan->request_us);
    formula = st_text("%s: %jd µs", formula, worst_us);
    if (scan->deeper != NULL)
        formula = st_text(
            "%s (deeper states, up to %jd µs, are used only for sleeps longer than %.0f µs)",
            formula, scan->deeper->i64, period_us);
    st_finding_effect(finding, effect_us, "%s", formula);
}

/** Does an idle state have a latency that is not a valid number of us? If so, sets the finding. */
static bool is_unread(const struct scan *scan)
{
    return scan->unread != NULL &&
           st_finding_need_in(scan->finding, scan->unread->key, 0, REQUEST_NONE_US, NULL) != 0;
}

static void judge_idle_states(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    struct scan scan = {.finding = finding};
    const char *driver;
    const bool request_known =
        st_facts_int(facts, ST_KEY_PMQOS_CPU_DMA_LATENCY_US, &scan.request_us) == 0 &&
        scan.request_us >= 0;
    if (!request_known)
        scan.request_us = REQUEST_NONE_US;
    ST_FACTS_EACH (fact, facts, STATES, LATENCY)
        scan_state(&scan, fact);
    if (is_unread(&scan))
        return;
    if (scan.states > 0) {
        judge_states(&scan, request_known, finding);
    } else if (st_text_is(st_machine_boot_option(facts, "idle", ""), "poll")) {
        st_finding_fine(finding, "the boot option idle=poll keeps the CPU awake, so it wakes "
                                 "without delay; this costs much power");
    } else {
        const int r = st_finding_need_text(finding, ST_KEY_CPUIDLE_DRIVER, &driver);
        if (r == 0 && !st_text_is(driver, "none"))
            st_finding_unknown(finding,
                               "how long the CPU takes to wake up from an idle state could not be "
                               "read (driver %.40s)",
                               driver);
        else if (r == 0 || finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_not_applicable(finding, "nothing here shows the idle states of the CPU (in "
                                               "a virtual machine the host controls them)");
    }
}

const struct st_rule st_rule_linux_idle_states = {
    .id = "linux-idle-states",
    .title = "CPU idle states (time to wake up)",
    .mechanism = "An idle CPU sleeps in one of several states. The deeper the state, the longer it "
                 "takes to wake, which is added to each wake-up of a thread. A program can limit "
                 "it: it writes the limit to /dev/cpu_dma_latency and keeps the file open. Ardour "
                 "can do this, jackd and PipeWire do not.",
    .privilege = "root, or write access to /dev/cpu_dma_latency",
    .cost = "power: several watts; a limit of 0 means that the CPU never sleeps at all",
    .when_not = "on battery. Do not keep the limit all day, because it costs power: set it only "
                "while music plays",
    .sources =
        "Linux documentation: power/pm_qos_interface.rst, admin-guide/pm/cpuidle.rst\n"
        "the times to wake up are those that the driver states, in "
        "/sys/devices/system/cpu/cpu0/cpuidle/state*/latency; of CPUs 1 to 31 those that differ\n"
        "a limit for one CPU only: cpu*/power/pm_qos_resume_latency_us (0: no limit)\n"
        "Linux source code, drivers/cpuidle/governors/menu.c: the kernel avoids a state that pays "
        "off only for a longer sleep than the one to the next timer (ladder.c does not check "
        "this); a CPU that waits for something else, such as the sound card's interrupt, may sleep "
        "deeper\n"
        "limits that sleeptune chose: no advice up to 20 µs or 2 % of the period, a problem from "
        "half the period on",
    .now = NOW("2", "00000002"),
    .persistent = EVER("3"),
    .check = "grep . /sys/devices/system/cpu/cpu0/cpuidle/state*/latency   # µs to wake from each "
             "state\n"
             "sudo od -An -td4 -N4 /dev/cpu_dma_latency   # the limit in force now, in µs",
    .undo =
        "press Ctrl-C where the command runs; if you used cpupower: sudo cpupower idle-set -E; if "
        "you wrote it: delete the line with cpu_dma_latency in "
        "/etc/udev/rules.d/90-sleeptune.rules",
    .worst = ST_STATUS_PROBLEM,
    .problem_share = 0.5,
    /* no `changes`: no file keeps the limit, only a program that holds the device open */
    .facts = ST_RULE_KEYS(ST_KEY_CPUIDLE_DRIVER, ST_KEY_CPUIDLE_GOVERNOR, STATES "*.state*",
                          STATES "*.name", STATES "*.disable", STATES "*" RESUME_LIMIT,
                          ST_KEY_CPUIDLE_CPUS_N, ST_KEY_PMQOS_CPU_DMA_LATENCY_US, ST_KEY_VIRTUAL,
                          ST_KEY_CMDLINE),
    .judge = judge_idle_states,
};

/* --- linux-idle-request-access: may this user limit the wake-up time of idle CPUs? --- */

static void judge_idle_request_access(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    /* request_us: this rule judges the states as if no program limited the latency now */
    struct scan scan = {.finding = finding, .request_us = REQUEST_NONE_US};
    /* by_other: root, who saved the tree or ran the report, opened the device, instead of the user
     * who plays */
    const int64_t may_open = st_facts_int_or(facts, ST_KEY_PMQOS_USER_MAY_OPEN, -1);
    const bool by_other = may_open < 0 && (st_facts_has(facts, ST_KEY_SYSTEM_LACKS) ||
                                           st_facts_has(facts, ST_KEY_USER_LIMITS_FROM));
    ST_FACTS_EACH (state, facts, ST_KEYS_CPUIDLE_CPU0, LATENCY)
        scan_state(&scan, state);
    const struct st_fact *fact = st_facts_find(facts, ST_KEY_PMQOS_CPU_DMA_LATENCY_US);
    if (fact == NULL || fact->state == ST_FACT_ABSENT || scan.worst == NULL) {
        st_finding_not_applicable(finding, "there is nothing to allow here: no idle states of the "
                                           "CPUs are known, or there is no /dev/cpu_dma_latency");
        return;
    }
    const int64_t worst_us = scan.worst->i64;
    st_finding_quote(finding, scan.worst);
    if (worst_us <= SMALL_US && is_unread(&scan))
        return;
    if (worst_us <= SMALL_US) {
        st_finding_fine(finding,
                        "a CPU wakes up from its deepest idle state in %jd µs, so programs need "
                        "not limit the idle states",
                        worst_us);
    } else if (may_open == 0 || (fact->state == ST_FACT_UNREADABLE &&
                                 (fact->error == EACCES || fact->error == EPERM))) {
        st_rule_advise(finding,
                       "audio programs of this user may not open /dev/cpu_dma_latency, so they "
                       "cannot keep the CPUs out of deep sleep (%jd µs to wake)",
                       worst_us);
    } else if (st_finding_need_int(finding, ST_KEY_PMQOS_CPU_DMA_LATENCY_US, NULL) != 0) {
        return;
    } else if (by_other) {
        st_finding_unknown(finding,
                           "it is unknown whether the user who plays may open "
                           "/dev/cpu_dma_latency: the report was made by root or another user");
    } else if (st_machine_is_root(facts)) {
        st_finding_fine(finding, "root may open /dev/cpu_dma_latency, other users perhaps not: run "
                                 "the report as the user who plays");
        /* a finding that is ok has the fix, too, for a user who asks for it */
        st_rule_fix(finding);
    } else {
        st_finding_fine(finding, "this user may open /dev/cpu_dma_latency, so audio programs can "
                                 "keep the CPUs out of deep sleep");
    }
}

const struct st_rule st_rule_linux_idle_request_access = {
    .id = "linux-idle-request-access",
    .title = "Access to /dev/cpu_dma_latency",
    .mechanism =
        "While a program keeps the file /dev/cpu_dma_latency open, no CPU uses an idle state that "
        "takes longer to wake up than the program allows. By default only root may open it. Ardour "
        "opens it if its preferences ask for that (Performance, CPU DMA latency); jackd and "
        "PipeWire never do.",
    .cost = "power: several watts while a program keeps the file open",
    .when_not = "on battery; no program that you use opens the file; or 'sleeptune report "
                "linux-idle-states' says ok: then the CPU wakes up fast enough",
    .sources = "Linux documentation: power/pm_qos_interface.rst, admin-guide/pm/cpuidle.rst; the "
               "tool rtcqs checks the same file; source code of Ardour: libs/ardour/globals.cc; "
               "that of jack1, jack2 and PipeWire never opens the file\n"
               "'sleeptune report linux-idle-states' shows how late threads may be; a limit that "
               "sleeptune chose: no advice up to 20 µs",
    .now = "sudo chgrp audio /dev/cpu_dma_latency && sudo chmod 660 /dev/cpu_dma_latency",
    .persistent = "# /etc/udev/rules.d/90-sleeptune.rules\n"
                  "KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\"\n"
                  "# then\n"
                  "sudo usermod -aG audio $USER",
    .needs = ST_NEEDS_REBOOT, /* udev reads the line when the device appears: at boot */
    .check = "ls -l /dev/cpu_dma_latency   # mode crw-rw----, group audio",
    .undo = "delete the line with cpu_dma_latency in /etc/udev/rules.d/90-sleeptune.rules and "
            "restart; sudo gpasswd -d "
            "$USER audio",
    .facts = ST_RULE_KEYS(
        ST_KEY_PMQOS_CPU_DMA_LATENCY_US, ST_KEY_PMQOS_USER_MAY_OPEN, ST_KEY_USER_UID,
        ST_KEY_USER_LIMITS_FROM, ST_KEY_SYSTEM_LACKS, ST_KEYS_CPUIDLE_CPU0 "state*" LATENCY,
        ST_KEYS_CPUIDLE_CPU0 "state*.disable", ST_KEYS_CPUIDLE_CPU0 "state*.residency_us",
        STATES "0" RESUME_LIMIT, ST_KEY_CPUIDLE_GOVERNOR),
    .judge = judge_idle_request_access,
};
