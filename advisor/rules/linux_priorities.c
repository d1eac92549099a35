/* Linux: the order of the real-time priorities of sound server, programs and interrupt threads. */
#include "advisor/facts/owner.h"
#include "advisor/facts/place.h"
#include "advisor/rules/linux_jack.h"
#include "advisor/rules/linux_kernel.h"
#include "advisor/rules/linux_rt_lost.h"
#include "advisor/rules/machine.h"
#include "core/cpu_list.h"

/* --- real-time threads, as the process collector found them --- */

#define THREAD_PROCESS  ST_KEYS_RT_THREAD "*.process"
#define THREAD_PRIORITY ST_KEYS_RT_THREAD "*.priority"
#define THREAD_PID      ST_KEYS_RT_THREAD "*.pid"

/** Programs of sound servers: PipeWire, jackd (also in jackdbus), PulseAudio. */
static const char *const server_names[] = {"pipewire", "jackd", "jackdbus", "pulseaudio", NULL};

/* --- linux-server-priority: does the running sound server have real-time threads? --- */

/** The id of the rule that explains why this server runs without real-time priority; NULL: no rule
 * does. */
static const char *reported_by(const struct st_facts *facts, const char *key)
{
    if (st_text_is(key, ST_KEY_DAEMON_JACKD) &&
        !st_linux_jack_parse(st_facts_text_or(facts, ST_KEY_JACK_COMMAND, "")).realtime)
        return "linux-jack-realtime";
    if (st_text_is(key, ST_KEY_DAEMON_PULSEAUDIO) &&
        st_machine_is_off(st_facts_text_or(facts, ST_KEY_PULSE_REALTIME_SCHEDULING, "")))
        return "linux-pulseaudio";
    return st_linux_rt_lost(facts, key) ? "linux-rt-lost" : NULL;
}

/* Sound servers that must have a real-time thread. jackdbus has no row of its own: it is idle until
 * a program asks for JACK. */
static const struct {
    const char *key;
    const char *name;
    const char *const *processes;
} servers[] = {
    {ST_KEY_DAEMON_PIPEWIRE, "PipeWire", (const char *const[]){"pipewire", NULL}},
    {ST_KEY_DAEMON_JACKD, "jackd", (const char *const[]){"jackd", "jackdbus", NULL}},
    {ST_KEY_DAEMON_PULSEAUDIO, "PulseAudio", (const char *const[]){"pulseaudio", NULL}},
};

/** Does one of these programs run a loop of PipeWire's library without real-time priority? */
static bool has_normal_loop(const struct st_facts *facts, const char *const *names)
{
    ST_FACTS_EACH (fact, facts, ST_KEYS_NORMAL_THREAD, ".process") {
        if (fact->state == ST_FACT_OK && st_text_is_among(fact->text, names))
            return true;
    }
    return false;
}

static void judge_server_priority(struct st_finding *finding, ST_UNUSED int64_t processes_n)
{
    const struct st_facts *facts = finding->facts;
    const char *without = NULL, *rule_id = NULL, *others = NULL;
    bool own = false;
    ST_EACH (row, servers) {
        st_finding_quote_key(finding, row->key);
        const char *owner = st_owner_other(facts, row->key);
        if (!st_facts_has_int(facts, row->key))
            continue;
        if (owner != NULL) {
            others = owner;
            continue;
        }
        own = true;
        if (st_machine_top_thread(facts, row->processes).priority > 0)
            continue;
        if (st_facts_has(facts, ST_KEY_THREADS_PART) && !has_normal_loop(facts, row->processes))
            continue;
        const char *reporter = reported_by(facts, row->key);
        if (reporter != NULL) {
            without = row->name;
            rule_id = reporter;
            continue;
        }
        st_finding_problem(
            finding,
            "%s%s runs without a real-time thread, so any busy program can delay all sound",
            row->name, st_owner_text(facts, row->key));
        if (st_facts_is(facts, ST_KEY_RT_FIFO_ERRNO, "0") &&
            st_facts_int_or(facts, ST_KEY_USER_UID, 0) != 0)
            st_finding_fix_persistent(
                finding, ST_NEEDS_RELOGIN,
                "# this user has the right, but the sound server was started without it:\n"
                "# log out of every session and in again (with enable-linger: reboot).\n"
                "# If only this shell has the right (prlimit), see: sleeptune report "
                "linux-rt-permission");
        else
            st_machine_fix_user(finding);
        return;
    }
    const struct st_machine_thread top = st_machine_top_thread(facts, server_names);
    if (others != NULL && !own) {
        st_finding_not_applicable(
            finding,
            "the running sound server belongs to the user %.40s: run the report as that user",
            others);
    } else if (top.priority > 0) {
        st_finding_quote(finding, top.process);
        st_finding_fine(finding, "the sound server's thread runs at real-time priority %jd",
                        top.priority);
    } else if (without != NULL) {
        st_finding_not_applicable(finding,
                                  "%s runs without real-time priority: see 'sleeptune report %s'",
                                  without, rule_id);
    } else {
        st_finding_not_applicable(
            finding, "no sound server runs%s",
            st_place_container(facts) != NULL
                ? " in this container; sound servers of the host are not visible here"
                : "");
    }
}

const struct st_rule st_rule_linux_server_priority = {
    .id = "linux-server-priority",
    .title = "Real-time thread of the sound server",
    .mechanism = "A sound server moves sound in one thread, and asks for real-time priority for it "
                 "at the start. If this is refused, you hear it only when the machine is busy.",
    .when_not =
        "gaps in the sound do not matter to you: then the server needs no real-time priority",
    .sources = "PipeWire's module-rt tries the user's limits first, then the portal, then rtkit; "
               "manual jackd(1), -R\n"
               "a user's report: a new system without rtkit, limits or group, where no audio "
               "thread has real-time priority (omarchy issue 9390)\n"
               "priorities: /proc/PID/task/TID/stat, fields 40 and 41, manual proc(5)",
    .persistent = ST_MACHINE_FIX_LIMITS "\n# or install rtkit and D-Bus",
    .needs = ST_NEEDS_RELOGIN,
    .check = "ps -eLo cls,rtprio,comm | grep -E 'data-loop|jackd'   # FF or RR, and a priority\n"
             "journalctl --user -b -u pipewire | grep -i -e rt -e realtime   # what was refused",
    .undo = ST_MACHINE_UNDO_LIMITS,
    .worst = ST_STATUS_PROBLEM,
    .facts =
        ST_RULE_KEYS(ST_KEY_PROCESSES_N, ST_KEYS_DAEMON "*", THREAD_PROCESS, THREAD_PRIORITY,
                     ST_KEY_SYSTEM_CONTAINER, ST_KEY_JACK_COMMAND, ST_KEY_PULSE_REALTIME_SCHEDULING,
                     ST_KEYS_NORMAL_THREAD "*.process", ST_RT_LOST_KEYS, ST_OWNER_KEYS,
                     ST_KEY_PAM_MISSING, ST_KEY_RT_FIFO_ERRNO, ST_KEY_USER_UID),
    .judge_number = judge_server_priority,
};

/* --- linux-priority-order: does a program that plays run at a higher priority than its sound
 * server? --- */

/** Priority that system76-scheduler gave to sound servers up to version 2.0.1. */
#define SYSTEM76_PRIORITY 49

static void judge_priority_order(struct st_finding *finding, ST_UNUSED int64_t processes_n)
{
    int64_t complete;
    const struct st_machine_thread server = st_machine_top_thread(finding->facts, server_names);
    const struct st_machine_thread client = st_machine_top_thread(finding->facts, NULL);
    if (server.priority == 0) {
        st_finding_not_applicable(
            finding, "no sound server with a real-time thread runs, so there is no order to judge");
        return;
    }
    st_finding_quote(finding, server.process);
    if (server.priority == SYSTEM76_PRIORITY &&
        st_facts_has_int(finding->facts, ST_KEY_DAEMON_SYSTEM76_SCHEDULER)) {
        st_finding_advice(finding,
                          "system76-scheduler gave the sound server only real-time priority %d, "
                          "below the kernel's interrupt threads (%d), which can delay all sound",
                          SYSTEM76_PRIORITY, ST_MACHINE_IRQ_PRIORITY);
        st_finding_fix_persistent(
            finding, ST_NEEDS_RELOGIN,
            "# system76-scheduler 2.0.2 or newer; or, in /etc/system76-scheduler/config.kdl, take\n"
            "# sched=(fifo)49 out of the line 'sound-server', then\n"
            "sudo systemctl restart com.system76.Scheduler");
        return;
    }
    if (client.priority > server.priority) {
        st_finding_quote(finding, client.process);
        const char *changer = st_facts_has_int(finding->facts, ST_KEY_DAEMON_SYSTEM76_SCHEDULER)
                                  ? "; the program system76-scheduler may have set this priority"
                              : st_facts_has_int(finding->facts, ST_KEY_DAEMON_ANANICY_CPP)
                                  ? "; the program ananicy-cpp may have set this priority"
                                  : "";
        st_finding_advice(finding,
                          "%.40s runs at priority %jd, higher than the sound server's %jd, so it "
                          "can take the CPU from the server%s",
                          client.process->text, client.priority, server.priority, changer);
        st_rule_fix(finding);
        return;
    }
    if (st_finding_need_int(finding, ST_KEY_THREADS_COMPLETE, &complete) != 0)
        return;
    st_finding_fine(finding, "no program has a higher priority than the sound server's %jd%s",
                    server.priority, complete != 0 ? "" : " (not all threads were checked)");
}

const struct st_rule st_rule_linux_priority_order = {
    .id = "linux-priority-order",
    .title = "Programs above the sound server's priority",
    .mechanism =
        "While a program with a higher real-time priority than the server computes, the server "
        "does not get that CPU. Then it may miss its deadline, and all sound drops out.",
    .privilege = "none",
    .when_not = "the program must run before the sound server, and uses little CPU time",
    .sources = "manual sched(7); a user's report: a program with a higher priority than the server "
               "took the CPU from it (pipeasio issue 4)\n"
               "jackd gives its clients a priority 5 below its own (manual jackd(1), -P)\n"
               "users' reports: system76-scheduler issues 99 and 114 (crackle with sched=(fifo)49, "
               "gone without it); version 2.0.2 no longer sets it (pull request 118)",
    .persistent = "# lower the real-time priority in that program's own settings, below the "
                  "server's; or raise the\n"
                  "# server's: /etc/pipewire/pipewire.conf.d/90-sleeptune.conf, module-rt, rt.prio "
                  "(default 88); 'jackd -P'",
    .needs = ST_NEEDS_REOPEN,
    .check =
        "ps -eLo cls,rtprio,comm --sort=-rtprio | head -20   # sound interrupt, server, programs",
    .undo = "set the old priority in that program again",
    .facts = ST_RULE_KEYS(ST_KEY_PROCESSES_N, THREAD_PROCESS, THREAD_PRIORITY,
                          ST_KEYS_RT_THREAD "*.name", ST_KEY_THREADS_COMPLETE,
                          ST_KEY_DAEMON_SYSTEM76_SCHEDULER, ST_KEY_DAEMON_ANANICY_CPP, THREAD_PID,
                          ST_MACHINE_PLAYS),
    .judge_number = judge_priority_order,
};

/* --- linux-hybrid-cores: do threads that play run on the slow cores of a hybrid CPU? --- */

static void judge_hybrid_cores(struct st_finding *finding, const char *list)
{
    struct st_cpu_list slow;
    const char *fast = st_facts_text_or(finding->facts, ST_KEY_CPU_FAST, "");
    if (st_cpu_list_parse(list, &slow) != 0) {
        st_finding_unknown(
            finding, "sleeptune does not understand the kernel's list of slow cores: \"%.20s\"",
            list);
        return;
    }
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_RT_THREAD, ".process") {
        const int64_t cpu = st_fact_beside_int_or(fact, "cpu", -1);
        if (fact->state != ST_FACT_OK || cpu < 0 || !st_cpu_list_has(&slow, (size_t)cpu) ||
            (!st_text_is_among(fact->text, server_names) && !st_machine_thread_plays(fact)))
            continue;
        st_finding_quote(finding, fact);
        st_rule_advise(
            finding,
            "%.40s ran on CPU %jd, one of the slow cores (%.20s), where its work takes longer",
            fact->text, cpu, list);
        if (fast[0] != '\0' && strspn(fast, "0123456789-,") == strlen(fast)) {
            st_rule_fix_with(finding, "FAST", fast);
            st_finding_fix_now(finding, "taskset -apc %s $(pgrep -ox %s)", fast,
                               st_machine_is_plain(fact->text) ? fact->text : "PROGRAM");
        }
        return;
    }
    st_finding_fine(finding, "no thread that plays was seen on one of the slow cores (%.20s)",
                    list);
}

const struct st_rule st_rule_linux_hybrid_cores = {
    .id = "linux-hybrid-cores",
    .title = "Slow cores of a hybrid CPU",
    .mechanism = "Hybrid CPUs (Intel since 2021, ARM's big.LITTLE, Apple's) have fast cores and "
                 "slow ones. The kernel may put a real-time thread on any core that is free, so "
                 "the same work takes longer now and then.",
    .privilege = "none",
    .cost = "power: the fast cores are on more often",
    .when_not = "the program needs little CPU time, also on a slow core",
    .sources =
        "a user's report: with audio on the fast cores and windows on the slow ones \"drastically "
        "improved\" (discourse.ardour.org 112571)\n"
        "which cores are fast: Linux tools/perf/Documentation/intel-hybrid.txt (cpu_core/cpus, "
        "cpu_atom/cpus), arch/x86/events/intel/core.c (cpu_lowpower); "
        "Documentation/ABI/testing/sysfs-devices-system-cpu (cpu_capacity)\n"
        "a limit that sleeptune chose: a core is slow below 75 % of the fastest one's capacity",
    .now = "# FAST: the CPUs in /sys/devices/cpu_core/cpus (Intel), or those with the highest "
           "cpu_capacity:\n"
           "grep . /sys/devices/system/cpu/cpu*/cpu_capacity\n"
           "taskset -apc FAST $(pgrep -o PROGRAM)",
    .persistent = "# start the program with\ntaskset -c FAST PROGRAM\n# PipeWire: CPUAffinity=FAST "
                  "under [Service], then restart it\nsystemctl --user edit pipewire",
    .check = "ps -eLo psr,rtprio,comm | grep -v ' - '   # PSR: the CPU of each thread",
    .undo = "start the program without taskset; for PipeWire take CPUAffinity= out again and "
            "restart it: systemctl --user edit pipewire",
    .facts = ST_RULE_KEYS(ST_KEY_CPU_EFFICIENT, ST_KEY_CPU_FAST, THREAD_PROCESS,
                          ST_KEYS_RT_THREAD "*.cpu", THREAD_PID, ST_MACHINE_PLAYS),
    .judge_text = judge_hybrid_cores,
    .absent = "the kernel reports no core of this machine as slower than the others",
};

/* --- linux-irq-priorities: is the sound card's interrupt thread at least as high as the sound
 * server? --- */

/* highest useful priority of a server: rtirq gives 90 to the card's interrupt thread */
#define IRQ_TOP 90

/** Finds the interrupt thread of the card that plays or, if that card is not known, of a USB
 * controller with a USB audio interface, else of any card. Of several such threads the one with the
 * highest priority counts.
 * @param ret_priority its priority. */
static const struct st_fact *sound_interrupt(const struct st_facts *facts, int64_t *ret_priority)
{
    const struct st_fact *best = NULL;
    int best_rank = -1;
    ST_FACTS_EACH (fact, facts, ST_LINUX_KERNEL_IRQ_THREAD, ".name") {
        int64_t priority;
        if (fact->state != ST_FACT_OK || !st_machine_is_sound(facts, fact->text) ||
            st_fact_beside_int(fact, "priority", &priority) != 0)
            continue;
        const char *number = fact->text + strcspn(fact->text, "0123456789"), /* "126-xhci_hc" */
            *irq = st_text("%.*s", (int)strspn(number, "0123456789"), number);
        int rank = strstr(number, "hci") != NULL || strstr(number, "dwc") != NULL;
        for (unsigned card = 0; card < ST_MACHINE_CARDS_MAX; card++) {
            if (st_machine_is_open(facts, card) && st_machine_is_line_of(facts, irq, card))
                rank = 2;
        }
        if (rank > best_rank || (rank == best_rank && priority > *ret_priority)) {
            best = fact;
            best_rank = rank;
            *ret_priority = priority;
        }
    }
    return best;
}

static void judge_irq_priorities(struct st_finding *finding, ST_UNUSED int64_t processes_n)
{
    const struct st_facts *facts = finding->facts;
    int64_t lowest = 0;
    const bool has_threads = st_facts_any(facts, ST_LINUX_KERNEL_IRQ_THREAD, ".name", NULL);
    const struct st_fact *sound = sound_interrupt(facts, &lowest);
    const struct st_machine_thread server = st_machine_top_thread(facts, server_names);
    st_finding_quote(finding, sound);
    if (sound == NULL && !has_threads && st_linux_kernel_has_irq_threads(facts))
        st_finding_unknown(
            finding, "this kernel handles interrupts in threads, but sleeptune sees none of them");
    else if (sound == NULL && has_threads)
        st_finding_not_applicable(
            finding, "no sound card has an interrupt thread, so there is no priority to set");
    else if (sound == NULL)
        st_finding_not_applicable(finding,
                                  "interrupts have no threads on this machine, so they have no "
                                  "priority: see 'sleeptune report linux-threaded-irqs'");
    else if (server.priority == 0)
        st_finding_not_applicable(finding, "no sound server with a real-time thread runs to "
                                           "compare the interrupt's priority with");
    if (sound == NULL || server.priority == 0)
        return;
    st_finding_quote(finding, server.process);
    /* an interrupt thread of another device with a higher priority than the server */
    const struct st_fact *above = NULL;
    ST_FACTS_EACH (fact, facts, ST_LINUX_KERNEL_IRQ_THREAD, ".name") {
        if (fact->state == ST_FACT_OK && !st_machine_is_sound(facts, fact->text) &&
            st_fact_beside_int_or(fact, "priority", 0) > server.priority)
            above = fact;
    }
    if (lowest >= server.priority && above != NULL && finding->wish->period_ns < ST_RULE_LONG_NS &&
        st_linux_kernel_threads_irqs(facts)) {
        st_finding_quote(finding, above);
        st_finding_advice(finding,
                          "the interrupt thread %.20s runs before the sound server, whose priority "
                          "is %jd, so a busy disk or network can delay all sound",
                          above->text, server.priority);
        st_finding_fix_persistent(
            finding, ST_NEEDS_REOPEN,
            "# give the sound server a priority above 50 and below 90: 'jackd -P 80'; PipeWire "
            "takes one\n# once you may use real-time priority: sleeptune report "
            "linux-rt-permission");
        return;
    }
    if (lowest >= server.priority) {
        st_finding_fine(finding,
                        "the sound card's interrupt (%.20s) has priority %jd, not below the sound "
                        "server's %jd, so the server does not delay it",
                        sound->text, lowest, server.priority);
        return;
    }
    st_rule_advise(finding,
                   "the sound card's interrupt (%.20s) has priority %jd, lower than the sound "
                   "server's %jd, so the server can delay the interrupt that it waits for",
                   sound->text, lowest, server.priority);
    /* the kernel shows at most 15 bytes of a thread's name, so pgrep searches for this beginning */
    const char *driver = strchr(st_text("%.15s", sound->text), '-');
    if (server.priority > IRQ_TOP)
        st_finding_fix(finding, NULL,
                       "# give the sound server a priority below 90: 'jackd -P 80', or rt.prio of "
                       "PipeWire's module-rt",
                       ST_NEEDS_REOPEN);
    else if (driver != NULL && st_machine_is_plain(driver))
        st_rule_fix_with(finding, "(snd|xhci)", driver);
}

const struct st_rule st_rule_linux_irq_priorities = {
    .id = "linux-irq-priorities",
    .title = "Priority of the sound card's interrupt thread",
    .mechanism =
        "With threaded interrupts each interrupt, of the sound card, the disk or the network, is "
        "handled by a thread of real-time priority 50. A sound server with a higher priority "
        "delays even the sound card's interrupt thread, and so may other devices. The best order "
        "is: interrupt of the sound card, sound server, programs, other interrupts.",
    .cost = "fairness: at priority 90 a device that interrupts without end takes the CPU from all "
            "others",
    .when_not = "the sound server wakes up by a timer, as PipeWire does on a built-in card: then "
                "there is little to gain. On some machines a suspend undoes the change.",
    .sources = "the package rtirq has these defaults: list 'snd usb i8042', priority from 90 down "
               "to 51 in steps of 5; a suspend may undo them (rtirq issue 3)\n"
               "Linux source code: kernel/irq/manage.c gives interrupt threads priority 50 "
               "(sched_set_fifo)",
    .now = "# until the next boot or suspend:\npgrep 'irq/.*(snd|xhci)' | xargs -n1 sudo chrt -f "
           "-p 90",
    .persistent =
        "# install rtirq, then in /etc/rtirq.conf (if there is none: /etc/default/rtirq):\n"
        "RTIRQ_NAME_LIST=\"snd usb i8042\"\n"
        "RTIRQ_PRIO_HIGH=90\n"
        "# and\n"
        "sudo systemctl enable --now rtirq",
    .check = "ps -eLo cls,rtprio,comm | grep 'irq/'   # snd and xhci have the highest numbers",
    .undo = "run this, then restart the computer: sudo systemctl disable rtirq",
    .facts = ST_RULE_KEYS(ST_KEY_PROCESSES_N, ST_LINUX_KERNEL_IRQ_THREAD_KEYS,
                          ST_LINUX_KERNEL_IRQ_THREAD "*.priority", THREAD_PROCESS, THREAD_PRIORITY,
                          ST_MACHINE_USB_AUDIO, ST_MACHINE_LINES),
    .judge_number = judge_irq_priorities,
};
