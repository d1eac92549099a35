/* Linux: the order of sound server, programs and interrupt threads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/owner.h"
#include "advisor/facts/text.h"
#include "advisor/rules/jack_command.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

/* --- real-time threads, as the process collector found them --- */

#define THREAD_NAME     "linux.rt_thread.*.name"
#define THREAD_PROCESS  "linux.rt_thread.*.process"
#define THREAD_PRIORITY "linux.rt_thread.*.priority"
#define PROCESSES_N     "linux.processes_n"

/** The thread of the highest priority among some. priority 0: there is none. */
struct top_thread {
    int64_t priority;
    const struct st_fact *priority_fact;
    const struct st_fact *process_fact;
};

/** Which processes count. */
typedef bool (*process_fn)(const char *process);

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/** PipeWire, jackd (also in jackdbus), PulseAudio. */
static bool is_server(const char *process)
{
    static const char *const names[] = {"pipewire", "jackd", "jackdbus", "pulseaudio"};
    return is_one_of(process, names, ST_ARRAY_LEN(names));
}

/** A program that plays through a server: no server, and no tool or daemon that is known to have real-time
 * threads for another purpose. */
static bool is_client(const char *process)
{
    /* 15 bytes of a name are kept by the kernel */
    static const char *const others[] = {
        "chronyd",    "corosync",        "cyclictest",     "gnome-shell", "kwin_wayland", "multipathd",
        "ntpd",       "oslat",           "pipewire-pulse", "ptp4l",       "rtkit-daemon", "sleeptune",
        "sleeptuned", "systemd-journal", "watchdog",       "wireplumber", "phc2sys",      "systemd-udevd"};
    return !is_server(process) && !is_one_of(process, others, ST_ARRAY_LEN(others));
}

static struct top_thread top_thread(const struct st_facts *facts, process_fn fn)
{
    struct top_thread top = {0};
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(facts, "linux.rt_thread.", ".process", fact)) != NULL;) {
        static const char suffix[] = ".process";
        char key[128];
        int64_t priority;
        const char *process;
        const size_t len = strlen(fact->key) - (sizeof(suffix) - 1);
        if (len > 100 || st_facts_text(facts, fact->key, &process) != 0 || !fn(process))
            continue;
        snprintf(key, sizeof(key), "%.*s.priority", (int)len, fact->key);
        if (st_facts_int(facts, key, &priority) != 0 || priority <= top.priority || priority > 99)
            continue;
        top = (struct top_thread){priority, st_facts_find(facts, key), fact};
    }
    return top;
}

/* --- linux-server-priority: Does the running sound server have its real-time threads? --- */

#define PULSE_REALTIME "linux.pulse.realtime-scheduling"

static bool is_pipewire(const char *process)
{
    return strcmp(process, "pipewire") == 0;
}

static bool is_jack(const char *process)
{
    return strcmp(process, "jackd") == 0 || strcmp(process, "jackdbus") == 0;
}

static bool is_pulseaudio(const char *process)
{
    return strcmp(process, "pulseaudio") == 0;
}

/** Was jackd started without real-time priority (-r)? linux-jack-realtime reports that. */
static bool jack_runs_without(const struct st_facts *facts)
{
    struct st_jack_command jack;
    const char *command;
    if (st_facts_text(facts, ST_JACK_COMMAND, &command) != 0)
        return false;
    st_jack_command_parse(command, &jack);
    return !jack.realtime;
}

/** linux-pulseaudio reports that. */
static bool pulse_runs_without(const struct st_facts *facts)
{
    const char *text;
    return st_facts_text(facts, PULSE_REALTIME, &text) == 0 && st_machine_is_off(text);
}

static bool never_runs_without(const struct st_facts *facts)
{
    (void)facts;
    return false;
}

/* Without jackdbus, which has nothing to do until a program asks for JACK. */
static const struct {
    const char *key;
    const char *name;
    process_fn fn;
    bool (*runs_without)(const struct st_facts *facts); /* by its own settings */
    const char *rule_id;                                /* that reports these settings */
} servers[] = {
    {"linux.daemon.pipewire", "PipeWire", is_pipewire, never_runs_without, ""},
    {"linux.daemon.jackd", "jackd", is_jack, jack_runs_without, "linux-jack-realtime"},
    {"linux.daemon.pulseaudio", "PulseAudio", is_pulseaudio, pulse_runs_without, "linux-pulseaudio"},
};

static void judge_server_priority(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    int64_t processes, pid;
    const char *without = NULL, *rule_id = NULL, *others = NULL;
    bool own = false;
    if (st_finding_need_int(finding, PROCESSES_N, &processes) != 0)
        return;
    for (size_t i = 0; i < ST_ARRAY_LEN(servers); i++) {
        st_finding_quote(finding, servers[i].key);
        const char *owner = st_owner_other(facts, servers[i].key);
        if (st_facts_int(facts, servers[i].key, &pid) != 0)
            continue;
        others = owner != NULL ? owner : others;
        own = own || owner == NULL;
        if (owner != NULL || top_thread(facts, servers[i].fn).priority > 0)
            continue;
        if (servers[i].runs_without(facts)) {
            without = servers[i].name;
            rule_id = servers[i].rule_id;
            continue;
        }
        char of_user[64];
        st_finding_problem(finding,
                           "%s%s runs without a real-time thread, so any busy program can delay all sound",
                           servers[i].name, st_owner_text(facts, servers[i].key, of_user, sizeof(of_user)));
        st_rule_fix(finding);
        return;
    }
    const struct top_thread top = top_thread(facts, is_server);
    if (others != NULL && !own) {
        st_finding_not_applicable(finding, "the sound server that runs belongs to the user %.*s",
                                  st_text_cut(others, 40), others);
    } else if (top.priority > 0) {
        st_finding_quote(finding, top.process_fact->key);
        st_finding_quote(finding, top.priority_fact->key);
        st_finding_fine(finding, "the sound server's thread runs at real-time priority %" PRId64,
                        top.priority);
    } else if (without != NULL) {
        st_finding_quote(finding, ST_JACK_COMMAND);
        st_finding_quote(finding, PULSE_REALTIME);
        st_finding_not_applicable(finding,
                                  "%s runs without real-time priority, as its own settings say; see finding "
                                  "%s",
                                  without, rule_id);
    } else {
        st_finding_quote(finding, ST_MACHINE_CONTAINER);
        st_finding_not_applicable(
            finding, "no sound server runs%s",
            st_machine_in_container(facts) ? " in this container; those of the host are not visible" : "");
    }
}

const struct st_rule st_rule_linux_server_priority = {
    .id = "linux-server-priority",
    .title = "Real-time thread of the sound server",
    .mechanism = "A sound server moves sound in one thread, and asks for real-time priority for it at the "
                 "start. If this is refused, the thread runs as a normal one. You hear this only when the "
                 "machine is busy.",
    .cost = "none",
    .when_not = "gaps in the sound do not matter to you",
    .sources = "PipeWire module-rt (limits, then the portal, then rtkit); jackd(1) -R\n"
               "field report: stock installation without rtkit, limits or group: all data loops SCHED_OTHER "
               "(omarchy issue 9390)\n"
               "/proc/PID/task/TID/stat, fields 40 and 41: proc(5)",
    .guide.persistent = ST_MACHINE_FIX_LIMITS "\n# or install rtkit",
    .guide.needs = ST_NEEDS_RELOGIN,
    .guide.check = "ps -eLo cls,rtprio,comm | grep -E 'data-loop|jackd'   # FF or RR, and a priority\n"
                   "journalctl --user -b -u pipewire | grep -i -e rt -e realtime   # what was refused",
    .guide.undo = ST_MACHINE_UNDO_LIMITS,
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(PROCESSES_N, "linux.daemon.*", THREAD_PROCESS, THREAD_PRIORITY,
                          ST_MACHINE_CONTAINER, ST_JACK_COMMAND, PULSE_REALTIME, ST_OWNER_KEYS),
    .judge = judge_server_priority,
};

/* --- linux-priority-order: Programs that play must not run above the server that they play through. --- */

#define COMPLETE "linux.threads.complete"

static void judge_priority_order(struct st_finding *finding)
{
    int64_t processes, complete;
    if (st_finding_need_int(finding, PROCESSES_N, &processes) != 0)
        return;
    const struct top_thread server = top_thread(finding->facts, is_server);
    const struct top_thread client = top_thread(finding->facts, is_client);
    if (server.priority == 0) {
        st_finding_not_applicable(finding, "no sound server with a real-time thread runs");
        return;
    }
    st_finding_quote(finding, server.process_fact->key);
    st_finding_quote(finding, server.priority_fact->key);
    if (client.priority > server.priority) {
        st_finding_quote(finding, client.process_fact->key);
        st_finding_quote(finding, client.priority_fact->key);
        st_finding_advice(finding,
                          "%.40s runs at priority %" PRId64 ", higher than the sound server's %" PRId64
                          ", so it can take the CPU from the server",
                          client.process_fact->text, client.priority, server.priority);
        st_rule_fix(finding);
        return;
    }
    if (st_finding_need_int(finding, COMPLETE, &complete) != 0)
        return;
    st_finding_fine(finding, "no program has a higher priority than the sound server's %" PRId64 "%s",
                    server.priority, complete != 0 ? "" : " (not all threads were checked)");
}

const struct st_rule st_rule_linux_priority_order = {
    .id = "linux-priority-order",
    .title = "Programs above the sound server's priority",
    .mechanism = "While a program with a higher real-time priority than the server computes, the server "
                 "does not get that CPU. Then it may miss its deadline, and all sound drops out.",
    .privilege = "none",
    .cost = "none",
    .when_not = "the program has to come first, and uses little CPU time",
    .sources = "sched(7); field report: client above the server's priority starved it (pipeasio issue 4)\n"
               "jackd gives its clients 5 less than itself (jackd(1) -P)",
    .guide.persistent = "# lower the real-time priority in that program's own settings, below the server's; "
                        "or raise the\n"
                        "# server: /etc/pipewire/pipewire.conf.d/90-sleeptune.conf, module-rt, rt.prio "
                        "(default 88); 'jackd -P'",
    .guide.needs = ST_NEEDS_REOPEN,
    .guide.check = "ps -eLo cls,rtprio,comm --sort=-rtprio | head -20   # sound interrupt, server, programs",
    .guide.undo = "set the old priority in that program again",
    .worst = ST_STATUS_ADVICE,
    .facts = ST_RULE_KEYS(PROCESSES_N, THREAD_PROCESS, THREAD_PRIORITY, THREAD_NAME, COMPLETE),
    .judge = judge_priority_order,
};

/* --- linux-irq-priorities: The thread of the sound card's interrupt beside the sound server. --- */

#define IRQ_NAME     "linux.irq_thread.*.name"
#define IRQ_PRIORITY "linux.irq_thread.*.priority"
#define USB_CLASS    "linux.usb_audio.*.control"

struct search {
    const struct st_facts *facts;
    bool has_usb;
    size_t threads_n;
    const struct st_fact *name; /* of the sound thread with the lowest priority */
    const struct st_fact *priority_fact;
    int64_t priority;
};

/** "irq/130-snd_hda_", "irq/131-xhci_hc": 15 bytes of the name are kept. */
static bool is_sound(const struct search *search, const char *name)
{
    static const char *const usb[] = {"xhci", "ehci", "ohci", "uhci", "dwc"};
    if (strstr(name, "snd") != NULL || strstr(name, "Audio") != NULL || strstr(name, "hda") != NULL)
        return true;
    for (size_t i = 0; search->has_usb && i < ST_ARRAY_LEN(usb); i++) {
        if (strstr(name, usb[i]) != NULL)
            return true;
    }
    return false;
}

static void find_interrupt_thread(struct search *search, const struct st_fact *fact)
{
    static const char suffix[] = ".name";
    char key[128];
    const char *name;
    int64_t priority;
    const size_t len = strlen(fact->key) - (sizeof(suffix) - 1);
    if (len > 100 || st_facts_text(search->facts, fact->key, &name) != 0)
        return;
    search->threads_n++;
    snprintf(key, sizeof(key), "%.*s.priority", (int)len, fact->key);
    if (!is_sound(search, name) || st_facts_int(search->facts, key, &priority) != 0 ||
        (search->name != NULL && priority >= search->priority))
        return;
    search->name = fact;
    search->priority = priority;
    search->priority_fact = st_facts_find(search->facts, key);
}

static void judge_irq_priorities(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    int64_t processes;
    struct search search = {.facts = facts};
    if (st_finding_need_int(finding, PROCESSES_N, &processes) != 0)
        return;
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(facts, "linux.usb_audio.", ".control", fact)) != NULL;)
        search.has_usb = search.has_usb || fact->state == ST_FACT_OK;
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(facts, "linux.irq_thread.", ".name", fact)) != NULL;)
        find_interrupt_thread(&search, fact);
    const struct top_thread server = top_thread(facts, is_server);
    if (search.name == NULL) {
        st_finding_not_applicable(finding, "%s",
                                  search.threads_n == 0
                                      ? "interrupts have no threads on this machine (see finding "
                                        "linux-threaded-irqs)"
                                      : "no interrupt thread belongs to a sound device");
        return;
    }
    st_finding_quote(finding, search.name->key);
    st_finding_quote(finding, search.priority_fact->key);
    if (server.priority == 0) {
        st_finding_not_applicable(finding, "no sound server with a real-time thread runs");
        return;
    }
    st_finding_quote(finding, server.process_fact->key);
    st_finding_quote(finding, server.priority_fact->key);
    if (search.priority >= server.priority) {
        st_finding_fine(finding, "%.20s runs at priority %" PRId64 ", the sound server at %" PRId64,
                        search.name->text, search.priority, server.priority);
        return;
    }
    st_finding_advice(finding,
                      "%.20s runs at priority %" PRId64 ", lower than the sound server's %" PRId64 ", so "
                      "the server can delay the interrupt that it waits for",
                      search.name->text, search.priority, server.priority);
    st_rule_fix(finding);
}

const struct st_rule st_rule_linux_irq_priorities = {
    .id = "linux-irq-priorities",
    .title = "Priority of the sound card's interrupt thread",
    .mechanism = "With threaded interrupts a thread of priority SCHED_FIFO 50 handles the sound card's "
                 "interrupt, just as those of disk and network. On the same CPU a sound server with a "
                 "higher priority runs first, and other devices at 50 may come first, too. The best order "
                 "is: sound interrupt, server, programs, other interrupts.",
    .cost = "fairness: at priority 90 a device that interrupts without end takes the CPU from all others",
    .when_not = "the server wakes by timer on an HD audio card: there is little to gain. On some machines a "
                "suspend undoes the change.",
    .sources = "rtirq package: list 'snd usb i8042', high 90, step 5, low 51; rtirq issue 3 (lost after "
               "suspend)\n"
               "Linux kernel/irq/manage.c: threads get SCHED_FIFO 50 (sched_set_fifo)",
    .guide.now = "# until the next boot or suspend:\npgrep 'irq/.*(snd|xhci)' | xargs -n1 sudo chrt -f -p 90",
    .guide.persistent = "# install rtirq, then in /etc/default/rtirq (Fedora: /etc/sysconfig/rtirq):\n"
                        "RTIRQ_NAME_LIST=\"snd usb i8042\"\n"
                        "RTIRQ_PRIO_HIGH=90\n"
                        "# and\n"
                        "sudo systemctl enable --now rtirq",
    .guide.check = "ps -eLo cls,rtprio,comm | grep 'irq/'   # snd and xhci above the rest",
    .guide.undo = "sudo systemctl disable rtirq; then sudo /etc/init.d/rtirq reset, or restart",
    .worst = ST_STATUS_ADVICE,
    .facts = ST_RULE_KEYS(PROCESSES_N, IRQ_NAME, IRQ_PRIORITY, THREAD_PROCESS, THREAD_PRIORITY, USB_CLASS),
    .judge = judge_irq_priorities,
};
