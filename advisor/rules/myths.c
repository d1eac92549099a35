/* Settings that other guides name and that an audio program does not notice: these rules can only say ok. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

/* --- linux-mitigations: Mitigations of CPU vulnerabilities: not a setting for audio. --- */

static void judge_mitigations(struct st_finding *finding)
{
    const char *cmdline;
    char value[128];
    if (st_finding_need_text(finding, ST_MACHINE_CMDLINE, &cmdline) != 0)
        return;
    const int r = st_machine_boot_option(finding->facts, "mitigations", value, sizeof(value));
    if (r == 0 && strcmp(value, "off") == 0)
        st_finding_ok(finding,
                      "mitigations are off: system calls are a little faster, but the machine is open to "
                      "attacks");
    else
        st_finding_ok(finding, "mitigations of CPU vulnerabilities are on, as they should be");
    st_finding_effect(finding, 0,
                      "they make system calls slower, but not sleeps; an audio thread that sleeps once in "
                      "each cycle gains nothing without them");
}

const struct st_rule st_rule_linux_mitigations = {
    .id = "linux-mitigations",
    .title = "Mitigations of CPU vulnerabilities",
    .mechanism = "Mitigations make each system call a little slower. An audio thread makes only a few "
                 "system calls in each cycle, so they do not make it late. Some guides still say that you "
                 "should turn them off.",
    .cost = "security: without them programs and web pages may read memory that is not theirs",
    .when_not = "you only want better audio timing: this does not change it",
    .sources = "Linux kernel-parameters.txt: mitigations=; the order of a microsecond: not verified",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = ST_RULE_KEYS(ST_MACHINE_CMDLINE),
    .judge = judge_mitigations,
};

/* --- linux-smt: Two hardware threads a core. --- */

#define ACTIVE  "linux.smt.active"
#define CONTROL "linux.smt.control"

const struct st_rule st_rule_linux_smt = {
    .id = "linux-smt",
    .title = "Hardware threads (SMT, Hyper-Threading)",
    .mechanism = "Two hardware threads share one core, so a callback takes longer while the other hardware "
                 "thread is busy. With many tracks you still gain from the second hardware thread.",
    .cost = "throughput: without it the machine is slower by a fifth or more (not measured here)",
    .when_not = "on most machines. Try it only if the DSP load has peaks above 70 % and a low average: echo "
                "off | sudo tee /sys/devices/system/cpu/smt/control",
    .sources =
        "Linux kernel-parameters.txt: nosmt; Documentation/ABI/testing/sysfs-devices-system-cpu: smt/control",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(ACTIVE, CONTROL),
    .cases = ST_RULE_CASES(
        {ST_CASE_IS, 0, ST_STATUS_OK, "each CPU has its core for itself", "no hardware threads share a core"},
        {ST_CASE_IS, 1, ST_STATUS_OK,
         "two hardware threads share a core: while one is busy, the other computes more slowly, but does "
         "not wake later",
         "threads do not wake later; they compute more slowly, and 'sleeptune measure --load' shows it"},
        {ST_CASE_ELSE, 0, ST_STATUS_UNKNOWN, "smt/active is neither 0 nor 1"}),
};

/* --- linux-split-lock: kernel.split_lock_mitigate: programs with split locks are slowed down on purpose.
 * --- */

#define MITIGATE "linux.sysctl.kernel.split_lock_mitigate"

const struct st_rule st_rule_linux_split_lock = {
    .id = "linux-split-lock",
    .title = "Split locks",
    .mechanism = "A split lock is an atomic operation on memory that lies in two cache lines; it stops all "
                 "CPUs for a moment. At each split lock the kernel makes the program wait for 10 ms. "
                 "Windows plug-ins and games under Wine are often affected.",
    .cost = "security: with 0 any program can slow all others down",
    .when_not = "the log does not name the audio program (\"took a split_lock trap\"). If it does: "
                "kernel.split_lock_mitigate=0 in /etc/sysctl.d/90-sleeptune.conf",
    .sources = "Linux arch/x86/kernel/cpu/bus_lock.c; commits b041b525dab9 (the slow-down), 727209376f49 "
               "(the sysctl, 6.2)\n"
               "Documentation/admin-guide/sysctl/kernel.rst: split_lock_mitigate",
    .history = "6.2: the sysctl split_lock_mitigate (commit 727209376f49)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(MITIGATE),
    .cases = ST_RULE_CASES({ST_CASE_IS, 0, ST_STATUS_OK,
                            "programs with split locks are warned about, not slowed down",
                            "split_lock_mitigate=0"},
                           {ST_CASE_IS, 1, ST_STATUS_OK,
                            "a program is stopped for 10 ms at each split lock; to look for such programs: "
                            "sudo dmesg | grep -i 'split lock'",
                            "programs without split locks are not affected"},
                           {ST_CASE_ELSE, 0, ST_STATUS_UNKNOWN, "split_lock_mitigate of {} is not valid"}),
};

/* --- linux-inotify-watches: fs.inotify.max_user_watches: no setting of timing. --- */

#define WATCHES "linux.sysctl.fs.inotify.max_user_watches"

const struct st_rule st_rule_linux_inotify_watches = {
    .id = "linux-inotify-watches",
    .title = "Watches for changed files",
    .mechanism = "The limit says how many files programs may watch for changes. Old audio guides recommend "
                 "524288. A DAW that shows a large sample folder may need it, but the timing of sound does "
                 "not depend on it.",
    .cost = "memory: about 1 KiB for each watched file",
    .when_not = "you want better timing: this limit does not change it. If a program says that it has run "
                "out of watches: fs.inotify.max_user_watches in /etc/sysctl.d",
    .sources = "inotify(7); realtimeConfigQuickScan asks for it; Linux 5.11 made the default depend on "
               "memory (commit 92890123749b: not verified)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(WATCHES),
    .cases = ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "{} files may be watched for changes; that has nothing to do with timing",
                            "no thread waits for it"}),
};

/* --- linux-hpet-frequency: Frequency limits of /dev/hpet and /dev/rtc: nothing that plays opens them. --- */

#define HPET "linux.sysctl.dev.hpet.max-user-freq"
#define RTC  "linux.rtc.max_user_freq_hz"

static void judge_hpet_frequency(struct st_finding *finding)
{
    int64_t hz;
    const bool has_hpet = st_facts_int(finding->facts, HPET, &hz) != -ENOENT;
    if (st_finding_need_int(finding, has_hpet ? HPET : RTC, &hz) != 0)
        return;
    st_finding_quote(finding, RTC);
    st_finding_ok(finding,
                  "programs may ask /dev/%s for %" PRId64 " Hz; sound servers and sleeps do not use it",
                  has_hpet ? "hpet" : "rtc", hz);
    st_finding_effect(finding, 0, "clock_nanosleep and ALSA use the kernel's own timers");
}

const struct st_rule st_rule_linux_hpet_frequency = {
    .id = "linux-hpet-frequency",
    .title = "Frequency of HPET and RTC for programs",
    .mechanism = "The limit applies only to programs that open /dev/hpet or /dev/rtc and ask for periodic "
                 "interrupts. Old guides raise it, but today's programs sleep with high-resolution timers, "
                 "which have no such limit.",
    .cost = "none",
    .when_not =
        "you want better timing of sound: this limit does not change it, except maybe for a MIDI sequencer "
        "from before 2010 that opens /dev/rtc",
    .sources = "Linux drivers/char/hpet.c (default 64), drivers/rtc; an ALSA developer called it irrelevant "
               "(realtimeConfigQuickScan issue 33)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(HPET, RTC),
    .judge = judge_hpet_frequency,
};

/* --- freebsd-cpu-binding: cpuset: threads and interrupts bound to CPUs. --- */

#define CPU_BINDING_FACT "freebsd.kern.smp.cpus"

#define BINDING                                                                                              \
    ": leave threads and interrupts where the scheduler puts them, unless this machine does nothing else"

#define BINDING_EFFECT "a real-time thread takes any CPU at once"

const struct st_rule st_rule_freebsd_cpu_binding = {
    .id = "freebsd-cpu-binding",
    .title = "Threads and interrupts on fixed CPUs (cpuset)",
    .mechanism = "'cpuset -l' binds threads to CPUs, 'cpuset -x' an interrupt. A real-time thread gets a "
                 "CPU at once also without this. Binding helps only on a CPU that does nothing else, and "
                 "FreeBSD does not keep a CPU free by itself.",
    .cost = "throughput: a bound thread cannot use other CPUs that are idle",
    .when_not = "desktops: a thread that is bound to a busy CPU waits while others are idle",
    .sources = "cpuset(1), cpuset_setaffinity(2); the effect was not measured",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(CPU_BINDING_FACT),
    .cases = ST_RULE_CASES({ST_CASE_IS, 1, ST_STATUS_OK, "{} CPU" BINDING, BINDING_EFFECT},
                           {ST_CASE_ELSE, 0, ST_STATUS_OK, "{} CPUs" BINDING, BINDING_EFFECT}),
};

/* --- freebsd-no-linux-knobs: What Linux guides recommend and FreeBSD does not have. --- */

#define NO_LINUX_KNOBS_FACT "freebsd.kern.osreldate"

const struct st_rule st_rule_freebsd_no_linux_knobs = {
    .id = "freebsd-no-linux-knobs",
    .title = "Settings of Linux guides that do not exist here",
    .mechanism = "FreeBSD has no timer slack for each process, no /dev/cpu_dma_latency, no threadirqs "
                 "(interrupts run in threads of their own anyway), no choice of preemption at run time "
                 "(GENERIC has PREEMPTION), no limit on real-time priorities (RLIMIT_RTPRIO) and none on "
                 "real-time CPU time.",
    .cost = "none",
    .when_not = "you use FreeBSD: these settings do not exist there. Look at alloweddeviation, cx_lowest, "
                "mac_priority and login.conf instead",
    .sources = "FreeBSD sys/conf/NOTES (PREEMPTION), sys/kern/kern_intr.c, getrlimit(2)\n"
               "measured on 13.2 and 15.1: SCHED_FIFO 0 to 31, no real-time limit",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(NO_LINUX_KNOBS_FACT),
    .cases = ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "timer slack, cpu_dma_latency, threadirqs, PREEMPT_RT: nothing to set on FreeBSD",
                            "they do not exist on FreeBSD"}),
};
