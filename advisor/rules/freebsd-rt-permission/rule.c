/* May this user ask for a real-time priority (rtprio, SCHED_FIFO)? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define FIFO     "freebsd.rt.fifo_errno"
#define REALTIME "freebsd.security.mac.priority.realtime"
#define JAILED   "freebsd.security.jail.jailed"
#define UID      "user.uid"
#define GROUPS   "user.groups"

#define FIRST_WITH_POLICY 1301000 /* mac_priority(4) */

static void fix(const struct st_facts *facts, struct st_finding *finding)
{
    int64_t realtime;
    char now[160];
    st_finding_quote(finding, facts, REALTIME);
    if (st_facts_int(facts, REALTIME, &realtime) == 0) {
        snprintf(now, sizeof(now), "sysctl security.mac.priority.realtime=1\npw groupmod realtime -m %s",
                 st_freebsd_user(facts));
        st_finding_fix(finding, now, NULL, ST_NEEDS_RELOGIN);
    } else if (st_machine_int_or(facts, ST_FREEBSD_OSRELDATE, FIRST_WITH_POLICY) < FIRST_WITH_POLICY) {
        st_finding_fix(finding, "# before 13.1 only root may; start the program with\nrtprio 10 PROGRAM",
                       NULL, ST_NEEDS_NOTHING);
    } else {
        snprintf(now, sizeof(now), ST_FREEBSD_MAC_PRIORITY_NOW("%s"), st_freebsd_user(facts));
        st_finding_fix(finding, now, ST_FREEBSD_MAC_PRIORITY_EVER, ST_NEEDS_RELOGIN);
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t error;
    (void)wish;
    if (st_finding_need_int(finding, facts, FIFO, &error) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(
                finding, ST_STATUS_NOT_APPLICABLE,
                "only a report on the running machine can try this; freebsd-mac-priority says what "
                "the machine would allow");
        return;
    }
    st_finding_quote(finding, facts, UID);
    st_finding_quote(finding, facts, GROUPS);
    const bool root = st_machine_int_or(facts, UID, -1) == 0;
    if (error == 0) {
        st_finding_set(finding, ST_STATUS_OK, "a real-time priority was granted%s",
                       root ? ", as root; other users may differ" : "");
        st_finding_effect(finding, 0, "granted: nothing is lost");
    } else if (error == EPERM && st_machine_int_or(facts, JAILED, 0) != 0) {
        st_finding_quote(finding, facts, JAILED);
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "this jail grants no real-time priority: audio threads queue with all the others");
    } else if (error == EPERM) {
        st_finding_set(
            finding, ST_STATUS_PROBLEM,
            "this user may not ask for a real-time priority: audio threads queue with all the others");
        fix(facts, finding);
    } else {
        st_finding_set(finding, ST_STATUS_PROBLEM, "asking for a real-time priority failed: %s",
                       error > 0 && error < 200 ? strerror((int)error) : "no errno");
    }
}

const struct st_rule st_rule_freebsd_rt_permission = {
    .id = "freebsd-rt-permission",
    .os = ST_OS_FREEBSD,
    .title = "Right to real-time priority (rtprio)",
    .mechanism =
        "A thread with a real-time priority (0 is the best, 31 the last) runs before every normal one as "
        "soon as it is "
        "awake. Without it an audio thread waits its turn, and there is no upper bound for that.",
    .privilege = "root",
    .cost = "fairness: a real-time thread that never sleeps starves the rest of its CPU",
    .when_not = "accounts that others use",
    .sources = "rtprio(1), rtprio(2), mac_priority(4)\n"
               "tried in a short-lived child; measured on 13.2 and 15.1: EPERM for a normal user, granted to "
               "members "
               "of group realtime with mac_priority loaded\n"
               "SCHED_FIFO is kept as rtprio type FIFO: priority 0..31",
    .history =
        "13.1: mac_priority(4) gives the right to a group; before that only root has it (mac_priority(4))",
    .guide =
        {
            .now = ST_FREEBSD_MAC_PRIORITY_NOW("NAME"),
            .persistent = ST_FREEBSD_MAC_PRIORITY_EVER,
            .needs = ST_NEEDS_RELOGIN,
            .check = "id   # realtime is among the groups, after a new login\n"
                     "rtprio 10 true && echo granted",
            .undo = "pw groupmod realtime -d NAME; take the line out of /boot/loader.conf, and kldunload "
                    "mac_priority",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FIFO, REALTIME, JAILED, UID, GROUPS, ST_FREEBSD_USER_NAME,
                                   ST_FREEBSD_OSRELDATE, NULL},
    .judge = judge,
};
