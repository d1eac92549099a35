/* Settings that other guides name and that an audio program does not notice: these rules can only
 * say ok. */
#include "advisor/rules/rule.h"

const struct st_rule st_rule_linux_split_lock = {
    .id = "linux-split-lock",
    .title = "Split locks (programs that the kernel slows down)",
    .mechanism = "A split lock is a rare, badly placed access to memory that stops all CPUs for a "
                 "moment; the kernel makes a program that does this wait for 10 ms each time. "
                 "Windows plug-ins and games under Wine are often affected.",
    .cost = "security: with split_lock_mitigate=0 any program can slow all others down",
    .when_not =
        "the kernel's log does not say that your audio program \"took a split_lock trap\". If it "
        "does: write kernel.split_lock_mitigate=0 into /etc/sysctl.d/90-sleeptune.conf and "
        "restart. A program that \"took a bus_lock trap\" was not made to wait",
    .sources = "Linux documentation: admin-guide/sysctl/kernel.rst, split_lock_mitigate; Linux "
               "source code: arch/x86/kernel/cpu/bus_lock.c; commits b041b525dab9 (makes programs "
               "wait), 727209376f49 (the setting, from 6.2 on)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.sysctl.kernel.split_lock_mitigate"),
    .most = 1,
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_OK,
         "the kernel warns about programs with split locks, and does not slow them down"},
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
    .sources = "Linux source code: kernel/Kconfig.hz, kernel/time/hrtimer.c; Linux documentation: "
               "timers/highres.rst (from 2.6.21 on)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(ST_KEY_CONFIG_HZ),
    .least = 1,
    .most = INT64_MAX,
    .cases = ST_RULE_CASES({0, ST_STATUS_OK,
                            "the kernel has {} clock ticks a second (HZ); with high-resolution "
                            "timers sleeps do not depend on that"}),
};
