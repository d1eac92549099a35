/* Does the running sound server have its real-time threads? */
#include <inttypes.h>
#include <string.h>

#include "advisor/rules/jack_command.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "advisor/rules/threads.h"

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

/** Was jackd told to do without (-r)? Then linux-jack-realtime says so. */
static bool jack_is_told(const struct st_facts *facts)
{
    struct st_jack_command jack;
    const char *command;
    if (st_facts_text(facts, ST_JACK_COMMAND, &command) != 0)
        return false;
    st_jack_command_parse(command, &jack);
    return !jack.realtime;
}

/** linux-pulseaudio says so. */
static bool pulse_is_told(const struct st_facts *facts)
{
    const char *text;
    return st_facts_text(facts, PULSE_REALTIME, &text) == 0 && st_machine_is_off(text);
}

static bool nobody_is_told(const struct st_facts *facts)
{
    (void)facts;
    return false;
}

/* jackdbus is not among them: until a program asks for JACK it has nothing to do. */
static const struct {
    const char *key;
    const char *name;
    st_process_fn fn;
    bool (*is_told)(const struct st_facts *facts); /* to do without, maybe */
    const char *told_by;
    const char *now;
} servers[] = {
    {"linux.daemon.pipewire", "PipeWire", is_pipewire, nobody_is_told, "",
     "# what it was refused is in its log:\njournalctl --user -b -u pipewire | grep -i -e rt -e realtime"},
    {"linux.daemon.jackd", "jackd", is_jack, jack_is_told, "linux-jack-realtime", NULL},
    {"linux.daemon.pulseaudio", "PulseAudio", is_pulseaudio, pulse_is_told, "linux-pulseaudio", NULL},
};

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t processes, pid;
    const char *told = NULL, *told_by = NULL;
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_THREADS_N, &processes) != 0)
        return;
    for (size_t i = 0; i < ST_ARRAY_LEN(servers); i++) {
        st_finding_quote(finding, facts, servers[i].key);
        if (st_facts_int(facts, servers[i].key, &pid) != 0 ||
            st_threads_top(facts, servers[i].fn).priority > 0)
            continue;
        if (servers[i].is_told(facts)) {
            told = servers[i].name;
            told_by = servers[i].told_by;
            continue;
        }
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "%s runs without a real-time thread, so any busy program can delay all sound",
                       servers[i].name);
        st_finding_fix(finding, servers[i].now, finding->rule->guide.persistent, finding->rule->guide.needs);
        return;
    }
    const struct st_top_thread top = st_threads_top(facts, st_threads_is_server);
    if (top.priority > 0) {
        st_finding_quote(finding, facts, top.process_fact->key);
        st_finding_quote(finding, facts, top.priority_fact->key);
        st_finding_set(finding, ST_STATUS_OK, "the sound server's thread runs at real-time priority %" PRId64,
                       top.priority);
        st_finding_effect(finding, 0, "priority %" PRId64 ": no normal program delays it", top.priority);
    } else if (told != NULL) {
        st_finding_quote(finding, facts, ST_JACK_COMMAND);
        st_finding_quote(finding, facts, PULSE_REALTIME);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "%s was told to do without real-time priority; see %s", told, told_by);
    } else {
        st_finding_quote(finding, facts, ST_MACHINE_CONTAINER);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound server runs%s",
                       st_machine_in_container(facts) ? " in this container; the host's are not visible"
                                                      : "");
    }
}

const struct st_rule st_rule_linux_server_priority = {
    .id = "linux-server-priority",
    .os = ST_OS_LINUX,
    .title = "Real-time thread of the sound server",
    .mechanism =
        "A sound server moves sound in one thread that asks for real-time priority when it starts. If that "
        "is refused it goes on as a normal program, which is heard only when the machine is busy.",
    .privilege = "root",
    .cost = "none beyond that of the right to real-time priority",
    .when_not = "machines where nobody needs sound without gaps",
    .sources = "PipeWire module-rt (limits, then the portal, then rtkit); jackd(1) -R\n"
               "field report: stock installation without rtkit, limits or group: all data loops SCHED_OTHER "
               "(omarchy issue 9390)\n"
               "/proc/PID/task/TID/stat, fields 40 and 41: proc(5)",
    .guide =
        {
            .persistent = ST_MACHINE_FIX_LIMITS "\n# or install rtkit",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ps -eLo cls,rtprio,comm | grep -E 'data-loop|jackd'   # FF or RR, and a priority",
            .undo = ST_MACHINE_UNDO_LIMITS,
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_THREADS_N, "linux.daemon.*", ST_THREADS_PROCESS, ST_THREADS_PRIO,
                                   ST_MACHINE_CONTAINER, ST_JACK_COMMAND, PULSE_REALTIME, NULL},
    .judge = judge,
};
