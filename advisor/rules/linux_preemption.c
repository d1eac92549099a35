/* Linux: what the kernel may run before an audio thread, and for how long. */
#include "advisor/rules/linux_kernel.h"
#include "advisor/rules/machine.h"
#include "platform/proc.h"

/* --- linux-preemption: how long the kernel keeps a woken thread waiting --- */

#define VERSION ST_KEY_KERNEL_VERSION

/** Longest periods (ns) for which the rule advises PREEMPT_RT, or a preemptible kernel: they
 * include 64 and 256 frames at 48 kHz. */
#define RT_PERIOD_NS   INT64_C(1400000)
#define FULL_PERIOD_NS INT64_C(5400000)

enum model {
    MODEL_UNKNOWN,
    MODEL_NOT_FULL,
    MODEL_NONE,
    MODEL_VOLUNTARY,
    MODEL_PREEMPTIBLE, /* this and the following models are preemptible */
    MODEL_LAZY,
    MODEL_FULL,
    MODEL_RT
};

static const char *const model_names[] = {"unknown",   "none or voluntary", "none",
                                          "voluntary", "full or lazy",      "lazy",
                                          "full",      "PREEMPT_RT"};

struct detected {
    enum model model;
    bool dynamic; /* the model can be switched at run time */
};

/** Converts one of model_names from "none or voluntary" to "full" into its model. */
static enum model parse_model(const char *name, size_t len)
{
    for (enum model model = MODEL_NOT_FULL; model <= MODEL_FULL; model++) {
        if (strlen(model_names[model]) == len && strncmp(name, model_names[model], len) == 0)
            return model;
    }
    return MODEL_UNKNOWN;
}

static enum model config_model(const struct st_facts *facts)
{
    static const struct {
        const char *key;
        enum model model;
    } rows[] = {
        {ST_KEYS_CONFIG "PREEMPT_RT", MODEL_RT},
        {ST_KEYS_CONFIG "PREEMPT", MODEL_FULL},
        {ST_KEYS_CONFIG "PREEMPT_LAZY", MODEL_LAZY},
        {ST_KEYS_CONFIG "PREEMPT_VOLUNTARY", MODEL_VOLUNTARY},
        {ST_KEYS_CONFIG "PREEMPT_NONE", MODEL_NONE},
    };
    ST_EACH (row, rows) {
        if (st_facts_is(facts, row->key, "y"))
            return row->model;
    }
    return MODEL_UNKNOWN;
}

/** Detects the model. The running kernel takes precedence over its configuration: version text,
 * debugfs, command line, and configuration last. */
static struct detected detect(const struct st_facts *facts)
{
    const char *version;
    const char *option = st_machine_boot_option(facts, "preempt", "");
    const bool has_version = st_facts_text(facts, VERSION, &version) == 0;
    /* the model in use is the word in parentheses: "none voluntary (full)" */
    const char *open = strchr(st_facts_text_or(facts, ST_KEY_PREEMPT_DEBUGFS, ""), '(');
    struct detected found = {.model = MODEL_UNKNOWN};
    if (open != NULL)
        found.model = parse_model(open + 1, strcspn(open + 1, ")"));
    if (st_linux_kernel_realtime(facts))
        found.model = MODEL_RT;
    found.dynamic = has_version ? st_proc_has_word(version, "PREEMPT_DYNAMIC")
                                : st_facts_is(facts, ST_KEYS_CONFIG "PREEMPT_DYNAMIC", "y");
    if (found.model != MODEL_UNKNOWN)
        return found;
    if (has_version && !found.dynamic && st_proc_has_word(version, "PREEMPT")) {
        /* A kernel that cannot switch its model at run time reports PREEMPT for both full and lazy.
         * The configuration distinguishes them; without it, a kernel before 6.13, which has no lazy
         * model, is full. */
        found.model = config_model(facts);
        if (found.model != MODEL_LAZY && found.model != MODEL_FULL)
            found.model = st_linux_kernel_from(facts, 6, 13) == 0 ? MODEL_FULL : MODEL_PREEMPTIBLE;
        return found;
    }
    if (found.dynamic)
        found.model = parse_model(option, strlen(option));
    if (found.model != MODEL_UNKNOWN ||
        (found.dynamic && st_machine_is_unread(facts, ST_KEY_CMDLINE)))
        return found; /* the command line may have preempt=, which overrides the configuration */
    found.model = config_model(facts);
    /* every kernel that is built preemptible has PREEMPT in its version (init/Makefile,
     * preempt-flag), and this one does not */
    if (found.model == MODEL_UNKNOWN && has_version && !found.dynamic && version[0] == '#')
        found.model = MODEL_NOT_FULL;
    return found;
}

static void judge_unknown(const struct detected *found, struct st_finding *finding)
{
    const char *version;
    const int r = st_finding_need_text(finding, VERSION, &version);
    const struct st_fact *debugfs = st_facts_find(finding->facts, ST_KEY_PREEMPT_DEBUGFS);
    if (found->dynamic && st_facts_has(finding->facts, ST_KEY_SYSTEM_LACKS))
        st_finding_unknown(
            finding, "this kernel can switch its preemption model; which one is in use is unknown, "
                     "because the saved files do not contain /sys/kernel/debug/sched/preempt");
    else if (found->dynamic && debugfs != NULL && debugfs->state == ST_FACT_ABSENT)
        st_finding_unknown(
            finding, "this kernel can switch its preemption model; which one is in use is unknown, "
                     "because /sys/kernel/debug (debugfs), which shows it, is not mounted here");
    else if (found->dynamic)
        st_finding_unknown(
            finding, "this kernel can switch its preemption model; only root can read which one is "
                     "in use (/sys/kernel/debug/sched/preempt), and with Secure Boot no one");
    else if (r == 0 || r == -ENOENT)
        st_finding_unknown(finding,
                           "it is unknown whether real-time threads can interrupt this kernel: "
                           "nothing that sleeptune could read shows its preemption model");
}

/** Finds the command that installs a real-time kernel. The release or version of the running kernel
 * shows which distribution this is. */
static const char *real_time_package(const struct st_facts *facts)
{
    static const struct {
        const char *mark, *command;
    } rows[] = {
        {"+rpt", "sudo apt install linux-image-rpi-v8-rt\n# then choose it in "
                 "/boot/firmware/config.txt (kernel=)"},
        /* "Ubuntu itself": Liquorix kernels, too, have "buntu" in their version */
        {"buntu",
         "sudo pro enable realtime-kernel   # Ubuntu (not its derivatives), with Ubuntu Pro"},
        {"-amd64", "sudo apt install linux-image-rt-amd64"},
        {"-arm64", "sudo apt install linux-image-rt-arm64"},
        {"-arch", "sudo pacman -S linux-rt"},
    };
    const char *release = st_facts_text_or(facts, ST_KEY_KERNEL_RELEASE, "");
    const char *version = st_facts_text_or(facts, ST_KEY_KERNEL_VERSION, "");
    if (strstr(version, "-Ubuntu ") != NULL &&
        (st_linux_kernel_from(facts, 5, 15) == 0 || strstr(version, "~20.04") != NULL))
        return "# Ubuntu has a PREEMPT_RT kernel from 22.04 on (sudo pro enable realtime-kernel)";
    ST_EACH (row, rows) {
        if (strstr(release, row->mark) != NULL || strstr(version, row->mark) != NULL)
            return row->command;
    }
    return "# install a PREEMPT_RT kernel of your distribution (Debian: linux-image-rt-amd64)";
}

static void judge_preemption(struct st_finding *finding)
{
    const struct detected found = detect(finding->facts);
    const double period_ms = st_rule_period_us(finding) / 1e3;
    const char *name = model_names[found.model];
    const bool preemptible = found.model >= MODEL_PREEMPTIBLE;
    if (found.model == MODEL_UNKNOWN) {
        judge_unknown(&found, finding);
        return;
    }
    if (found.model == MODEL_RT) {
        st_finding_ok(finding, "this is a PREEMPT_RT kernel, the best there is for short periods");
        return;
    }
    if (finding->wish->period_ns > (preemptible ? RT_PERIOD_NS : FULL_PERIOD_NS)) {
        st_finding_ok(finding,
                      "the kernel's preemption model (%s) lets audio threads run soon enough for a "
                      "period of %.2f ms",
                      name, period_ms);
        return;
    }
    st_finding_advice(
        finding,
        preemptible ? "the kernel is preemptible (%s); for a period of %.2f ms a PREEMPT_RT kernel "
                      "is better, because only PREEMPT_RT limits how long an audio thread waits"
                    : "the kernel is not preemptible (%s): a system call of any program may "
                      "delay the audio thread, which matters for a period of %.2f ms",
        name, period_ms);
    finding->takes_all = !preemptible;
    if (preemptible) {
        st_finding_fix(finding, NULL, real_time_package(finding->facts), ST_NEEDS_REBOOT);
    } else if (found.dynamic) {
        const struct st_fact *debugfs = st_facts_find(finding->facts, ST_KEY_PREEMPT_DEBUGFS);
        if (debugfs != NULL && debugfs->error == EPERM) {
            /* the kernel is locked down: root cannot switch the model, either */
            st_finding_fix(finding, NULL, finding->rule->persistent, ST_NEEDS_REBOOT);
            st_finding_change(finding, ST_CHANGE_BOOT, "boot", "preempt=full");
        } else {
            st_rule_fix(finding);
        }
        st_machine_place_boot_option(finding, "preempt=full", true);
    } else {
        st_finding_fix(finding, NULL,
                       "# install a low-latency or PREEMPT_RT kernel, or one with PREEMPT_DYNAMIC "
                       "and then boot it with preempt=full",
                       ST_NEEDS_REBOOT);
    }
}

const struct st_rule st_rule_linux_preemption = {
    .id = "linux-preemption",
    .title = "Preemption model of the kernel",
    .mechanism = "A thread that is due waits while its CPU runs kernel code that cannot be "
                 "interrupted: hundreds of µs to milliseconds. With the models none and voluntary "
                 "the kernel can be interrupted only at a few places; with full and lazy nearly "
                 "anywhere by a real-time thread. Only PREEMPT_RT limits the wait.",
    .cost = "throughput: a few per cent",
    .when_not =
        "the machine is a server, or needs proprietary drivers, which may not work with PREEMPT_RT",
    .sources =
        "Linux documentation: kernel-parameters (preempt=); Linux source code: "
        "kernel/Kconfig.preempt, kernel/sched/debug.c\n"
        "Secure Boot: Linux fs/debugfs/file.c, debugfs_locked_down(); system76-scheduler issue 50\n"
        "the model lazy (from Linux 6.13 on) delays normal threads only; for real-time threads it "
        "is like full (text of its patch, 2024)\n"
        "how to recognise PREEMPT_RT: only patched kernels have /sys/kernel/realtime, Linux 6.12 "
        "and later do not; patched kernels up to 4.19 have \"PREEMPT RT\" in their version\n"
        "Linux source code, init/Makefile: a kernel that cannot switch its model has PREEMPT in "
        "its version for full and for lazy\n"
        "which model is enough for a period is usual experience; limits that sleeptune chose: up "
        "to 1.4 ms PREEMPT_RT, up to 5.4 ms full",
    .history = "5.12: kernels with PREEMPT_DYNAMIC can switch their model at boot (preempt=) or "
               "later (debugfs) (commit 6ef869e06474; pull request for 5.12)\n"
               "6.12: PREEMPT_RT is part of the mainline kernel; there is no /sys/kernel/realtime, "
               "which only the patched kernels had (realtime_tools issue 257)\n"
               "6.13: preempt=lazy: like full for real-time threads, later than full for normal "
               "threads (pull request for 6.13)",
    .now = "echo full | sudo tee /sys/kernel/debug/sched/preempt   # not with Secure Boot",
    .persistent = ST_MACHINE_FIX_BOOT_OPTION("preempt=full"),
    .check = "sudo cat /sys/kernel/debug/sched/preempt   # none voluntary (full)\n"
             "grep preempt= /proc/cmdline   # with Secure Boot: preempt=full\n"
             "uname -v   # PREEMPT_RT, PREEMPT_DYNAMIC or neither",
    .undo = ST_MACHINE_UNDO_BOOT_OPTION("preempt=full"),
    .facts = ST_RULE_KEYS(ST_KEY_KERNEL_RELEASE, ST_LINUX_KERNEL_REALTIME_KEYS,
                          ST_KEY_PREEMPT_DEBUGFS, ST_KEY_CMDLINE, ST_KEY_BOOT_OPTIONS,
                          ST_KEYS_CONFIG "PREEMPT", ST_KEYS_CONFIG "PREEMPT_RT",
                          ST_KEYS_CONFIG "PREEMPT_DYNAMIC", ST_KEYS_CONFIG "PREEMPT_VOLUNTARY",
                          ST_KEYS_CONFIG "PREEMPT_NONE", ST_KEYS_CONFIG "PREEMPT_LAZY"),
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSFS_NOW, "/sys/kernel/debug/sched/preempt", "full"},
                               {ST_CHANGE_BOOT, "boot", "preempt=full"}),
    .judge = judge_preemption,
};

/* --- linux-threaded-irqs: does the kernel run interrupt handlers in threads, whose priority can be
 * chosen?
 * --- */

/** For longer periods the rule gives no advice: handlers of other devices are then seldom a
 * problem. The limit is a choice of this rule. */
#define PERIOD_SHORT_NS INT64_C(1400000)

static void judge_threaded_irqs(struct st_finding *finding)
{
    const char *cmdline;
    if (st_linux_kernel_realtime(finding->facts)) {
        st_finding_fine(finding, "this real-time kernel handles all interrupts in threads, so "
                                 "audio threads can run before them");
        return;
    }
    if (st_finding_need_text(finding, ST_KEY_CMDLINE, &cmdline) != 0)
        return;
    if (st_machine_boot_option(finding->facts, "threadirqs", NULL) != NULL) {
        st_finding_fine(finding,
                        "the option threadirqs is on, so audio threads can run before interrupts; "
                        "'sleeptune report linux-irq-priorities' judges their order");
    } else if (st_machine_is_guest(finding->facts)) {
        st_finding_not_applicable(finding, "this is a virtual machine, and its host handles the "
                                           "real interrupts: there is nothing to set here");
    } else if (finding->wish->period_ns > PERIOD_SHORT_NS) {
        st_finding_ok(finding,
                      "interrupts of other devices can delay audio threads, but for a period of "
                      "%.1f ms this is seldom a problem",
                      st_rule_period_us(finding) / 1e3);
    } else {
        st_rule_advise(finding,
                       "interrupts of disk, network and graphics come before the audio thread; for "
                       "a period of %.2f ms try the boot option threadirqs",
                       st_rule_period_us(finding) / 1e3);
        st_machine_place_boot_option(finding, "threadirqs", true);
    }
}

const struct st_rule st_rule_linux_threaded_irqs = {
    .id = "linux-threaded-irqs",
    .title = "Interrupt handlers in threads (threadirqs)",
    .mechanism = "A device asks for attention with an interrupt; its handler in the kernel runs "
                 "before any thread. With the boot option threadirqs each handler is a thread of "
                 "real-time priority 50: an audio thread with a higher priority comes first, and "
                 "the sound card's interrupt can get a higher priority than the others.",
    .cost = "throughput: the CPU switches to one more thread at each interrupt",
    .when_not =
        "disk and network load cause no xruns on your machine, or a device fails with threadirqs",
    .sources = "Linux documentation: kernel-parameters.txt (threadirqs); a user's report of a "
               "hanging computer: liquorix issue 61\n"
               "a limit that sleeptune chose: advice only for periods of at most 1.4 ms",
    .persistent = ST_MACHINE_FIX_BOOT_OPTION("threadirqs"),
    .needs = ST_NEEDS_REBOOT,
    .check = "grep -w threadirqs /proc/cmdline\n"
             "ps -eLo cls,rtprio,comm | grep irq/   # FF 50 for each handler",
    .undo = ST_MACHINE_UNDO_BOOT_OPTION("threadirqs"),
    .facts = ST_RULE_KEYS(ST_LINUX_KERNEL_REALTIME_KEYS, ST_KEY_CMDLINE, ST_KEY_BOOT_OPTIONS,
                          ST_KEY_VIRTUAL),
    .judge = judge_threaded_irqs,
};

/* --- linux-sched-ext: a scheduler that a program loaded in place of the kernel's own --- */

static void judge_sched_ext(struct st_finding *finding, const char *state)
{
    const char *ops = st_facts_text_or(finding->facts, ST_KEY_SCHED_EXT_OPS, "of a program");
    if (st_text_is(state, "disabled")) {
        st_finding_fine(
            finding,
            "the kernel's own scheduler is in use: no program has loaded another one (sched_ext)");
    } else if (!st_text_is(state, "enabled")) {
        st_finding_unknown(finding,
                           "a program is replacing the kernel's scheduler just now (sched_ext: "
                           "%.20s): run the report again",
                           state);
    } else {
        /* prints the name up to '_': "lavd_1.0.20_g85f140fd_x86_64_unknown_linux_gnu" */
        st_rule_advise(finding,
                       "the scheduler %.*s (sched_ext) decides when threads without real-time "
                       "priority run; users had more dropouts with such schedulers",
                       (int)strcspn(ops, "_") % 24, ops);
    }
}

const struct st_rule st_rule_linux_sched_ext = {
    .id = "linux-sched-ext",
    .title = "Scheduler loaded by a program (sched_ext)",
    .mechanism = "With sched_ext a program replaces the kernel's scheduler of normal threads "
                 "(scx_lavd, scx_bpfland ...), in favour of games or throughput. Programs that "
                 "play without real-time priority, and those that feed them, may wait longer.",
    .cost = "throughput: games and builds may be slower again",
    .when_not = "you hear no gaps while such a scheduler runs",
    .sources = "Linux documentation: scheduler/sched-ext.rst; such a scheduler decides about all "
               "threads but those with real-time priority (SCHED_FIFO, SCHED_RR, SCHED_DEADLINE)\n"
               "a user's report: PipeWire had more dropouts with the schedulers lavd and bpfland "
               "(sched-ext/scx issue 2496)\n"
               "not measured: how much longer threads wait",
    .now = "sudo systemctl stop scx_loader scx   # or end the program scx_NAME",
    .persistent = "# so that the scheduler is not started again (one of the two services exists):\n"
                  "sudo systemctl disable --now scx_loader\n"
                  "sudo systemctl disable --now scx",
    .check = "cat /sys/kernel/sched_ext/state   # disabled",
    .undo = "sudo systemctl enable --now scx_loader, or scx",
    .facts = ST_RULE_KEYS(ST_KEY_SCHED_EXT_STATE, ST_KEY_SCHED_EXT_OPS),
    .judge_text = judge_sched_ext,
};

/* --- linux-irq-sharing: does the sound card share its interrupt line with other devices? --- */

/** Does this line of /proc/interrupts belong to none of the cards that a program has open? false
 * also if the lines of the open cards are not known. */
static bool is_of_idle_card(const struct st_fact *line)
{
    const struct st_facts *facts = line->facts;
    bool is_known = false;
    for (unsigned card = 0; card < ST_MACHINE_CARDS_MAX; card++) {
        if (!st_machine_is_open(facts, card))
            continue;
        if (st_machine_is_line_of(facts, st_fact_part(line, ST_KEYS_IRQ), card))
            return false;
        ST_FACTS_EACH (other, facts, ST_KEYS_IRQ, ".actions")
            is_known =
                is_known || st_machine_is_line_of(facts, st_fact_part(other, ST_KEYS_IRQ), card);
    }
    return is_known;
}

static void judge_irq_sharing(struct st_finding *finding, ST_UNUSED int64_t readable)
{
    /* sound: an interrupt line of a sound device; shared: an interrupt line of a sound device and
     * another device */
    const struct st_fact *sound = NULL, *shared = NULL;
    ST_FACTS_EACH (line, finding->facts, ST_KEYS_IRQ, ".actions") {
        bool is_sound = false, is_other = false;
        if (line->state != ST_FACT_OK || is_of_idle_card(line))
            continue;
        ST_TEXT_EACH (name, st_text("%s", line->text), ",")
            *(st_machine_is_sound(finding->facts, name) ? &is_sound : &is_other) = true;
        if (is_sound)
            sound = st_fact_or(sound, line);
        if (is_sound && is_other)
            shared = st_fact_or(shared, line);
    }
    if (shared != NULL) {
        st_finding_quote(finding, shared);
        st_rule_advise(finding,
                       "the sound card shares its interrupt line with other devices (%.60s), so it "
                       "may have to wait until their drivers are done",
                       shared->text);
    } else if (sound != NULL) {
        st_finding_quote(finding, sound);
        st_finding_fine(finding, "the sound card has an interrupt line of its own, so it does not "
                                 "wait for other devices");
    } else {
        st_finding_not_applicable(finding, "no sound card here has an interrupt line");
    }
}

const struct st_rule st_rule_linux_irq_sharing = {
    .id = "linux-irq-sharing",
    .title = "Interrupt line of the sound card",
    .mechanism =
        "When several devices share an interrupt line, the kernel calls the drivers of all of them "
        "for each interrupt. The sound card's driver waits until the others have finished.",
    .privilege = "none",
    .when_not = "the other devices on the line are idle: then they do no harm. Message-signalled "
                "interrupts (MSI) are never shared.",
    .sources =
        "what /proc/interrupts shows: Linux source code, kernel/irq/proc.c, show_interrupts()",
    .persistent = "# move a card to another slot, or a USB interface to another port, preferably "
                  "of another controller\n"
                  "# ('lsusb -t'); switch off devices that you do not need in the setup of the "
                  "firmware (BIOS)",
    .needs = ST_NEEDS_REBOOT,
    .check = "grep -E 'snd|xhci' /proc/interrupts   # no other device on the line",
    .undo = "put the card or interface back where it was",
    .facts = ST_RULE_KEYS(ST_KEY_IRQ_READABLE, ST_MACHINE_USB_AUDIO, ST_MACHINE_LINES),
    .judge_number = judge_irq_sharing,
};

/* --- linux-watchdogs: how often do the kernel's lock-up detectors interrupt a CPU? --- */

#define THRESH           "linux.sysctl.kernel.watchdog_thresh"
#define THRESH_DEFAULT_S 10

/** For longer periods the rule gives no advice: the detector takes a few microseconds every few
 * seconds. The limit is a choice of this rule. */
#define WATCHDOGS_PERIOD_SHORT_NS INT64_C(500000)

static void judge_watchdogs(struct st_finding *finding, int64_t nmi)
{
    const int64_t thresh = st_facts_int_or(finding->facts, THRESH, THRESH_DEFAULT_S);
    if (nmi == 0) {
        st_finding_fine(finding, "the kernel's check for hung CPUs (hard lock-up detector) is off, "
                                 "so it interrupts no audio thread");
    } else if (finding->wish->period_ns > WATCHDOGS_PERIOD_SHORT_NS) {
        st_finding_ok(finding,
                      "the kernel's check for hung CPUs (hard lock-up detector) interrupts a busy "
                      "CPU once in about %jd s: too seldom to matter for a period of %.1f ms",
                      thresh, st_rule_period_us(finding) / 1e3);
    } else {
        st_rule_advise(finding,
                       "the kernel's check for hung CPUs (hard lock-up detector) interrupts each "
                       "busy CPU once in about %jd s, for some microseconds",
                       thresh);
    }
}

const struct st_rule st_rule_linux_watchdogs = {
    .id = "linux-watchdogs",
    .title = "The kernel's check for hung CPUs (lock-up detectors)",
    .mechanism =
        "Lock-up detectors interrupt each CPU every few seconds to check whether it hangs. The "
        "interrupt comes before any thread, also before audio, and takes microseconds.",
    .cost = "convenience: if the machine hangs, the log does not show where",
    .when_not =
        "your period is longer than half a millisecond: then these few microseconds do not matter",
    .sources = "Linux documentation: admin-guide/lockup-watchdogs.rst, sysctl/kernel.rst; the "
               "realtime profile of tuned turns the check off, too\n"
               "not measured: how many µs a check takes; a limit that sleeptune chose: advice only "
               "for periods of at most 0.5 ms",
    ST_MACHINE_SYSCTL_FIX("kernel.nmi_watchdog", "0", "1"),
    .facts = ST_RULE_KEYS("linux.sysctl.kernel.nmi_watchdog", THRESH),
    .most = 1,
    .judge_number = judge_watchdogs,
};

/* --- linux-firmware: tools that are known to call the firmware again and again --- */

#define FANS_EVER(tool)                                                                            \
    "sudo systemctl disable --now " tool "   # if the firmware can control the fans itself"

static void judge_firmware(struct st_finding *finding, ST_UNUSED const char *driver)
{
    static const char *const tools[] = {"dell-fan-mon", "fancontrol", "i8kmon", "i8kmon-ng"};
    const char *tool = NULL; /* the program that asks dell_smm_hwmon for fans and temperatures */
    if (strstr(st_facts_text_or(finding->facts, ST_KEY_TCLSH_COMMAND, ""), "i8kmon") != NULL)
        tool = "i8kmon";
    ST_EACH (name, tools) {
        const char *key = st_text(ST_KEYS_DAEMON "%s", *name);
        st_finding_quote_key(finding, key);
        if (st_facts_has_int(finding->facts, key))
            tool = *name;
    }
    if (tool != NULL) {
        st_finding_advice(finding,
                          "%s asks the firmware (BIOS) again and again, and each call may stop all "
                          "CPUs for milliseconds",
                          tool);
        st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, FANS_EVER("%s"), tool);
    } else {
        st_finding_fine(finding,
                        "no running program is known to call the firmware (BIOS) again and again");
    }
}

const struct st_rule st_rule_linux_firmware = {
    .id = "linux-firmware",
    .title = "Programs that call the firmware (fan control)",
    .mechanism =
        "While the firmware works, all programs may stand still. Fan tools of Dell computers call "
        "it again and again: for 0.4 to 27 ms on one laptop, for 500 ms on some models.",
    .when_not = "the firmware cannot control the fans itself, or you hear no gaps",
    .sources = "users' reports: i8kutils issue 15 (a click every 2 s), dellfan issue 3; Linux "
               "source code: drivers/hwmon/dell-smm-hwmon.c",
    .persistent = FANS_EVER("i8kmon"),
    .check = "pgrep -af 'i8kmon|dell-fan-mon|fancontrol'   # none",
    .undo = "sudo systemctl enable --now i8kmon",
    .facts = ST_RULE_KEYS(ST_KEY_MODULE_DELL_SMM_HWMON, ST_KEY_TCLSH_COMMAND, ST_KEYS_DAEMON "*"),
    .judge_text = judge_firmware,
    .absent = "fan tools cannot disturb the sound here: the driver by which they call the firmware "
              "(dell_smm_hwmon) is not loaded",
};
