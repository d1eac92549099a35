/* FreeBSD: CPU, power and scheduling. */
#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"

/* --- freebsd-cpu-idle: how long a CPU takes to wake from its ACPI idle states (C-states) --- */

#define CPU            "freebsd.dev.cpu."
#define SUPPORTED      ".cx_supported"
#define LOWEST_SYSCTL  "hw.acpi.cpu.cx_lowest"
#define LOWEST         ST_KEYS_FREEBSD LOWEST_SYSCTL
#define IDLE           "freebsd.machdep.idle"
#define STATES_MAX     8 /* most idle states of a CPU, as MAX_CX_STATES of the kernel */
#define LATENCY_MAX_US 1000000

/** The rule gives no advice if the wake-up latency is at most 20 us, or at most 2 % of the period.
 * Both limits are a choice of this rule. */
#define SMALL_US    20
#define SMALL_SHARE 0.02

struct scan {
    struct st_finding *finding;
    bool c3_off; /* the kernel does not use the state C3, since the event timer stops in it */
    double period_us;
    int cpus;
    int64_t worst_us;  /* longest latency of the states in use, in us */
    int worst_state;   /* number of the state with worst_us; 0: none */
    int shallow_state; /* number of the deepest state with a latency of at most SMALL_US; 0: none */
};

/** Number of an idle state: "C2" is 2, "Cmax" is STATES_MAX. @return 0: not understood. */
static int state_number(const char *text)
{
    if (st_text_is(text, "Cmax"))
        return STATES_MAX;
    return text[0] == 'C' && text[1] >= '1' && text[1] <= '8' && text[2] == '\0' ? text[1] - '0'
                                                                                 : 0;
}

/** Scans the idle states of one CPU: "C1/1/1 C2/2/80 C3/3/104", each as name/type/latency in us.
 * @return false: not understood; the finding is set. */
static bool scan_cpu(struct scan *scan, const struct st_fact *fact)
{
    const char *at = st_text_or(fact->text, "");
    /* the deepest state that this CPU may use: its own cx_lowest, else the machine's; 0: not
     * known */
    const int lowest = state_number(
        st_fact_beside_text_or(fact, "cx_lowest", st_facts_text_or(fact->facts, LOWEST, "")));
    int number, type, latency_us, used, states = 0;
    while (lowest > 0 && states < STATES_MAX &&
           sscanf(at, "C%1d/%2d/%7d%n", &number, &type, &latency_us, &used) == 3 &&
           latency_us >= 0 && latency_us <= LATENCY_MAX_US) {
        at += used;
        at += strspn(at, " ");
        states++;
        /* acpi_cpu_idle() chooses a state only if the sleep is at least three times as long as the
         * state's latency */
        if (states > lowest || (scan->c3_off && type >= 3) || 3.0 * latency_us > scan->period_us)
            continue;
        if (latency_us <= SMALL_US && states > scan->shallow_state)
            scan->shallow_state = states;
        if (scan->worst_state == 0 || latency_us > scan->worst_us) {
            scan->worst_us = latency_us;
            scan->worst_state = states;
            st_finding_quote(scan->finding, fact);
        }
    }
    const bool is_read = states > 0 && *at == '\0';
    if (!is_read)
        st_finding_unknown(scan->finding,
                           "the idle states of a CPU could not be read (%s, cx_lowest), so how "
                           "fast it wakes up is unknown",
                           fact->key + strlen(ST_KEYS_FREEBSD));
    if (!is_read || scan->cpus++ == 0)
        st_finding_quote(scan->finding, fact);
    return is_read;
}

static void judge_states(const struct scan *scan, struct st_finding *finding)
{
    const double worst_us = (double)scan->worst_us;
    const char *c3 = scan->c3_off ? "; C3 is not used, because the event timer stops in C3" : "";
    if (worst_us <= SMALL_US || worst_us <= SMALL_SHARE * scan->period_us) {
        st_finding_ok(finding,
                      "waking a CPU from C%d, the deepest idle state in use, takes %jd µs%s",
                      scan->worst_state, scan->worst_us, c3);
    } else {
        st_finding_advice(finding, "waking a CPU from idle state C%d takes up to %jd µs%s",
                          scan->worst_state, scan->worst_us, c3);
        const char *state = st_text("C%d", ST_MAX(scan->shallow_state, 1));
        int64_t acline; /* devd starts rc.d/power_profile only if there is an AC adapter */
        if (st_facts_int(finding->facts, ST_KEY_FREEBSD_HW_ACPI_ACLINE, &acline) == -ENOENT)
            st_machine_fix_sysctl(finding, LOWEST_SYSCTL, state);
        else
            st_rule_fix_with(finding, "C1", state);
    }
    st_finding_effect(finding, worst_us,
                      "for a sleep of %.0f µs the kernel uses only idle states (up to cx_lowest) "
                      "that wake up within a third of that time; the slowest of them takes %jd µs",
                      scan->period_us, scan->worst_us);
}

static void judge_cpu_idle(struct st_finding *finding)
{
    struct scan scan = {.finding = finding, .period_us = st_rule_period_us(finding)};
    const char *idle = st_facts_text_or(finding->facts, IDLE, "acpi");
    st_finding_quote_key(finding, IDLE);
    if (!st_text_is(idle, "acpi")) {
        st_finding_ok(finding,
                      "an idle CPU uses no idle state deeper than C1, so it wakes up fast "
                      "(machdep.idle is %.20s, not acpi)",
                      idle);
        return;
    }
    const char *key =
        st_text(ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET "%.32s.flags",
                st_facts_text_or(finding->facts, ST_KEY_FREEBSD_KERN_EVENTTIMER_TIMER, ""));
    scan.c3_off = (st_facts_int_or(finding->facts, key, 0) & ST_FREEBSD_ET_C3STOP) != 0;
    if (scan.c3_off)
        st_finding_quote_key(finding, key);
    ST_FACTS_EACH (fact, finding->facts, CPU, SUPPORTED) {
        if (!scan_cpu(&scan, fact))
            return;
    }
    if (scan.cpus == 0)
        st_finding_not_applicable(
            finding,
            "this machine shows no idle states of its CPUs (ACPI), so there is nothing to set");
    else
        judge_states(&scan, finding);
}

const struct st_rule st_rule_freebsd_cpu_idle = {
    .id = "freebsd-cpu-idle",
    .title = "CPU idle states (cx_lowest)",
    .mechanism = "An idle CPU sleeps in one of several states (C1, C2, ...). The deeper the state, "
                 "the longer it takes to wake, which is added to each wake-up of a thread. "
                 "cx_lowest is the deepest state that the kernel may use.",
    .cost = "power: some watts, and on laptops a good part of the battery",
    .when_not = "on battery, unless you play music on battery",
    .sources = "manuals: acpi(4) (hw.acpi.cpu.cx_lowest, dev.cpu.N.cx_supported), rc.conf(5)\n"
               "FreeBSD's source code: sys/dev/acpica/acpi_cpu.c, acpi_cpu_idle(); "
               "sys/kern/kern_clocksource.c (C3STOP)\n"
               "sbin/devd/power_profile.conf: devd starts rc.d/power_profile when the AC adapter "
               "reports a change\n"
               "the times to wake up are those that the firmware states\n"
               "limits that sleeptune chose: no advice up to 20 µs or 2 % of the period",
    .now = "sysctl hw.acpi.cpu.cx_lowest=C1",
    .persistent =
        "# with an AC adapter (laptops), where rc.d/power_profile may overwrite sysctl.conf:\n"
        "sysrc performance_cx_lowest=\"C1\"\n"
        "# on battery as well:\nsysrc economy_cx_lowest=\"C1\"\n"
        "# without an adapter (no sysctl hw.acpi.acline) this is enough\n"
        "# /etc/sysctl.conf\n" LOWEST_SYSCTL "=C1",
    .check = "sysctl dev.cpu.0.cx_supported dev.cpu.0.cx_lowest   # cx_lowest: C1; C2/2/80: state "
             "C2 takes 80 µs to wake",
    .undo =
        "take the line out of /etc/sysctl.conf, or run the following command; then restart: sysrc "
        "-x performance_cx_lowest economy_cx_lowest",
    .facts = ST_RULE_KEYS(CPU "*" SUPPORTED, CPU "*.cx_lowest", LOWEST, IDLE,
                          ST_KEY_FREEBSD_HW_ACPI_ACLINE, ST_KEY_FREEBSD_KERN_EVENTTIMER_TIMER,
                          ST_KEYS_FREEBSD_KERN_EVENTTIMER_ET "*.flags"),
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSCTL_NOW, LOWEST_SYSCTL, "C1"},
                               {ST_CHANGE_RC_CONF, "power_profile:performance_cx_lowest", "C1"}),
    .judge = judge_cpu_idle,
};

/* --- freebsd-cpu-frequency: the CPU clock, which powerd or a fixed frequency sets --- */

#define LEVELS    "freebsd.dev.cpu.0.freq_levels"
#define FLAGS     "freebsd.rc.powerd_flags"
#define FLAGS_XX  "freebsd.rc.powerdxx_flags"
#define EPP       "freebsd.dev.hwpstate_"
#define MAXIMUM   "-a maximum -n maximum -b adaptive"
#define MHZ_MAX   100000
#define TURBO_MHZ 1 /* MHz; est(4) shows turbo as 1 MHz more than the nominal clock */

/** The mode in which powerd or powerd++ keeps this computer when it is not on battery, from its
 * arguments; default: hiadaptive. Without an AC adapter that the kernel knows, as on a desktop, the
 * power supply counts as unknown, and -n applies, not -a. */
static const char *mode_of(const struct st_facts *facts, const char *args)
{
    static const char *const options[][3] = {{"-a", "--ac"}, {"-n", "--unknown"}};
    int64_t acline;
    const char *mode = "hiadaptive",
               *const *option =
                   options[st_facts_int(facts, ST_KEY_FREEBSD_HW_ACPI_ACLINE, &acline) == -ENOENT];
    ST_TEXT_EACH (word, st_text("%s", args), " ") {
        if (!st_text_begins_among(word, option))
            continue;
        mode = word + strlen(option[word[1] == '-']);
        if (*mode == '\0')
            mode = st_text_or(strtok_r(NULL, " ", &word_rest), "unknown");
    }
    return mode;
}

static void judge_powerd(struct st_finding *finding)
{
    const char *flags = st_facts_text_or(finding->facts, FLAGS,
                                         st_facts_text_or(finding->facts, FLAGS_XX, "")),
               *mode = mode_of(finding->facts, flags);
    if (st_text_begins(mode, "max")) {
        st_finding_fine(finding, "powerd keeps the CPU clock at its maximum on mains power");
        return;
    }
    st_rule_advise(finding,
                   "powerd (mode: %.20s) raises the CPU clock only when it sees load, and it "
                   "checks the load only every 250 ms: short audio work may run slowly",
                   st_text_is_of(mode, "") ? mode : "unknown");
    /* `apply` changes powerd_flags only if no flags are set: a user who set some has chosen them */
    if (flags[0] == '\0')
        st_finding_change(finding, ST_CHANGE_RC_CONF, "powerd:powerd_flags", MAXIMUM);
}

static void judge_cpu_frequency(struct st_finding *finding, int64_t mhz)
{
    int top = 0; /* the highest clock in MHz, the first in "2400/35000 2200/31000 ..." */
    const int64_t running = st_facts_int_or(finding->facts, ST_KEY_FREEBSD_POWERD_RUNNING, -1);
    (void)sscanf(st_facts_text_or(finding->facts, LEVELS, ""), "%6d", &top);
    if (st_facts_any(finding->facts, EPP, ".epp", NULL)) {
        st_finding_not_applicable(
            finding, "this CPU chooses its clock by itself: see 'sleeptune report freebsd-epp'");
    } else if (running < 0 || (running != 0 && st_machine_is_unread(finding->facts, FLAGS))) {
        st_finding_unknown(
            finding, "the CPU runs at %jd MHz; it is unknown whether powerd may lower this clock",
            mhz);
    } else if (running != 0) {
        judge_powerd(finding);
    } else if (top < 1) {
        st_finding_unknown(
            finding,
            "the CPU runs at %jd MHz; whether that is its highest clock is unknown (freq_levels)",
            mhz);
    } else if (mhz + TURBO_MHZ >= top) {
        st_finding_fine(finding,
                        "the CPU runs at its highest clock, %jd MHz, and powerd, which could lower "
                        "it, does not run",
                        mhz);
    } else {
        st_finding_advice(
            finding,
            "the CPU runs at %jd of %d MHz, and powerd, which could raise the clock, does not run",
            mhz, top);
        st_machine_fix_sysctl(finding, "dev.cpu.0.freq", st_text("%d", top));
    }
}

const struct st_rule st_rule_freebsd_cpu_frequency = {
    .id = "freebsd-cpu-frequency",
    .title = "CPU clock (powerd)",
    .mechanism = "powerd checks the load four times a second and sets the clock for it. An audio "
                 "thread, which works for a short time in each cycle, is a small load: the clock "
                 "may be low just when it has to be ready in time.",
    .cost = "power, heat",
    .when_not = "on battery: for that powerd has a mode of its own (-b)",
    .sources = "manuals: powerd(8) (modes; -n applies on computers without an AC adapter that the "
               "kernel knows; it checks the load every 250 ms), cpufreq(4), est(4); powerd++ has "
               "the same modes",
    .persistent = "sysrc powerd_enable=YES powerd_flags=\"" MAXIMUM "\"\n"
                  "service powerd restart",
    .check = "ps -axo args | grep '[p]owerd'   # -a maximum -n maximum\n"
             "sysctl dev.cpu.0.freq",
    .undo = "sysrc -x powerd_flags; service powerd restart",
    .facts = ST_RULE_KEYS("freebsd.dev.cpu.0.freq", LEVELS, ST_KEY_FREEBSD_POWERD_RUNNING, FLAGS,
                          FLAGS_XX, ST_KEY_FREEBSD_HW_ACPI_ACLINE, EPP "*.epp"),
    .targets = ST_RULE_KEYS("dev.cpu.0.freq"),
    .least = 1,
    .most = MHZ_MAX,
    .judge_number = judge_cpu_frequency,
};

/* --- freebsd-epp: energy or performance preference of CPUs that choose their clock by themselves
 * --- */

#define PREFIX  "freebsd.dev.hwpstate_"
#define SUFFIX  ".epp"
#define EPP_MAX 255 /* 255 is the highest value in later versions, 100 in FreeBSD 13 and 14 */

static void judge_epp(struct st_finding *finding)
{
    const struct st_fact *worst = NULL;
    ST_FACTS_EACH (fact, finding->facts, PREFIX, SUFFIX) {
        if (!fact->is_int || fact->i64 < 0 || fact->i64 > EPP_MAX) {
            (void)!st_finding_need_in(finding, fact->key, 0, EPP_MAX, NULL);
            return;
        }
        worst = st_fact_larger(worst, fact);
    }
    st_finding_quote(finding, worst);
    if (worst == NULL) {
        st_finding_not_applicable(finding,
                                  "the CPUs here do not choose their clock by themselves, so they "
                                  "have no setting epp (hwpstate_intel, hwpstate_amd)");
    } else if (worst->i64 == 0) {
        st_finding_fine(finding, "all CPUs prefer performance to saving power (epp 0)");
    } else {
        st_finding_advice(finding,
                          "the CPU prefers to save power (epp %jd; 0 is best for performance): it "
                          "raises its clock slowly when short work begins",
                          worst->i64);
        st_rule_fix_with(finding, "intel", strstr(worst->key, "_amd.") != NULL ? "amd" : "intel");
        ST_FACTS_EACH (fact, finding->facts, PREFIX, SUFFIX)
            st_finding_change(finding, ST_CHANGE_SYSCTL, fact->key + strlen(ST_KEYS_FREEBSD), "0");
    }
}

const struct st_rule st_rule_freebsd_epp = {
    .id = "freebsd-epp",
    .title = "CPU: saving power or performance (hwpstate epp)",
    .mechanism = "Newer CPUs choose their clock by themselves. The setting epp says what is more "
                 "important: 0 is performance, the highest value is saving power. With a high "
                 "value the CPU stays slow for some time when work begins.",
    .cost = "power, heat",
    .when_not = "on battery, unless you play music on battery",
    .sources = "manual hwpstate_intel(4): epp is 0 to 100 in FreeBSD 13 and 14, 0 to 255 in later "
               "manuals; 0 is performance in both\n"
               "with machdep.hwpstate_pkg_ctrl=1 (the default) one value applies to all cores of a "
               "CPU chip",
    .history =
        "15: the manual counts epp from 0 to 255, where 13 and 14 count to 100 (hwpstate_intel(4))",
    .now = "# one line for each CPU\nsysctl dev.hwpstate_intel.0.epp=0",
    .persistent = "# /etc/sysctl.conf, one line for each CPU\ndev.hwpstate_intel.0.epp=0",
    .check = "sysctl dev.hwpstate_intel.0.epp   # 0",
    .undo = "take the lines out of /etc/sysctl.conf and restart",
    .facts = ST_RULE_KEYS(PREFIX "intel.*" SUFFIX, PREFIX "amd.*" SUFFIX),
    .targets = ST_RULE_KEYS("dev.hwpstate_intel.*.epp", "dev.hwpstate_amd.*.epp"),
    .judge = judge_epp,
};

/* --- freebsd-preemption: does a thread that wakes up interrupt a thread inside the kernel? --- */

#define PREEMPTION "freebsd.kern.sched.preemption"
#define THRESH     "freebsd.kern.sched.preempt_thresh"
#define ULE_THRESH "freebsd.kern.sched.ule.preempt_thresh"

/* Number of the lowest real-time priority (PRI_MAX_REALTIME of sys/priority.h) up to FreeBSD 14,
 * and from 15 on. The default of preempt_thresh is one higher: 80 in a capture of 13.2, 40 in one
 * of 15.1. */
#define LAST_REALTIME_14             79
#define LAST_REALTIME_15             39
#define PRI_MAX                      255
#define PREEMPTION_NOW(name, value)  "sysctl " name "=" value
#define PREEMPTION_EVER(name, value) "# /etc/sysctl.conf: remove the line, or\n" name "=" value

static void judge_threshold(const char *key, int64_t threshold, struct st_finding *finding)
{
    int64_t osreldate;
    if (st_facts_int(finding->facts, ST_KEY_FREEBSD_KERN_OSRELDATE, &osreldate) != 0) {
        st_finding_unknown(
            finding,
            "whether real-time threads can interrupt the kernel is unknown: preempt_thresh is %jd, "
            "and its meaning depends on the version of FreeBSD, which is unknown",
            threshold);
        return;
    }
    const int64_t last = osreldate >= 1500000 ? LAST_REALTIME_15 : LAST_REALTIME_14;
    if (threshold >= last && threshold <= PRI_MAX) {
        st_finding_fine(
            finding,
            "real-time threads can interrupt all other threads, also inside the kernel; a "
            "preempt_thresh above %jd would only change how normal threads run",
            last + 1);
        return;
    }
    const char *name = key + strlen(ST_KEYS_FREEBSD);
    st_finding_advice(finding,
                      "some real-time threads wait until the running thread leaves the kernel: "
                      "those with priority numbers above preempt_thresh (%jd), up to %jd",
                      threshold, last);
    st_finding_fix_now(finding, PREEMPTION_NOW("%s", "%jd"), name, last + 1);
    st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, PREEMPTION_EVER("%s", "%jd"), name,
                              last + 1);
}

static void judge_preemption(struct st_finding *finding, int64_t preemption)
{
    int64_t threshold;
    if (preemption == 0) {
        st_finding_advice(finding, "this kernel was built without PREEMPTION: a thread that wakes "
                                   "up waits until the running thread leaves the kernel");
        st_finding_fix_persistent(finding, ST_NEEDS_REBOOT,
                                  "# add this line to the kernel's configuration, then build and "
                                  "install the kernel\noptions PREEMPTION");
        return;
    }
    const char *key =
        st_facts_int(finding->facts, THRESH, &threshold) != -ENOENT ? THRESH : ULE_THRESH;
    const int r = st_facts_int(finding->facts, key, &threshold);
    if (r == 0)
        judge_threshold(key, threshold, finding);
    else if (r == -ENOENT)
        st_finding_ok(
            finding, "the kernel was built with PREEMPTION, so real-time threads can interrupt it");
    else
        st_finding_unknown(finding,
                           "the kernel was built with PREEMPTION; which real-time threads can "
                           "interrupt it is unknown, because preempt_thresh could not be read");
}

const struct st_rule st_rule_freebsd_preemption = {
    .id = "freebsd-preemption",
    .title = "Can real-time threads interrupt the kernel? (kern.sched)",
    .mechanism =
        "With PREEMPTION (part of the GENERIC kernel) a real-time thread that wakes up gets the "
        "CPU at once, even if another thread is inside the kernel. preempt_thresh is the lowest "
        "priority that can do this. Values above the real-time range change only normal threads, "
        "and so do slice, interact and quantum.",
    .when_not = "you want a higher value, such as preempt_thresh=224, a tip for desktops: it "
                "changes nothing for real-time threads",
    .sources = "FreeBSD's source code: sys/kern/sched_ule.c, sched_shouldpreempt(); sys/conf/NOTES "
               "(PREEMPTION)\n"
               "real-time priorities are 48 to 79, in later versions 8 to 39 (sys/sys/priority.h); "
               "preempt_thresh was 80 on a 13.2 and 40 on a 15.1; whether 15.0 has the later "
               "values was not checked",
    .history = "15: real-time priorities are 8 to 39 instead of 48 to 79, and preempt_thresh is 40 "
               "instead of 80 (sys/sys/priority.h; seen on 13.2 and 15.1; 15.0 was not checked)",
    .now = PREEMPTION_NOW(
        "kern.sched.preempt_thresh",
        "80") "       # up to FreeBSD 14\n" PREEMPTION_NOW("kern.sched.ule.preempt_thresh",
                                                           "40") "   # from 15 on",
    .persistent = "# remove from /etc/sysctl.conf (the defaults are right):\n"
                  "# kern.sched.preempt_thresh or, from 15 on, kern.sched.ule.preempt_thresh",
    .check = "sysctl kern.sched.preemption           # 1\n"
             "sysctl kern.sched.preempt_thresh       # up to 14: 80\n"
             "sysctl kern.sched.ule.preempt_thresh   # from 15 on: 40",
    .undo = "nothing to undo: the default value is in use",
    .facts = ST_RULE_KEYS(PREEMPTION, THRESH, ULE_THRESH, ST_KEY_FREEBSD_KERN_OSRELDATE),
    .judge_number = judge_preemption,
};

/* --- freebsd-interrupt-storm: does the kernel hold back fast interrupts (hw.intr_storm_threshold)?
 * --- */

const struct st_rule st_rule_freebsd_interrupt_storm = {
    .id = "freebsd-interrupt-storm",
    .title = "Interrupts that the kernel delays (hw.intr_storm_threshold)",
    .mechanism = "If a device sends more interrupts in a row than the threshold, the kernel takes "
                 "it for broken and handles its interrupt line only once in a clock tick. A sound "
                 "card or USB controller on that line then has to wait, too.",
    .cost = "none, unless a device is broken: then it can keep a whole CPU busy",
    .when_not =
        "your hardware really sends endless interrupts (dmesg shows \"interrupt storm detected\")",
    .sources = "FreeBSD's source code: sys/kern/kern_intr.c, ithread_execute_handlers()\n"
               "the value was 0 (never) on a 13.2 and a 15.1",
    ST_FREEBSD_SYSCTL_BACK("hw.intr_storm_threshold", "0"),
    .facts = ST_RULE_KEYS("freebsd.hw.intr_storm_threshold"),
    .most = INT64_MAX,
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_OK,
         "the kernel never delays the interrupts of a device, however many there are"},
        {0, ST_STATUS_ADVICE,
         "after {} interrupts in a row the kernel handles an interrupt line only once in a clock "
         "tick: a sound card on this line stutters"}),
};
