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

/* --- linux-stale-sysctls: Scheduler settings of old guides in sysctl.d. --- */

#define CONFIGURED "linux.sysctl_conf."
#define RUNNING    "linux.sysctl."

static void judge_stale_sysctls(struct st_finding *finding)
{
    size_t stale_n = 0, unread_n = 0;
    const struct st_fact *first = NULL; /* stale, or else the first */
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(finding->facts, CONFIGURED, "", fact)) != NULL;) {
        char key[160];
        const char *value;
        if (fact->state == ST_FACT_ABSENT)
            continue;
        if (first == NULL)
            first = fact;
        if (fact->state != ST_FACT_OK) {
            unread_n++;
            continue;
        }
        snprintf(key, sizeof(key), RUNNING "%.100s", fact->key + sizeof(CONFIGURED) - 1);
        if (st_facts_find(finding->facts, key) == NULL ||
            st_facts_find(finding->facts, key)->state != ST_FACT_ABSENT)
            continue;
        if (stale_n++ == 0 && st_facts_text(finding->facts, fact->key, &value) == 0)
            first = fact;
    }
    if (first == NULL) {
        st_finding_not_applicable(finding, "/etc/sysctl.d has no scheduler setting");
        return;
    }
    st_finding_quote(finding, first->key);
    const char *name = first->key + sizeof(CONFIGURED) - 1;
    if (stale_n > 0) {
        char key[160];
        snprintf(key, sizeof(key), RUNNING "%.100s", name);
        st_finding_quote(finding, key);
        st_finding_ok(finding, "%.60s is set at boot, but this kernel has no such setting%s: remove the line",
                      name, stale_n > 1 ? " (and others)" : "");
        st_finding_effect(finding, 0, "it was for normal threads, and does nothing any more");
    } else if (unread_n > 0) {
        st_finding_unknown(finding, "%.60s is set at boot to a value that sleeptune does not understand",
                           name);
    } else {
        st_finding_ok(finding, "the scheduler settings in /etc/sysctl.d exist on this kernel");
        st_finding_effect(finding, 0,
                          "such settings are for normal threads; real-time threads come first in any case");
    }
}

const struct st_rule st_rule_linux_stale_sysctls = {
    .id = "linux-stale-sysctls",
    .title = "Scheduler settings of old guides",
    .mechanism =
        "sched_latency_ns, sched_min_granularity_ns and similar settings changed how normal threads share a "
        "CPU, and never affected real-time threads. Linux 5.13 removed them from sysctl: at boot they only "
        "cause an error message.",
    .cost = "none",
    .when_not = "machines that also boot a kernel before 5.13",
    .sources = "Linux commit 8a99b6833c88 (settings move to debugfs, 5.13: release not verified); "
               "kernel/sched/debug.c; EEVDF (6.6) leaves base_slice_ns",
    .history = "5.13: sched_latency_ns and similar ones move from sysctl to debugfs (commit 8a99b6833c88; "
               "release not verified)\n"
               "6.6: EEVDF leaves base_slice_ns only (kernel/sched/debug.c)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.sysctl_conf.kernel.sched_*", "linux.sysctl.kernel.sched_*"),
    .judge = judge_stale_sysctls,
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

/* --- linux-pci-latency-timer: The PCI latency timer of sound cards: a thing of conventional PCI. --- */

#define PREFIX ".latency_timer"

static void judge_pci_latency_timer(struct st_finding *finding)
{
    size_t cards_n = 0, unread_n = 0, old_n = 0;
    int64_t timer = 0;
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(finding->facts, "linux.pci_sound.", PREFIX, fact)) != NULL;) {
        char key[160];
        int64_t value, express;
        if (fact->state == ST_FACT_ABSENT)
            continue;
        st_finding_quote(finding, fact->key);
        if (st_facts_int(finding->facts, fact->key, &value) != 0) {
            unread_n++;
            continue;
        }
        cards_n++;
        snprintf(key, sizeof(key), "%.*s.express", (int)(strlen(fact->key) - (sizeof(PREFIX) - 1)),
                 fact->key);
        if (st_facts_int(finding->facts, key, &express) == 0 && express != 0)
            continue;
        old_n++;
        timer = value;
    }
    if (cards_n == 0) {
        st_finding_set(finding, unread_n > 0 ? ST_STATUS_UNKNOWN : ST_STATUS_NOT_APPLICABLE,
                       unread_n > 0 ? "the configuration of the sound card could not be read"
                                    : "this machine has no PCI sound card");
        return;
    }
    if (old_n == 0)
        st_finding_ok(finding, "the sound card is on PCI Express, where the latency timer means nothing");
    else
        st_finding_ok(finding,
                      "the latency timer is %" PRId64 "; it does not matter for a sound device inside the "
                      "chip set",
                      timer);
    st_finding_effect(finding, 0, "no thread waits for it");
}

const struct st_rule st_rule_linux_pci_latency_timer = {
    .id = "linux-pci-latency-timer",
    .title = "PCI latency timer",
    .mechanism = "The latency timer limits how long a card may use a conventional PCI bus. PCI Express has "
                 "no such bus and ignores it: 'setpci latency_timer=b0' from old guides does nothing there.",
    .cost = "none",
    .when_not = "your card is not in a conventional PCI slot (machines from before about 2010): then it "
                "changes nothing",
    .sources =
        "PCI Express Base Specification: the register is hard-wired to 0 (not verified); old audio guides",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS("linux.pci_sound.*.latency_timer", "linux.pci_sound.*.express"),
    .judge = judge_pci_latency_timer,
};

/* --- freebsd-idle-ticks: kern.eventtimer.idletick and singlemul. --- */

#define FACT              "freebsd.kern.eventtimer.idletick"
#define SINGLEMUL         "freebsd.kern.eventtimer.singlemul"
#define PERIODIC          "freebsd.kern.eventtimer.periodic"
#define IDLE_TICKS_EFFECT "neither idletick nor singlemul makes a sleep later in one-shot mode"

const struct st_rule st_rule_freebsd_idle_ticks = {
    .id = "freebsd-idle-ticks",
    .title = "Ticks on idle CPUs (idletick, singlemul)",
    .mechanism = "idletick keeps the clock tick running on idle CPUs. This costs power, and exact sleeps do "
                 "not end earlier. singlemul multiplies the interrupts of a periodic timer; in one-shot "
                 "mode it does nothing.",
    .cost = "power",
    .when_not = "the event timer is periodic: then singlemul matters (see finding freebsd-eventtimer)",
    .sources = "eventtimers(4)\nFreeBSD sys/kern/kern_clocksource.c setuptimer(), getnextcpuevent()",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(FACT, SINGLEMUL, PERIODIC),
    .cases = ST_RULE_CASES(
        {ST_CASE_UNREAD, 0, ST_STATUS_UNKNOWN,
         "the effect of idletick {} depends on kern.eventtimer.periodic, which could not be read", NULL,
         PERIODIC},
        {ST_CASE_IS_NOT, 0, ST_STATUS_OK,
         "the event timer is periodic, so singlemul matters: see finding freebsd-eventtimer",
         IDLE_TICKS_EFFECT, PERIODIC},
        {ST_CASE_IS, 0, ST_STATUS_OK, "idle CPUs do not tick (idletick 0), and no sleep waits for a tick",
         IDLE_TICKS_EFFECT},
        {ST_CASE_ELSE, 0, ST_STATUS_OK, "idle CPUs keep ticking (idletick 1): that costs power, not time",
         IDLE_TICKS_EFFECT}),
};

/* --- freebsd-stepwarnings: kern.timecounter.stepwarnings: diagnosis only. --- */

#define STEPWARNINGS_FACT "freebsd.kern.timecounter.stepwarnings"

const struct st_rule st_rule_freebsd_stepwarnings = {
    .id = "freebsd-stepwarnings",
    .title = "Reports of clock steps (stepwarnings)",
    .mechanism = "With stepwarnings the kernel logs each time the wall clock is set. timehands_count, tick "
                 "and tc.* only describe the clock hardware. None of them changes when a sleep ends, "
                 "because audio programs sleep by a different clock (CLOCK_MONOTONIC).",
    .cost = "none",
    .when_not = "you want to know what sets the clock: then use stepwarnings=1 for some time",
    .sources = "FreeBSD sys/kern/kern_tc.c; sysctl -d as captured on 13.2 and 15.1",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(STEPWARNINGS_FACT),
    .cases = ST_RULE_CASES({ST_CASE_IS, 0, ST_STATUS_OK,
                            "steps of the clock are not logged; that does not affect sleeps",
                            "diagnosis "
                            "only"},
                           {ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "steps of the clock are logged; that does not affect sleeps", "diagnosis only"}),
};

/* --- freebsd-snd-timeout: hw.snd.timeout: when a silent card is given up. --- */

#define SND_TIMEOUT_FACT "freebsd.hw.snd.timeout"

const struct st_rule st_rule_freebsd_snd_timeout = {
    .id = "freebsd-snd-timeout",
    .title = "Time limit for silent cards (hw.snd.timeout)",
    .mechanism = "If a card sends no interrupt for this number of seconds, the kernel declares its channel "
                 "dead. While a card works, the value has no effect.",
    .cost = "none",
    .when_not = "you want lower latency: a shorter time does not change it",
    .sources = "FreeBSD sys/dev/sound/pcm/channel.c; sound(4) (\"play interrupt timeout, channel dead\")",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(SND_TIMEOUT_FACT),
    .cases = ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "the kernel gives up a card that is silent for {} s; this does not affect a "
                            "card that works",
                            "used only when a card sends no interrupts"}),
};

/* --- freebsd-snd-volume: hw.snd.vpc_0db: volume, not time. --- */

#define SND_VOLUME_FACT "freebsd.hw.snd.vpc_0db"

const struct st_rule st_rule_freebsd_snd_volume = {
    .id = "freebsd-snd-volume",
    .title = "Volume settings of sound(4) (vpc_*)",
    .mechanism = "vpc_0db, vpc_autoreset, vpc_reset, vpc_mixer_bypass and hint.pcm.N.vpc say how loud each "
                 "program is. Some lists of latency settings name them, but they do not change latency.",
    .cost = "none",
    .when_not = "you want lower latency: these settings only change loudness",
    .sources = "sound(4) (volume per channel)",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(SND_VOLUME_FACT),
    .cases = ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "vpc_0db is {}: loudness, which has nothing to do with time", "volume only"}),
};

/* --- freebsd-usefrags: hw.snd.usefrags: how the kernel asks the driver for a buffer. --- */

#define USEFRAGS_FACT "freebsd.hw.snd.usefrags"

const struct st_rule st_rule_freebsd_usefrags = {
    .id = "freebsd-usefrags",
    .title = "Number of blocks in the driver (usefrags)",
    .mechanism = "With usefrags=1 the kernel sets the size and the number of blocks, if the driver can do "
                 "that. Otherwise it sets only the size, and the driver chooses the number. The size "
                 "decides how often a program wakes, and it is the same in both cases.",
    .cost = "none",
    .when_not = "a driver that reports a wrong number of blocks",
    .sources = "FreeBSD sys/dev/sound/pcm/channel.c chn_resizebuf()\n"
               "syncdelay (silence after a sync) and compat_linux_mmap do not shorten anything either",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(USEFRAGS_FACT),
    .cases = ST_RULE_CASES({ST_CASE_IS, 0, ST_STATUS_OK,
                            "the kernel sets only the size of blocks (usefrags 0); usefrags 1 would not "
                            "change the size",
                            "the block size is the same with usefrags 0 and 1"},
                           {ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "the kernel sets the size and the number of blocks (usefrags 1); usefrags 0 "
                            "would not change the size",
                            "the block size is the same with usefrags 0 and 1"}),
};

/* --- freebsd-overcommit: vm.overcommit, swap and core dumps: in recipes, but without effect on time. --- */

#define OVERCOMMIT_FACT "freebsd.vm.overcommit"

const struct st_rule st_rule_freebsd_overcommit = {
    .id = "freebsd-overcommit",
    .title = "Overcommit, swap switches, core dumps",
    .mechanism = "vm.overcommit limits how much memory programs may reserve. swap_enabled and "
                 "swap_idle_enabled decide whether idle processes are swapped out, and kern.coredump "
                 "whether a crash writes a file. None of them delays a thread whose memory is locked.",
    .cost = "none",
    .when_not = "you want lower latency: lock the memory instead (see finding freebsd-memlock)",
    .sources = "tuning(7), mlockall(2)\nvm.swap_enabled is gone in 15.1 as captured",
    .worst = ST_STATUS_OK,
    .facts = ST_RULE_KEYS(OVERCOMMIT_FACT),
    .cases = ST_RULE_CASES({ST_CASE_ELSE, 0, ST_STATUS_OK,
                            "vm.overcommit is {}: this limits how much memory programs may reserve and adds "
                            "no lateness",
                            "these settings do not affect locked memory"}),
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
