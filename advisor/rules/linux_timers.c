/* Linux: timers and clocks. */
#include "advisor/rules/machine.h"

/* --- linux-high-res-timers: do high-resolution timers run? What the running kernel reports takes
 * precedence over its configuration --- */

#define CONFIG "linux.config.HIGH_RES_TIMERS"
#define HZ_MAX 10000

/** The length of a clock tick in ns: from clock_getres, else /proc/timer_list, else the kernel's
 * configuration. 0: not known. */
static int64_t tick_ns(const struct st_facts *facts)
{
    const int64_t getres_ns = st_facts_int_or(facts, ST_KEY_CLOCK_GETRES_NS, 0),
                  listed_ns = st_facts_int_or(facts, ST_KEY_TIMER_LIST_RESOLUTION_NS, 0),
                  hz = st_facts_int_or(facts, ST_KEY_CONFIG_HZ, 0);
    if (getres_ns > 1)
        return getres_ns;
    if (listed_ns > 1)
        return listed_ns;
    return hz >= 1 && hz <= HZ_MAX ? 1000000000 / hz : 0;
}

/** Finds an option on the kernel command line and returns it as it is written there, such as
 * "highres=off".
 * @return NULL: the option is not given, or its value has unusual characters. */
static const char *option_word(const struct st_facts *facts, const char *name)
{
    const char *value = st_machine_boot_option(facts, name, "");
    return st_machine_is_plain(value) ? st_text("%s=%s", name, value) : NULL;
}

static void fix_option(struct st_finding *finding, const char *word)
{
    st_finding_fix_persistent(finding, ST_NEEDS_REBOOT, ST_MACHINE_FIX_NO_BOOT_OPTION("%s"), word,
                              word);
    st_machine_place_boot_option(finding, word, false);
}

/** "highres=off", as it stands on the kernel command line. NULL: no such option, or it does not
 * switch the timers off. */
static const char *off_word(const struct st_facts *facts)
{
    const char *word = option_word(facts, "highres");
    return word != NULL && st_machine_is_off(strchr(word, '=') + 1) ? word : NULL;
}

static void judge_off(struct st_finding *finding, const char *why)
{
    const int64_t tick = tick_ns(finding->facts);
    const bool built_in = !st_facts_is(finding->facts, CONFIG, "n");
    const double tick_us = (double)tick / 1e3;
    const char *word = off_word(finding->facts);
    const bool known = st_facts_text_or(finding->facts, ST_KEY_CMDLINE, NULL) != NULL;
    if (word != NULL)
        why = st_text("%s on the kernel command line", word);
    else if (built_in && known)
        why = st_text("%s; to see why, run: sudo dmesg | grep -iE 'high res|one-shot'", why);
    /* measured with HZ=250 and a loop of 1333 µs: the median lateness was 50 ms after a few
     * seconds */
    if (tick > finding->wish->period_ns) {
        st_finding_problem(
            finding,
            "high-resolution timers are off (%s): each sleep takes at least a tick of %.0f µs, so "
            "a program with a period of %.0f µs falls behind with each cycle",
            why, tick_us, st_rule_period_us(finding));
    } else if (tick > 0) {
        st_finding_problem(finding,
                           "high-resolution timers are off (%s): each sleep is up to %.0f µs late",
                           why, tick_us);
        st_finding_effect(finding, tick_us, "at most one tick of the kernel's clock: %.1f µs",
                          tick_us);
    } else {
        st_finding_problem(
            finding,
            "high-resolution timers are off (%s): each sleep is rounded to a tick, 1 to 10 ms",
            why);
    }
    if (!built_in)
        st_finding_fix_persistent(finding, ST_NEEDS_REBOOT,
                                  "# use a kernel with CONFIG_HIGH_RES_TIMERS=y");
    else if (word != NULL || !known)
        fix_option(finding, st_text_or(word, "highres=off"));
}

/** Judges by the kernel's configuration and command line, for a machine of which nothing else about
 * the timers is known. */
static void judge_config(struct st_finding *finding)
{
    const char *config = "n";
    int r = 0;
    if (off_word(finding->facts) == NULL)
        r = st_finding_need_text(finding, CONFIG, &config);
    if (r != 0 && finding->status == ST_STATUS_NOT_APPLICABLE)
        st_finding_unknown(finding, "sleeptune could read neither how exact the kernel's timers "
                                    "are nor the kernel's configuration");
    if (r != 0)
        return;
    if (st_text_is(config, "n"))
        judge_off(finding, "not in this kernel's configuration");
    else if (!st_text_is(config, "y"))
        st_finding_unknown(
            finding, "CONFIG_HIGH_RES_TIMERS has a value that sleeptune does not understand: %.20s",
            config);
    else if (st_facts_text_or(finding->facts, ST_KEY_CMDLINE, NULL) == NULL)
        st_finding_unknown(finding, "the kernel has high-resolution timers; it is unknown whether "
                                    "an option switched them off at boot");
    else
        st_finding_ok(finding, "the kernel has high-resolution timers and no boot option switches "
                               "them off; whether they really run could not be read");
}

static void judge_high_res_timers(struct st_finding *finding)
{
    const int64_t hres = st_facts_int_or(finding->facts, ST_KEY_TIMER_LIST_HRES_ACTIVE, -1),
                  getres = st_facts_int_or(finding->facts, ST_KEY_CLOCK_GETRES_NS, 0);
    if (hres == 0)
        judge_off(finding, "the kernel shows hres_active 0 in /proc/timer_list");
    else if (getres > 1)
        judge_off(finding, "the kernel reports that its timers end only at a clock tick");
    else if (hres == 1 || getres == 1)
        st_finding_fine(finding, "high-resolution timers run, so sleeping threads wake up on time");
    else
        judge_config(finding);
}

const struct st_rule st_rule_linux_high_res_timers = {
    .id = "linux-high-res-timers",
    .title = "High-resolution timers",
    .mechanism = "With high-resolution timers the kernel sets the timer hardware for the end of "
                 "each sleep. Without them the kernel checks for ended sleeps only at each tick, "
                 "so every sleep is rounded up by 1 to 10 ms.",
    .when_not = "never: without them no period shorter than a tick can work",
    .sources = "Linux documentation: kernel-parameters (highres=); Linux source code: "
               "kernel/time/hrtimer.c, kernel/time/timer_list.c\n"
               "manual clock_getres(2): the kernel states 1 ns with high-resolution timers, one "
               "tick without",
    .persistent = ST_MACHINE_FIX_NO_BOOT_OPTION("highres=off"),
    .needs = ST_NEEDS_REBOOT,
    .check = "sudo grep -m 1 resolution /proc/timer_list   # .resolution: 1 nsecs",
    .undo = "leave these timers on: without them every sleep is rounded up to a tick",
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_KEY_CLOCK_GETRES_NS, ST_KEY_TIMER_LIST_HRES_ACTIVE,
                          ST_KEY_TIMER_LIST_RESOLUTION_NS, CONFIG, ST_KEY_CONFIG_HZ, ST_KEY_CMDLINE,
                          ST_KEY_BOOT_OPTIONS),
    .judge = judge_high_res_timers,
};

/* --- linux-clocksource: how long a clock read takes --- */

/** Clocks that a program reads without a system call. */
static const char *const fast[] = {
    "tsc",      "tsc-early",        "kvm-clock",         "hyperv_clocksource_tsc_page",
    "timebase", "arch_sys_counter", "riscv_clocksource", NULL};

/** The best available clock that a program reads without a system call; the kernel lists clocks
 * from best to worst. NULL: none. */
static const char *best_fast(const char *available)
{
    ST_TEXT_EACH (name, st_text("%s", available), " \n") {
        if (st_text_is_among(name, fast) && !st_text_is(name, "tsc-early"))
            return name;
    }
    return NULL;
}

static void judge_slow(const char *current, struct st_finding *finding)
{
    const char *available, *chosen = option_word(finding->facts, "clocksource");
    if (st_finding_need_text(finding, ST_KEY_CLOCKSOURCE_AVAILABLE, &available) != 0) {
        st_finding_advice(
            finding,
            "the system clock is %s, which is slow to read: programs must ask the kernel each time",
            current);
        return;
    }
    const char *best = best_fast(available);
    if (best == NULL) {
        st_finding_advice(finding,
                          "the system clock is %s, because the kernel does not offer the faster "
                          "TSC. Do not force the TSC; 'dmesg | grep -i tsc' shows the reason",
                          current);
        return;
    }
    st_finding_advice(finding, "the system clock is %s, although the faster %s is available%s",
                      current, best, st_text_with(": the kernel command line has ", chosen));
    if (chosen != NULL) {
        fix_option(finding, chosen);
        /* no boot option chooses a hypervisor's own clock; at most, the option that disables the
         * clock is removed */
    } else if (st_text_is(best, "tsc")) {
        st_finding_fix(finding, NULL, finding->rule->persistent, ST_NEEDS_REBOOT);
        st_machine_place_boot_option(finding, "clocksource=tsc", true);
    }
    st_finding_fix_now(
        finding,
        "echo %s | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
        best);
}

static void judge_clocksource(struct st_finding *finding)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "pit", "hyperv_clocksource_msr", NULL};
    const char *current;
    if (st_facts_has_int(finding->facts, ST_KEY_CLOCKSOURCE_UNSTABLE) &&
        !st_facts_has(finding->facts, ST_KEY_CLOCKSOURCE_CURRENT)) {
        st_finding_advice(finding, "the kernel found the fast clock TSC unstable, so it uses hpet "
                                   "or acpi_pm: each clock read needs a system call and is slow");
        return;
    }
    if (st_finding_need_text(finding, ST_KEY_CLOCKSOURCE_CURRENT, &current) != 0)
        return;
    if (st_text_is(current, "jiffies") || st_text_is(current, "refined-jiffies")) {
        const double tick_us = (double)tick_ns(finding->facts) / 1e3;
        st_finding_problem(
            finding,
            "the system clock is jiffies, which moves only once a tick and makes each sleep too "
            "long; 'sudo dmesg | grep -i clocksource' shows why the kernel chose it");
        if (tick_us > 0)
            st_finding_effect(finding, tick_us, "at most one tick of the kernel's clock: %.0f µs",
                              tick_us);
    } else if (st_text_is_among(current, slow)) {
        judge_slow(current, finding);
    } else if (st_text_is(current, "xen")) {
        st_finding_ok(finding,
                      "the system clock is xen, the right one for a virtual machine on Xen");
    } else if (st_text_is_among(current, fast)) {
        st_finding_fine(finding,
                        "the system clock is %s, which programs read fast (without a system call)",
                        current);
    } else {
        st_finding_unknown(finding,
                           "sleeptune does not know the system clock %.40s; 'sleeptune-lab "
                           "syscall' prints how long a clock read takes",
                           current);
    }
}

const struct st_rule st_rule_linux_clocksource = {
    .id = "linux-clocksource",
    .title = "System clock (clocksource): how fast programs can read it",
    .mechanism = "A program reads the clock several times in each cycle. It reads tsc, kvm-clock "
                 "and similar clocks directly; with hpet or acpi_pm each read needs a system call "
                 "and a slow chip: about a microsecond or more.",
    .cost = "none, if the kernel offers the clock TSC",
    .when_not = "the kernel found the clock TSC to be unstable: then it may show a wrong time. "
                "Never add tsc=reliable on a guess.",
    .sources = "Linux documentation: kernel-parameters (clocksource=, tsc=); Linux source code: "
               "kernel/time/clocksource.c\n"
               "how long a clock read takes on this machine: 'sleeptune-lab syscall' prints it",
    .now = "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
    .persistent = ST_MACHINE_FIX_BOOT_OPTION("clocksource=tsc"),
    .check = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource   # tsc; "
             "kvm-clock or the like in a guest\n"
             "sudo dmesg | grep -i clocksource   # not \"unstable\"",
    .undo = ST_MACHINE_UNDO_BOOT_OPTION("clocksource=tsc"),
    .worst = ST_STATUS_PROBLEM,
    .facts =
        ST_RULE_KEYS(ST_KEY_CLOCKSOURCE_CURRENT, ST_KEY_CLOCKSOURCE_AVAILABLE, ST_KEY_CONFIG_HZ,
                     ST_KEY_CMDLINE, ST_KEY_BOOT_OPTIONS, ST_KEY_CLOCKSOURCE_UNSTABLE),
    .judge = judge_clocksource,
};

/* --- linux-timer-slack: how late the kernel may let a normal thread's sleep end --- */

/** The rule gives no advice if the slack is at most 5 us, which is small compared with the wake-up
 * latency, or less than 1/100 of the period. Both limits are a choice of this rule. */
#define ENOUGH_NS    5000
#define ENOUGH_SHARE 100

static void judge_timer_slack(struct st_finding *finding, int64_t slack_ns)
{
    /* only a real-time thread reads 0: for a normal thread, prctl takes 0 for the default */
    if (slack_ns == 0) {
        st_finding_fine(finding, "no timer slack here: the kernel does not lengthen the sleeps of "
                                 "real-time threads, such as the thread that sleeptune looked at");
        return;
    }
    const double slack_us = (double)slack_ns / 1e3;
    /* -1: not known */
    const int64_t fifo_errno = st_facts_int_or(finding->facts, ST_KEY_RT_FIFO_ERRNO, -1);
    if (fifo_errno == 0) {
        st_finding_fine(finding,
                        "this user may use real-time priority, and threads with it sleep exactly; "
                        "a normal thread sleeps up to %.1f µs too long",
                        slack_us);
        return;
    }
    if (slack_ns <= ENOUGH_NS || slack_ns < finding->wish->period_ns / ENOUGH_SHARE) {
        st_finding_ok(finding,
                      "the kernel makes each sleep of a normal thread up to %.1f µs too long "
                      "(timer slack), which does not matter for a period of %.1f ms",
                      slack_us, st_rule_period_us(finding) / 1e3);
        st_finding_effect(finding, slack_us, "at most the timer slack: %.1f µs", slack_us);
        return;
    }
    if (fifo_errno < 0)
        st_finding_unknown(
            finding,
            "without real-time priority each sleep is up to %.1f µs too long; sleeptune does not "
            "know whether your audio thread has real-time priority",
            slack_us);
    else
        st_finding_advice(
            finding, "without real-time priority each sleep is up to %.1f µs too long", slack_us);
    st_finding_effect(finding, slack_us,
                      "at most the timer slack, %.1f µs, however long the period is (threads "
                      "without real-time priority)",
                      slack_us);
    st_rule_fix(finding);
}

const struct st_rule st_rule_linux_timer_slack = {
    .id = "linux-timer-slack",
    .title = "Timer slack of normal threads",
    .mechanism =
        "The kernel may make each sleep of a normal thread too long, by at most the timer slack "
        "(50 µs by default); on an idle CPU it does so nearly each time. Threads with real-time "
        "priority (SCHED_FIFO, SCHED_RR, SCHED_DEADLINE) have no timer slack.",
    .privilege = "none for your own programs; root (CAP_SYS_NICE) for another user's program",
    .cost = "power: fewer sleeps end together, so the CPU wakes up more often",
    .when_not = "your audio threads have real-time priority and so no timer slack; or the machine "
                "runs on battery",
    .sources = "manuals: prctl(2) PR_SET_TIMERSLACK; systemd.exec(5) TimerSlackNSec=\n"
               "Linux source code: kernel/time/hrtimer.c, init/init_task.c; commit ed4fb6d7ef68 "
               "(the value of a real-time thread reads as 0)\n"
               "measured on Linux 6.18 with a period of 1333 µs: threads woke up 66 µs late "
               "(median) with a slack of 50 µs, 16 µs late with 1 ns or with real-time priority\n"
               "limits that sleeptune chose: it gives no advice if the slack is at most 5 µs or "
               "less than a hundredth of the period",
    .history =
        "2.6.28: normal threads get a timer slack of 50 µs unless another value is set; real-time "
        "threads sleep exactly (PR_SET_TIMERSLACK(2const), kernel/time/hrtimer.c)\n"
        "2025: from March on in 6.1.y and 6.6.y, and in newer kernels, timerslack_ns shows 0 for "
        "real-time threads; older kernels show 50000, although their sleeps are exact. Waits for "
        "another thread with a time limit (futex) are exact now, too (commit ed4fb6d7ef68)",
    .now = "# get real-time priority (sleeptune report linux-rt-permission), or for one thread:\n"
           "echo 1000 | sudo tee /proc/TID/timerslack_ns",
    .persistent = "# services started by systemd, in the unit\n[Service]\nTimerSlackNSec=1us",
    .check = "cat /proc/TID/timerslack_ns   # 1000; a real-time thread shows 0 (older kernels: "
             "50000, without effect)",
    .undo =
        "echo 50000 | sudo tee /proc/TID/timerslack_ns, or remove TimerSlackNSec= from the unit",
    .worst = ST_STATUS_PROBLEM,
    .problem_share = 1,
    .facts = ST_RULE_KEYS(ST_KEY_TIMER_SLACK_NS, ST_KEY_RT_FIFO_ERRNO),
    .most = INT64_MAX,
    .of_user = true,
    .judge_number = judge_timer_slack,
};
