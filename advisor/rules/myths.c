/* Settings that other guides name and that an audio program does not notice: these rules can only
 * say ok. */
#include "advisor/rules/rule.h"

const struct st_rule st_rule_linux_split_lock = {
    .id = "linux-split-lock",
    .title = "Split locks",
    .mechanism = "A split lock is an atomic operation on memory that lies in two cache lines; it "
                 "stops all CPUs for a moment, and the kernel makes the program wait for 10 ms at "
                 "each one. Windows plug-ins and games under Wine are often affected.",
    .cost = "security: with 0 any program can slow all others down",
    .when_not = "the kernel's log does not name the audio program (\"took a split_lock trap\"). If "
                "it does: write kernel.split_lock_mitigate=0 into /etc/sysctl.d/90-sleeptune.conf "
                "and restart. A program that "
                "\"took a bus_lock trap\" was not made to wait",
    .sources =
        "Linux arch/x86/kernel/cpu/bus_lock.c; commits b041b525dab9 (the slow-down), 727209376f49 "
        "(the sysctl, 6.2); Documentation/admin-guide/sysctl/kernel.rst: split_lock_mitigate",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.sysctl.kernel.split_lock_mitigate"),
    .most = 1,
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_OK, "programs with split locks are warned about, not slowed down"},
        {1, ST_STATUS_OK,
         "the kernel stops a program for 10 ms at each split lock (a rare, slow access to memory), "
         "if the CPU reports them. To find such programs: sudo dmesg | grep 'split_lock trap'"}),
};

const struct st_rule st_rule_linux_hz = {
    .id = "linux-hz",
    .title = "Timer ticks (CONFIG_HZ)",
    .mechanism = "HZ is how many times a second the kernel interrupts a busy CPU for accounting "
                 "and time slices. Sleeps wait for these ticks only without high-resolution timers "
                 "(see 'sleeptune report linux-high-res-timers').",
    .privilege = "another kernel",
    .when_not = "systems with high-resolution timers (nearly all): leave HZ as it is",
    .sources =
        "Linux kernel/Kconfig.hz, kernel/time/hrtimer.c; Documentation/timers/highres.rst (2.6.21)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(ST_KEY_CONFIG_HZ),
    .least = 1,
    .most = INT64_MAX,
    .cases = ST_RULE_CASES({0, ST_STATUS_OK,
                            "HZ={}; this is the number of clock ticks a second; with "
                            "high-resolution timers sleeps do not depend on it"}),
};
