/* High-resolution timers: proof at run time first, the configuration last. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define GETRES     "linux.clock_getres_ns"
#define HRES       "linux.timer_list.hres_active"
#define RESOLUTION "linux.timer_list.resolution_ns"
#define CONFIG     "linux.config.HIGH_RES_TIMERS"
#define CONFIG_HZ  "linux.config.HZ"

#define HZ_MAX 10000

/** The tick in ns by what is known, 0 when nothing is. */
static int64_t tick_ns(const struct st_facts *facts)
{
    int64_t value;
    if (st_facts_int(facts, GETRES, &value) == 0 && value > 1)
        return value;
    if (st_facts_int(facts, RESOLUTION, &value) == 0 && value > 1)
        return value;
    if (st_facts_int(facts, CONFIG_HZ, &value) == 0 && value >= 1 && value <= HZ_MAX)
        return 1000000000 / value;
    return 0;
}

static void judge_off(const struct st_facts *facts, struct st_finding *finding, const char *why)
{
    const int64_t tick = tick_ns(facts);
    const char *config;
    if (st_facts_text(facts, CONFIG, &config) != 0)
        config = "y";
    const double tick_us = (double)tick / 1e3;
    if (tick > 0) {
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "high-resolution timers are off (%s): each sleep is up to %.0f µs late", why, tick_us);
        st_finding_effect(finding, tick_us, "one tick: %.1f µs", tick_us);
    } else {
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "high-resolution timers are off (%s): each sleep is rounded to a tick, 1 to 10 ms",
                       why);
    }
    st_finding_fix(finding, NULL,
                   strcmp(config, "n") == 0 ? "# use a kernel with CONFIG_HIGH_RES_TIMERS=y"
                                            : ST_MACHINE_FIX_NO_BOOT_OPTION("highres=off"),
                   ST_NEEDS_REBOOT);
}

/** Only the configuration is known. */
static void judge_config(const struct st_facts *facts, struct st_finding *finding)
{
    const char *config;
    char option[16];
    st_finding_quote(finding, facts, ST_MACHINE_CMDLINE);
    const int boot = st_machine_boot_option(facts, "highres", option, sizeof(option));
    if (boot == 0 && st_machine_is_off(option)) {
        judge_off(facts, finding, "highres=off on the kernel command line");
        return;
    }
    if (st_finding_need_text(finding, facts, CONFIG, &config) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(finding, ST_STATUS_UNKNOWN,
                           "neither the clock's resolution nor the kernel's configuration is known");
        return;
    }
    if (strcmp(config, "n") == 0)
        judge_off(facts, finding, "not in this kernel's configuration");
    else if (strcmp(config, "y") == 0 && boot == -ENODATA)
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "high-resolution timers are built in; whether they were switched off at boot is not known");
    else if (strcmp(config, "y") == 0)
        st_finding_set(
            finding, ST_STATUS_OK,
            "high-resolution timers are built in and not switched off; nothing here proves that they run");
    else
        st_finding_set(finding, ST_STATUS_UNKNOWN, "CONFIG_HIGH_RES_TIMERS is %.20s, which is not understood",
                       config);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t hres, getres;
    (void)wish;
    st_finding_quote(finding, facts, HRES);
    st_finding_quote(finding, facts, GETRES);
    const bool has_hres = st_facts_int(facts, HRES, &hres) == 0;
    const bool has_getres = st_facts_int(facts, GETRES, &getres) == 0;
    if (has_hres && hres == 0) {
        judge_off(facts, finding, "/proc/timer_list says hres_active 0");
    } else if (has_getres && getres > 1) {
        judge_off(facts, finding, "the clock's resolution is a tick");
    } else if ((has_hres && hres == 1) || (has_getres && getres == 1)) {
        st_finding_set(finding, ST_STATUS_OK, "high-resolution timers run: %s",
                       has_hres ? "hres_active is 1" : "the clock's resolution is 1 ns");
        st_finding_effect(finding, 0, "resolution 1 ns: sleeps do not wait for a tick");
    } else {
        judge_config(facts, finding);
    }
}

const struct st_rule st_rule_linux_high_res_timers = {
    .id = "linux-high-res-timers",
    .os = ST_OS_LINUX,
    .title = "High-resolution timers",
    .mechanism = "With high-resolution timers the kernel sets the timer hardware for the end of each sleep. "
                 "Without them it "
                 "looks only at each tick, so every sleep is rounded up by 1 to 10 ms.",
    .privilege = "root",
    .cost = "none",
    .when_not = "never: nothing short of a tick can be kept without them",
    .sources = "kernel-parameters (highres=); Linux kernel/time/hrtimer.c, kernel/time/timer_list.c\n"
               "clock_getres(2): 1 ns with, one tick without",
    .history = "2.6.16: hrtimers, at the resolution of a tick (Documentation/timers/hrtimers.rst)\n"
               "2.6.21: high-resolution mode and the tickless idle CPU (Documentation/timers/highres.rst)",
    .guide =
        {
            .persistent = ST_MACHINE_FIX_NO_BOOT_OPTION("highres=off"),
            .needs = ST_NEEDS_REBOOT,
            .check = "sudo grep -m 1 resolution /proc/timer_list   # .resolution: 1 nsecs",
            .undo = "nothing to undo: without these timers every sleep is rounded up to a tick",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){GETRES, HRES, RESOLUTION, CONFIG, CONFIG_HZ, ST_MACHINE_CMDLINE, NULL},
    .judge = judge,
};
