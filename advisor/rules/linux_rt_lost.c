/* Linux: real-time priority that was lost after a suspend, and programs that never had it. */
#include "advisor/rules/linux_rt_lost.h"

#include "advisor/facts/owner.h"
#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"
#include "platform/proc.h"

#define RT_PROCESS      ST_KEYS_RT_THREAD "*.process"
#define RT_PRIORITY     ST_KEYS_RT_THREAD "*.priority"
#define RTKIT_MAX       20 /* highest priority that rtkit gives by default (rtkit-daemon --help) */
#define SUSPENDED_LEAST 1000 /* ms; a shorter time is no suspend */

static const struct {
    const char *key, *name, *processes[2];
} servers[] = {
    {ST_KEY_DAEMON_PIPEWIRE, "PipeWire", {"pipewire", NULL}},
    {ST_KEY_DAEMON_PULSEAUDIO, "PulseAudio", {"pulseaudio", NULL}},
    {"", "", {NULL}},
};
#define NONE (ST_ARRAY_LEN(servers) - 1)

/** Index in `servers` of the sound server that runs for this user; NONE: no server runs. */
static size_t server_of(const struct st_facts *facts)
{
    size_t i = 0;
    while (i < NONE && (!st_facts_has_int(facts, servers[i].key) ||
                        st_owner_other(facts, servers[i].key) != NULL))
        i++;
    return i;
}

/* --- linux-rt-lost: did rtkit take the sound server's real-time priority away? --- */

static bool has_canary(const struct st_facts *facts)
{
    return strstr(st_facts_text_or(facts, ST_KEY_RTKIT_COMMAND, ""), "--no-canary") == NULL;
}

bool st_linux_rt_lost(const struct st_facts *facts, const char *key)
{
    return st_text_is(servers[server_of(facts)].key, key) &&
           st_facts_has_int(facts, ST_KEY_DAEMON_RTKIT_DAEMON) && has_canary(facts) &&
           st_facts_int_or(facts, ST_KEY_RTKIT_DEMOTED_N, 0) > 0;
}

#define RESTART "sudo systemctl daemon-reload && sudo systemctl restart rtkit-daemon"
#define EVER(command, option)                                                                      \
    "# /etc/systemd/system/rtkit-daemon.service.d/90-sleeptune.conf\n[Service]\nExecStart=\n"      \
    "ExecStart=" command " --" option "\n# then\n" RESTART
#define COMMAND(option) "# COMMAND: see 'systemctl cat rtkit-daemon'\n" EVER("COMMAND", option)

static void judge_lost(struct st_finding *finding, ST_UNUSED int64_t processes_n)
{
    const struct st_facts *facts = finding->facts;
    const int64_t suspended_ms = st_facts_int_or(facts, ST_KEY_SUSPENDED_MS, 0),
                  demoted_n = st_facts_int_or(facts, ST_KEY_RTKIT_DEMOTED_N, -1);
    const size_t server = server_of(facts);
    const char *name = servers[server].name;
    const int64_t priority = st_machine_top_thread(facts, servers[server].processes).priority;
    const bool slept = suspended_ms >= SUSPENDED_LEAST,
               can_suspend =
                   st_proc_has_word(st_facts_text_or(facts, ST_KEY_POWER_STATES, ""), "mem") &&
                   !st_machine_is_guest(facts) &&
                   st_facts_int_or(facts, ST_KEY_SUSPEND_FORBIDDEN, 0) == 0,
               logged = st_linux_rt_lost(facts, servers[server].key),
               unnamed =
                   server == NONE && st_facts_has_int(facts, ST_KEY_THREADS_PART) && demoted_n > 0;
    if (!st_rule_say(
            finding,
            {unnamed, ST_STATUS_PROBLEM,
             "programs lost their real-time priority: rtkit took it away, as its log says"},
            {server == NONE, ST_STATUS_NOT_APPLICABLE,
             "neither PipeWire nor PulseAudio is running for this user"},
            {!st_facts_has_int(facts, ST_KEY_DAEMON_RTKIT_DAEMON), ST_STATUS_NOT_APPLICABLE,
             "rtkit does not run, so it cannot take real-time priority away"},
            {!has_canary(facts), ST_STATUS_OK,
             "rtkit runs with --no-canary: it takes no priority away after a suspend"},
            {priority == 0 && !logged && !slept, ST_STATUS_NOT_APPLICABLE,
             st_text("%s has no real-time priority, and nothing shows that it had one before: see "
                     "'sleeptune report linux-server-priority'",
                     name)},
            {priority == 0, ST_STATUS_PROBLEM,
             st_text(logged
                         ? "%s lost its real-time priority: rtkit took it away, as its log says%s"
                         : "%s lost its real-time priority: rtkit probably took it away%s",
                     name, slept ? ", when this computer was suspended" : "")},
            {priority > RTKIT_MAX, ST_STATUS_OK,
             st_text("%s did not get its real-time priority %jd from rtkit, which gives less, so "
                     "rtkit does not take it away",
                     name, priority)},
            {slept && demoted_n == 0, ST_STATUS_OK,
             st_text("%s kept its real-time priority (%jd) when this computer was suspended", name,
                     priority)},
            {slept || can_suspend, ST_STATUS_ADVICE,
             st_text("%s has its real-time priority (%jd) from rtkit, which may take it away when "
                     "this computer is suspended",
                     name, priority)},
            {true, ST_STATUS_OK,
             st_text("%s has real-time priority %jd, and no suspend of this computer is known that "
                     "could take it away",
                     name, priority)}))
        return;
    const char *command = st_facts_text_or(facts, ST_KEY_RTKIT_COMMAND, "");
    st_rule_fix(finding);
    /* the fix repeats the running command, since its path and options depend on the distribution */
    if (!unnamed && command[0] == '/' && st_text_is_of(command, "_.:-/= "))
        st_finding_fix_persistent(finding, finding->needs, EVER("%s", "no-canary"), command);
}

const struct st_rule st_rule_linux_rt_lost = {
    .id = "linux-rt-lost",
    .title = "Real-time priority lost after a suspend",
    .mechanism = "rtkit has a test thread (canary) that gives the alarm when it gets no CPU time. "
                 "After a suspend this may be a false alarm: rtkit then takes real-time priority "
                 "from all programs, and they lack it until you start them again.",
    .cost = "fairness: without this check a program that never sleeps keeps its priority "
            "(RLIMIT_RTTIME still ends it after 200 ms)",
    .when_not =
        "the computer is never suspended, or your limits give real-time priority without rtkit",
    .sources =
        "users' reports: heftig/rtkit issue 13 (suspend by S3 and s2idle), pull request 35; "
        "bugzilla.redhat.com 688282\n"
        "what rtkit logs then: \"The canary thread is apparently starving\" (rtkit-daemon.c)\n"
        "how long the computer was suspended: CLOCK_BOOTTIME - CLOCK_MONOTONIC of clock_gettime(2)",
    .now = "systemctl --user restart pipewire pipewire-pulse wireplumber   # or pulseaudio; then "
           "open your programs again",
    .persistent = COMMAND("no-canary"),
    .needs = ST_NEEDS_REOPEN,
    .check = "journalctl -b -u rtkit-daemon | grep -c Demot   # 0\n"
             "ps -eLo cls,rtprio,comm | grep data-loop   # RR 20 or FF 88, also after a suspend",
    .undo = "delete 90-sleeptune.conf, then run: " RESTART,
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_KEY_PROCESSES_N, ST_KEYS_DAEMON "*", ST_KEY_RTKIT_COMMAND,
                          ST_KEY_RTKIT_DEMOTED_N, ST_KEY_THREADS_PART, ST_KEY_SUSPENDED_MS,
                          ST_KEY_POWER_STATES, ST_KEY_SUSPEND_FORBIDDEN, RT_PROCESS, RT_PRIORITY,
                          ST_KEY_VIRTUAL, ST_OWNER_KEYS),
    .judge_number = judge_lost,
};

/* --- linux-rt-time: programs that the kernel ends because their real-time threads do not sleep
 * --- */

/** The first program whose limit RLIMIT_RTTIME is at most `most` us. NULL: none. */
static const struct st_fact *find_rt_time(const struct st_facts *facts, int64_t most)
{
    ST_FACTS_EACH (fact, facts, ST_KEYS_RT_TIME, ".limit_us") {
        if (fact->is_int && fact->i64 >= 0 && fact->i64 <= most)
            return fact;
    }
    return NULL;
}

static void judge_rt_time(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const struct st_fact *zero = find_rt_time(facts, 0), *any = find_rt_time(facts, INT64_MAX);
    const char *killed = "a program";
    if (zero != NULL)
        killed = st_fact_beside_text_or(zero, "name", killed);
    const int64_t killed_n = st_facts_int_or(facts, ST_KEY_KERNEL_LOG_RT_TIME_N, 0);
    /* by_portal: does the portal's limit of 0 us kill programs? It does unless this user's limits
     * give real-time priority, since PipeWire otherwise asks the portal for it */
    const bool by_portal = st_facts_is(facts, ST_KEY_PORTAL_RT_TIME_US, "0") &&
                           !st_facts_is(facts, ST_KEY_RT_FIFO_ERRNO, "0");
    if (!by_portal && killed_n == 0 && st_finding_need_int(finding, ST_KEY_PROCESSES_N, NULL) != 0)
        return;
    if (st_rule_say(finding,
                    {zero != NULL, ST_STATUS_PROBLEM,
                     st_text("the kernel kills %.40s as soon as one of its real-time threads "
                             "computes: its limit RLIMIT_RTTIME is 0 µs",
                             killed),
                     zero},
                    {by_portal, ST_STATUS_PROBLEM,
                     "programs that ask the desktop's portal for real-time priority are killed: "
                     "the portal lets their threads compute for 0 µs (RTTimeUSecMax)",
                     any},
                    {killed_n > 0, ST_STATUS_PROBLEM,
                     st_text("the kernel killed programs whose real-time thread computed too long "
                             "without a sleep (RLIMIT_RTTIME), %jd time%s in the kernel's log",
                             killed_n, ST_PLURAL(killed_n)),
                     any},
                    {any != NULL, ST_STATUS_OK,
                     "no program is known to have been killed for computing too long without a "
                     "sleep (RLIMIT_RTTIME)",
                     any},
                    {true, ST_STATUS_NOT_APPLICABLE,
                     "no program with real-time threads has a limit of computing time "
                     "(RLIMIT_RTTIME) at which the kernel would kill it"}))
        st_rule_fix(finding);
}

const struct st_rule st_rule_linux_rt_time = {
    .id = "linux-rt-time",
    .title = "Programs killed for not sleeping (RLIMIT_RTTIME)",
    .mechanism = "A program that gets real-time priority from rtkit or the desktop's portal has a "
                 "limit of computing time: a real-time thread that computes for so long without a "
                 "sleep, usually 200 ms, ends the program (signal 9, without a line in any log). "
                 "The limit can only be lowered.",
    .cost = "fairness: without the limit a thread that never sleeps takes its CPU from all others",
    .when_not = "the program ended for another reason: systemd then logs 'timeout', not 'signal', "
                "or the kernel logs that it killed the program because memory ran out",
    .sources =
        "Linux source code: kernel/time/posix-cpu-timers.c, check_rlimit() (the kernel logs it "
        "only with kernel.print-fatal-signals=1); manual getrlimit(2)\n"
        "users' reports: flatpak/xdg-desktop-portal issue 2110 (0 µs if rtkit did not answer when "
        "the portal started); EasyEffects issues 3108 and 3450; openal-soft issue 792",
    .now = "systemctl --user restart xdg-desktop-portal   # if RTTimeUSecMax is 0; then open the "
           "program again",
    .persistent = "# real-time priority without a limit of computing time, for the user NAME; then "
                  "log out and in again\n"
                  "# /etc/security/limits.d/90-sleeptune.conf\nNAME - rtprio 90\n"
                  "# or a higher limit of rtkit:\n" COMMAND("rttime-usec-max=2000000"),
    .needs = ST_NEEDS_REOPEN,
    .check = "grep realtime /proc/$(pgrep -o PROGRAM)/limits   # unlimited, or more than 200000",
    .undo = "delete both files 90-sleeptune.conf, run the following command, then log out and in "
            "again: " RESTART,
    .worst = ST_STATUS_PROBLEM,
    .facts = ST_RULE_KEYS(ST_KEY_PORTAL_RT_TIME_US, ST_KEY_PROCESSES_N, ST_KEYS_RT_TIME "*",
                          ST_KEY_KERNEL_LOG_RT_TIME_N, ST_KEY_RT_FIFO_ERRNO),
    .judge = judge_rt_time,
};

/* --- linux-client-priority: do the programs that play through PipeWire have real-time threads?
 * --- */

struct clients {
    struct st_finding *finding;
    char names[200]; /* names of the programs without real-time priority */
    int without_n, with_n;
    const char *last;
};

static void add_client(struct clients *clients, const struct st_fact *fact, const char *name)
{
    if (st_text_is(name, clients->last))
        return;
    clients->last = name;
    st_finding_quote(clients->finding, fact);
    if (++clients->without_n <= 4)
        st_text_join(clients->names, sizeof(clients->names), ", ", "%.40s", name);
}

/** Counts a program by one of its threads. A real-time thread counts only if it is one of
 * PipeWire's library, with "data-loop" in its name. */
static void by_thread(struct clients *clients, const struct st_fact *process, bool has_priority)
{
    if (process->state != ST_FACT_OK || !st_machine_thread_plays(process))
        return;
    if (!has_priority)
        add_client(clients, process, process->text);
    else if (strstr(st_fact_beside_text_or(process, "name", ""), "data-loop") != NULL)
        clients->with_n++;
}

/** Counts a program that plays by its node in PipeWire's graph: does it have any real-time thread?
 * Left out are programs that use PulseAudio's library, for which pipewire-pulse computes, and
 * sleeptune, which only listens. */
static void by_node(struct clients *clients, const struct st_fact *plays)
{
    const char *pid, *name = st_buffer_program(plays);
    if (!st_fact_is(plays, "true") || st_text_begins(name, "sleeptune") ||
        st_fact_beside_is(plays, "api", "pipewire-pulse") ||
        st_fact_beside_text(plays, "pid", &pid) != 0)
        return;
    if (st_facts_any(plays->facts, ST_KEYS_RT_THREAD, ".pid", pid))
        clients->with_n++;
    else
        add_client(clients, plays, name);
}

static void judge_clients(struct st_finding *finding, ST_UNUSED int64_t processes_n)
{
    const struct st_facts *facts = finding->facts;
    struct clients clients = {.finding = finding, .last = ""};
    const size_t server = server_of(facts);
    if (server != 0 || st_machine_top_thread(facts, servers[0].processes).priority == 0) {
        st_finding_not_applicable(finding, server != 0
                                               ? "PipeWire is not running for this user"
                                               : "PipeWire itself has no real-time priority: see "
                                                 "'sleeptune report linux-server-priority' first");
        return;
    }
    /* programs are counted by PipeWire's graph first, since before PipeWire 1.0.1 the library's
     * threads have no name of their own */
    if (st_facts_int_or(facts, ST_KEY_THREADS_COMPLETE, 0) == 1) {
        ST_FACTS_EACH (fact, facts, ST_KEYS_PIPEWIRE_NODE, ".plays")
            by_node(&clients, fact);
    }
    if (clients.without_n == 0) {
        ST_FACTS_EACH (fact, facts, ST_KEYS_NORMAL_THREAD, ".process")
            by_thread(&clients, fact, false);
        ST_FACTS_EACH (fact, facts, ST_KEYS_RT_THREAD, ".process")
            by_thread(&clients, fact, true);
    }
    if (clients.without_n == 0) {
        if (st_facts_has(facts, ST_KEY_THREADS_PART))
            st_finding_unknown(finding,
                               "the given text lists only some of the threads, so whether the "
                               "programs that play have real-time priority is unknown");
        else if (clients.with_n > 0)
            st_finding_fine(finding,
                            "the programs that play through PipeWire have real-time "
                            "priority, as far as sleeptune can tell which threads those are");
        else
            st_finding_not_applicable(
                finding, "no program that plays through PipeWire was found; before PipeWire 1.0.1 "
                         "only pw-dump shows them, because their threads have no name");
        return;
    }
    st_rule_advise(
        finding,
        "programs play through PipeWire without real-time priority (SCHED_OTHER): %s (%d in all)",
        clients.names, clients.without_n);
    if (st_buffer_pipewire_version(facts) < 10400)
        return;
    /* root always has the right, which says nothing about other users */
    const bool granted = st_facts_is(facts, ST_KEY_RT_FIFO_ERRNO, "0") &&
                         st_facts_int_or(facts, ST_KEY_USER_UID, 0) != 0;
    /* the limits are not those of this process, but of a login, a saved tree or a posted text */
    const bool read = st_facts_has(facts, ST_KEY_USER_LIMITS_FROM);
    const char *fix =
        st_machine_right_at_login(facts) ? ST_MACHINE_FIX_LOG_IN : ST_MACHINE_FIX_LIMITS;
    if (granted)
        fix = ST_MACHINE_FIX_LOG_IN "\n# if you did that already: start the program again";
    if (granted && !read)
        fix = "# start the program again. In a Flatpak also install rtkit and xdg-desktop-portal";
    st_finding_fix(finding, NULL, fix, granted && !read ? ST_NEEDS_REOPEN : ST_NEEDS_RELOGIN);
}

const struct st_rule st_rule_linux_client_priority = {
    .id = "linux-client-priority",
    .title = "Real-time threads of the programs that play",
    .mechanism = "A program computes its sound in a thread of its own. Without real-time priority "
                 "any busy program delays it, and PipeWire goes on without its sound. Before "
                 "PipeWire 1.4 programs do not ask for it by default; in a Flatpak they need the "
                 "portal org.freedesktop.portal.Realtime.",
    .privilege = "none",
    .when_not = "the program has a large buffer or may have gaps, such as a browser: then it needs "
                "no real-time priority",
    .sources = "PipeWire's NEWS for 1.4: client.conf and client-rt.conf are the same from then on; "
               "mpv issue 11826\n"
               "users' reports about Flatpaks, whose process ids rtkit does not know: "
               "xdg-desktop-portal issue 355, flathub/org.ardour.Ardour issue 39\n"
               "how sleeptune knows which programs play: pw-dump shows which have a link to a "
               "device; without it, the name of their thread (pw-data-loop from PipeWire 1.0.1 on, "
               "commit 70b224f1c; data-loop.0 from 1.2 on, commit c12cf748b)\n"
               "priorities: /proc/PID/task/TID/stat, fields 2, 40 and 41, manual proc(5)",
    .now = "PIPEWIRE_CONFIG_NAME=client-rt.conf PROGRAM   # PipeWire before 1.4",
    .persistent =
        ST_MACHINE_FIX_LIMITS "\n"
                              "# before 1.4 also in ~/.config/environment.d/90-sleeptune.conf:\n"
                              "PIPEWIRE_CONFIG_NAME=client-rt.conf",
    .needs = ST_NEEDS_RELOGIN,
    .check = "ps -eLo cls,rtprio,comm | grep data-loop   # RR or FF, and a priority",
    .undo = ST_MACHINE_UNDO_LIMITS " and ~/.config/environment.d/90-sleeptune.conf",
    .facts = ST_RULE_KEYS(ST_KEY_PROCESSES_N, ST_KEYS_DAEMON "*", RT_PROCESS, RT_PRIORITY,
                          ST_KEYS_RT_THREAD "*.name", ST_KEYS_NORMAL_THREAD "*.process",
                          ST_KEY_THREADS_COMPLETE, "linux.*_thread.*.pid",
                          ST_KEYS_PIPEWIRE_NODE "*", ST_KEY_PIPEWIRE_VERSION, ST_KEY_USER_UID,
                          ST_KEY_USER_LIMITS_FROM, ST_MACHINE_RIGHT_AT_LOGIN, ST_OWNER_KEYS),
    .judge_number = judge_clients,
};
