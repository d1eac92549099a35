/* Does the running sound server have its real-time threads? */
#include <inttypes.h>
#include <string.h>

#include "advisor/rule.h"
#include "advisor/rules/jack_command.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/threads.h"

#define PIPEWIRE "linux.daemon.pipewire"
#define JACKD    "linux.daemon.jackd"

static bool is_pipewire(const char *process)
{
    return strcmp(process, "pipewire") == 0;
}

static bool is_jackd(const char *process)
{
    return strcmp(process, "jackd") == 0;
}

/** Was jackd told to do without (-r)? Then linux-jack-realtime says so. */
static bool is_told(const struct st_facts *facts)
{
    struct st_jack_command jack;
    const char *command;
    if (st_facts_text(facts, ST_JACK_COMMAND, &command) != 0)
        return false;
    st_jack_command_parse(command, &jack);
    return !jack.realtime;
}

static void without(struct st_finding *finding, const char *name, const char *now)
{
    st_finding_set(finding, ST_STATUS_PROBLEM,
                   "%s runs without a real-time thread, so any busy program can delay all sound", name);
    st_finding_fix(finding, now, finding->rule->guide.persistent, finding->rule->guide.needs);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t processes, pid;
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_THREADS_N, &processes) != 0)
        return;
    st_finding_quote(finding, facts, PIPEWIRE);
    st_finding_quote(finding, facts, JACKD);
    const bool pipewire = st_facts_int(facts, PIPEWIRE, &pid) == 0,
               jackd = st_facts_int(facts, JACKD, &pid) == 0;
    const struct st_top_thread of_pipewire = st_threads_top(facts, is_pipewire);
    const struct st_top_thread of_jackd = st_threads_top(facts, is_jackd);
    const struct st_top_thread *top = of_jackd.priority > of_pipewire.priority ? &of_jackd : &of_pipewire;
    if (top->priority > 0) {
        st_finding_quote(finding, facts, top->process_fact->key);
        st_finding_quote(finding, facts, top->priority_fact->key);
    }
    if (!pipewire && !jackd) {
        st_finding_quote(finding, facts, ST_MACHINE_CONTAINER);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "neither PipeWire nor jackd runs%s",
                       st_machine_in_container(facts) ? " in this container; the host's are not visible"
                                                      : "");
    } else if (pipewire && of_pipewire.priority == 0) {
        without(finding, "PipeWire",
                "# what it was refused is in its log:\njournalctl --user -b -u pipewire | grep -i -e rt -e "
                "realtime");
    } else if (jackd && of_jackd.priority == 0 && is_told(facts)) {
        st_finding_quote(finding, facts, ST_JACK_COMMAND);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "jackd was told to do without real-time priority; see linux-jack-realtime");
    } else if (jackd && of_jackd.priority == 0) {
        without(finding, "jackd", NULL);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "the sound server's thread runs at real-time priority %" PRId64,
                       top->priority);
        st_finding_effect(finding, 0, "priority %" PRId64 ": no normal program delays it", top->priority);
    }
}

const struct st_rule st_rule_linux_server_priority = {
    .id = "linux-server-priority",
    .os = ST_OS_LINUX,
    .title = "Real-time thread of the sound server",
    .mechanism =
        "PipeWire and JACK move sound in one thread that asks for real-time priority when it starts. If "
        "that is refused they go on as normal programs, which is heard only when the machine is busy.",
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
    .facts = (const char *const[]){ST_THREADS_N, PIPEWIRE, JACKD, ST_THREADS_PROCESS, ST_THREADS_PRIO,
                                   ST_MACHINE_CONTAINER, ST_JACK_COMMAND, NULL},
    .judge = judge,
};
