/* rtkit: real-time priority for programs that ask a daemon for it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define FIFO_ERRNO "linux.rt.fifo_errno"
#define DAEMON     "linux.daemon.rtkit-daemon"
#define INSTALLED  "linux.rtkit.installed"
#define COMMAND    "linux.rtkit.command"
#define MAX        "linux.rtkit.max_priority"

#define PRIORITY_DEFAULT 20 /* rtkit-daemon --help */
/** Below this a cycle cannot wait for the threads of interrupts; a choice of this rule. */
#define PERIOD_SHORT_NS INT64_C(5000000)

/** As the running daemon says, else by its command line. */
static int64_t highest(const struct st_facts *facts)
{
    int64_t max;
    if (st_facts_int(facts, MAX, &max) == 0 && max >= 1 && max <= 99)
        return max;
    static const char option[] = "--max-realtime-priority=";
    const char *command;
    const char *at = st_facts_text(facts, COMMAND, &command) == 0 ? strstr(command, option) : NULL;
    const long value = at != NULL ? strtol(at + sizeof(option) - 1, NULL, 10) : 0;
    return value >= 1 && value <= 99 ? value : PRIORITY_DEFAULT;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t error, value;
    if (st_finding_need_int(finding, facts, FIFO_ERRNO, &error) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                           "a right belongs to a user, and this capture has none");
        return;
    }
    if (error == 0) {
        st_finding_set(finding, ST_STATUS_OK, "this user has real-time priority without rtkit");
        st_finding_effect(finding, 0, "SCHED_FIFO was granted");
        return;
    }
    st_finding_quote(finding, facts, DAEMON);
    st_finding_quote(finding, facts, INSTALLED);
    st_finding_quote(finding, facts, COMMAND);
    const int asked = st_facts_int(facts, MAX, &value);
    if (asked != 0 && asked != -ENOENT && st_finding_need_int(finding, facts, MAX, &value) != 0)
        return;
    st_finding_quote(finding, facts, MAX);
    const bool there =
        st_facts_int(facts, DAEMON, &value) == 0 || st_facts_int(facts, INSTALLED, &value) == 0;
    if (!there && st_facts_int(facts, INSTALLED, &value) == -EACCES) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "whether rtkit is installed could not be read");
    } else if (!there) {
        st_finding_set(
            finding, ST_STATUS_NOT_APPLICABLE,
            "rtkit is not installed; linux-rt-permission says how programs get real-time priority");
    } else if (wish->period_ns < PERIOD_SHORT_NS && highest(facts) < ST_MACHINE_IRQ_PRIORITY) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "rtkit gives SCHED_RR %" PRId64
                       " to programs that ask, below threads of interrupts (50); for "
                       "%.1f ms a limit is better",
                       highest(facts), (double)wish->period_ns / 1e6);
        st_finding_fix_usual(finding);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "rtkit gives SCHED_RR up to %" PRId64 " to programs that ask",
                       highest(facts));
    }
}

const struct st_rule st_rule_linux_rtkit = {
    .id = "linux-rtkit",
    .os = ST_OS_LINUX,
    .title = "rtkit, the daemon that grants real-time priority",
    .mechanism =
        "Desktop programs ask rtkit over D-Bus when the limits give them nothing. It grants SCHED_RR of a "
        "low priority, wants a limit of 200 ms on computing without a sleep, and takes all back when its "
        "canary starves.",
    .privilege = "root",
    .cost = "none",
    .when_not = "periods of 5 ms and more, for which its priority is enough; machines where the limits give "
                "the right already",
    .sources =
        "rtkit-daemon --help of 0.13: SCHED_RR, at most 20, rttime 200000 µs, 25 threads a user\n"
        "PipeWire module-rt asks limits, then the portal, then rtkit\nthe line of 5 ms is sleeptune's own",
    .guide =
        {
            .persistent = ST_MACHINE_FIX_LIMITS,
            .needs = ST_NEEDS_RELOGIN,
            .check = ST_MACHINE_CHECK_LIMITS,
            .undo = ST_MACHINE_UNDO_LIMITS,
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FIFO_ERRNO, DAEMON, INSTALLED, COMMAND, MAX, NULL},
    .judge = judge,
};
