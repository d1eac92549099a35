/* RLIMIT_NICE: what is left to a program that gets no real-time priority. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define LIMIT      "linux.rt.nice_limit"
#define FIFO_ERRNO "linux.rt.fifo_errno"
#define RTKIT      "linux.daemon.rtkit-daemon"
#define INSTALLED  "linux.rtkit.installed"
#define AUTOGROUP  "linux.sysctl.kernel.sched_autogroup_enabled"

/** The limit is 20 - nice: PipeWire and PulseAudio ask for -11. */
#define LIMIT_OF_SERVERS 31

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t limit, error, pid;
    (void)wish;
    if (st_finding_need_int(finding, facts, LIMIT, &limit) != 0)
        return;
    st_finding_quote(finding, facts, FIFO_ERRNO);
    if (st_facts_int(facts, FIFO_ERRNO, &error) == 0 && error == 0) {
        st_finding_set(finding, ST_STATUS_OK, "real-time threads are above any nice value");
        st_finding_effect(finding, 0, "SCHED_FIFO was granted: nice does not count");
    } else if (limit < -1 || limit > 40) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a limit of %" PRId64 " cannot be (0 to 40)", limit);
    } else if (limit == -1 || limit >= LIMIT_OF_SERVERS) {
        st_finding_quote(finding, facts, AUTOGROUP);
        st_finding_set(finding, ST_STATUS_OK,
                       "sound servers may go to nice -11, which helps without real-time priority%s",
                       st_machine_int_or(facts, AUTOGROUP, 0) == 1
                           ? ", but only against programs of the same session (sched_autogroup_enabled is 1)"
                           : "");
    } else if (st_facts_int(facts, RTKIT, &pid) == 0 || st_facts_int(facts, INSTALLED, &pid) == 0) {
        st_finding_quote(finding, facts, RTKIT);
        st_finding_quote(finding, facts, INSTALLED);
        st_finding_set(finding, ST_STATUS_OK, "rtkit raises programs that ask beyond this limit");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "without real-time priority a server may not even go below nice %" PRId64
                       " (it asks for -11)",
                       20 - limit < 20 ? 20 - limit : 0);
        st_finding_fix_usual(finding);
    }
}

const struct st_rule st_rule_linux_nice_limit = {
    .id = "linux-nice-limit",
    .os = ST_OS_LINUX,
    .title = "Limit on nice values",
    .mechanism =
        "A normal thread with a lower nice value gets a larger share of a busy CPU, but still waits its "
        "turn. It is what is left when real-time priority is refused.",
    .privilege = "root",
    .cost = "fairness",
    .when_not = "real-time priority is granted: nice values do not matter to it",
    .sources = "getrlimit(2) RLIMIT_NICE (ceiling 20 - nice); sched(7) on autogroups; PipeWire module-rt "
               "nice.level -11; PulseAudio "
               "nice-level -11",
    .guide =
        {
            .now = "sudo prlimit --pid $$ --nice=31:31",
            .persistent = "# /etc/security/limits.d/90-sleeptune.conf\n@audio - nice -11\n# then\nsudo "
                          "usermod -aG audio "
                          "$USER",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ulimit -e   # after a new login: 31, that is nice -11",
            .undo = ST_MACHINE_UNDO_LIMITS,
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){LIMIT, FIFO_ERRNO, RTKIT, INSTALLED, AUTOGROUP, NULL},
    .judge = judge,
};
