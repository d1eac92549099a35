/* Settings that other guides name and that an audio program does not notice: these rules can only say ok. */
#include "advisor/rules/rule.h"

const struct st_rule st_rule_linux_mitigations = {
    .id = "linux-mitigations",
    .title = "Mitigations of CPU vulnerabilities",
    .mechanism =
        "Mitigations make each system call a little slower. An audio thread makes only a few in each "
        "cycle, so they do not make it late; some guides still say that you should turn them off.",
    .cost = "security: without mitigations programs and web pages may read memory of other programs",
    .when_not = "you only want better audio timing: this does not change it",
    .sources = "Linux kernel-parameters.txt: mitigations=; the order of a microsecond: not verified",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = ST_RULE_KEYS("linux.cmdline"),
    .cases =
        ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                       "mitigations make system calls slower, but not sleeps. Without them (mitigations=off) "
                       "the machine is open to attacks"}),
};

const struct st_rule st_rule_linux_smt = {
    .id = "linux-smt",
    .title = "Hardware threads (SMT, Hyper-Threading)",
    .mechanism = "Two hardware threads share one core, so a callback takes longer while the other hardware "
                 "thread is busy. With many tracks you still gain from the second hardware thread.",
    .cost =
        "throughput: with one hardware thread for each core the machine is slower by a fifth or more (not "
        "measured here)",
    .when_not =
        "on most machines. Try one hardware thread for each core only if the DSP load has peaks above 70 % "
        "and a low average: echo off | sudo tee /sys/devices/system/cpu/smt/control",
    .sources =
        "Linux kernel-parameters.txt: nosmt; Documentation/ABI/testing/sysfs-devices-system-cpu: smt/control",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.smt.active", "linux.smt.control"),
    .cases = ST_RULE_CASES(
        {ST_CASE_IS, 0, ST_STATUS_OK, "each CPU has its core for itself"},
        {ST_CASE_IS, 1, ST_STATUS_OK,
         "two hardware threads share a core: while one is busy, the other computes more slowly ('sleeptune "
         "measure --load' shows it), but does not wake later"},
        {ST_CASE_ELSE, 0, ST_STATUS_UNKNOWN, "smt/active is neither 0 nor 1"}),
};

const struct st_rule st_rule_linux_split_lock = {
    .id = "linux-split-lock",
    .title = "Split locks",
    .mechanism = "A split lock is an atomic operation on memory that lies in two cache lines; it stops all "
                 "CPUs for a moment, and the kernel makes the program wait for 10 ms at each one. Windows "
                 "plug-ins and games under Wine are often affected.",
    .cost = "security: with 0 any program can slow all others down",
    .when_not = "the log does not name the audio program (\"took a split_lock trap\"). If it does: "
                "kernel.split_lock_mitigate=0 in /etc/sysctl.d/90-sleeptune.conf",
    .sources = "Linux arch/x86/kernel/cpu/bus_lock.c; commits b041b525dab9 (the slow-down), 727209376f49 "
               "(the sysctl, 6.2); Documentation/admin-guide/sysctl/kernel.rst: split_lock_mitigate",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.sysctl.kernel.split_lock_mitigate"),
    .cases = ST_RULE_CASES(
        {ST_CASE_IS, 0, ST_STATUS_OK, "programs with split locks are warned about, not slowed down"},
        {ST_CASE_IS, 1, ST_STATUS_OK,
         "a program is stopped for 10 ms at each split lock; to look for such programs: sudo dmesg | grep -i "
         "'split lock'"},
        {ST_CASE_ELSE, 0, ST_STATUS_UNKNOWN, "split_lock_mitigate of {} is not valid"}),
};

const struct st_rule st_rule_linux_inotify_watches = {
    .id = "linux-inotify-watches",
    .title = "Watches for changed files",
    .mechanism =
        "The limit says how many files programs may watch for changes; old audio guides recommend 524288. A "
        "DAW that shows a large sample folder may need it, but the timing of sound does not depend on it.",
    .cost = "memory: about 1 KiB for each watched file",
    .when_not = "you want better timing: this limit does not change it. If a program says that it has run "
                "out of watches: fs.inotify.max_user_watches in /etc/sysctl.d",
    .sources = "inotify(7); realtimeConfigQuickScan asks for it; Linux 5.11 made the default depend on "
               "memory (commit 92890123749b: not verified)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.sysctl.fs.inotify.max_user_watches"),
    .cases = ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "{} files may be watched for changes; that has nothing to do with timing"}),
};

const struct st_rule st_rule_linux_hpet_frequency = {
    .id = "linux-hpet-frequency",
    .title = "Highest rate at which programs may use HPET and RTC",
    .mechanism = "The limit applies only to programs that open /dev/hpet or /dev/rtc and ask for periodic "
                 "interrupts. Today's programs sleep with high-resolution timers, which have no such limit.",
    .cost = "none",
    .when_not = "you want better timing of sound: this limit does not change it, except maybe for a MIDI "
                "sequencer from before 2010 that opens /dev/rtc",
    .sources = "Linux drivers/char/hpet.c (default 64), drivers/rtc; an ALSA developer called it irrelevant "
               "(realtimeConfigQuickScan issue 33)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.sysctl.dev.hpet.max-user-freq"),
    .cases =
        ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                       "programs may ask /dev/hpet for {} Hz; sound servers, ALSA and sleeps do not use it"}),
};

const struct st_rule st_rule_linux_hz = {
    .id = "linux-hz",
    .title = "Timer ticks (CONFIG_HZ)",
    .mechanism = "HZ is how many times a second the kernel interrupts a busy CPU for accounting and time "
                 "slices. Sleeps wait for these ticks only without high-resolution timers (see finding "
                 "linux-high-res-timers).",
    .privilege = "another kernel",
    .cost = "none",
    .when_not = "systems with high-resolution timers (nearly all): leave HZ as it is",
    .sources = "Linux kernel/Kconfig.hz, kernel/time/hrtimer.c; Documentation/timers/highres.rst (2.6.21)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.config.HZ"),
    .cases =
        ST_RULE_CASES({ST_CASE_BELOW, 1, ST_STATUS_UNKNOWN, "HZ={} is not valid"},
                      {ST_CASE_ELSE, 0, ST_STATUS_OK,
                       "HZ={}; with high-resolution timers (see finding linux-high-res-timers) sleeps do "
                       "not depend on it"}),
};

#define BINDING                                                                                              \
    ": leave threads and interrupts where the scheduler puts them, unless this machine does nothing else"

const struct st_rule st_rule_freebsd_cpu_binding = {
    .id = "freebsd-cpu-binding",
    .title = "Threads and interrupts on fixed CPUs (cpuset)",
    .mechanism = "'cpuset -l' binds threads to CPUs, 'cpuset -x' an interrupt; a real-time thread gets a CPU "
                 "at once also without this. Binding helps only on a CPU that does nothing else, and FreeBSD "
                 "does not keep a CPU free by itself.",
    .cost = "throughput: a bound thread cannot use other CPUs that are idle",
    .when_not = "desktops: a thread that is bound to a busy CPU waits while others are idle",
    .sources = "cpuset(1), cpuset_setaffinity(2); the effect was not measured",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("freebsd.kern.smp.cpus"),
    .cases = ST_RULE_CASES({ST_CASE_IS, 1, ST_STATUS_OK, "{} CPU" BINDING},
                           {ST_CASE_ELSE, 0, ST_STATUS_OK, "{} CPUs" BINDING}),
};

const struct st_rule st_rule_freebsd_no_linux_knobs = {
    .id = "freebsd-no-linux-knobs",
    .title = "Settings of Linux guides that do not exist here",
    .mechanism = "FreeBSD has no timer slack for each process, no /dev/cpu_dma_latency, no threadirqs "
                 "(interrupts run in threads anyway), no choice of preemption at run time (GENERIC has "
                 "PREEMPTION), and no limit on real-time priorities or real-time CPU time.",
    .cost = "none",
    .when_not = "you use FreeBSD: look at alloweddeviation, cx_lowest, mac_priority and login.conf instead",
    .sources = "FreeBSD sys/conf/NOTES (PREEMPTION), sys/kern/kern_intr.c, getrlimit(2)\n"
               "measured on 13.2 and 15.1: SCHED_FIFO 0 to 31, no real-time limit",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("freebsd.kern.osreldate"),
    .cases =
        ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                       "timer slack, cpu_dma_latency, threadirqs, PREEMPT_RT: nothing to set on FreeBSD"}),
};
