/* mac_priority(4): real-time priority for the members of a group. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define REALTIME    "freebsd.security.mac.priority.realtime"
#define GID         "freebsd.security.mac.priority.realtime_gid"
#define LOADER      "freebsd.loader.mac_priority_load"
#define LOADER_FILE "freebsd.file.loader_conf"
#define KLD_LIST    "freebsd.rc.kld_list"
#define FIFO        "freebsd.rt.fifo_errno"
#define UID         "user.uid"

#define FIRST_WITH_POLICY 1301000
#define GID_REALTIME      47

static void judge_absent(const struct st_facts *facts, struct st_finding *finding)
{
    int64_t osreldate;
    st_finding_quote(finding, facts, ST_FREEBSD_OSRELDATE);
    if (st_facts_int(facts, ST_FREEBSD_OSRELDATE, &osreldate) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "mac_priority is not loaded; whether this FreeBSD has it (from 13.1) is not known");
    } else if (osreldate < FIRST_WITH_POLICY) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "this FreeBSD is older than mac_priority (13.1): only root gives real-time priority");
    } else if (st_machine_int_or(facts, FIFO, -1) == 0 && st_machine_int_or(facts, UID, 0) != 0) {
        st_finding_quote(finding, facts, FIFO);
        st_finding_set(finding, ST_STATUS_OK,
                       "not loaded, and not needed: this user gets real-time priority");
        st_finding_effect(finding, 0, "the right is there: nothing is lost");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "mac_priority is not loaded: only root gets real-time priority");
        char now[160];
        snprintf(now, sizeof(now), ST_FREEBSD_MAC_PRIORITY_NOW("%s"), st_freebsd_user(facts));
        st_finding_fix(finding, now, ST_FREEBSD_MAC_PRIORITY_EVER, ST_NEEDS_RELOGIN);
    }
}

/** Will the next boot load it? Asked only where loader.conf could be read. */
static bool is_kept(const struct st_facts *facts)
{
    const char *text;
    if (st_facts_text(facts, LOADER_FILE, &text) != 0)
        return true;
    if (st_facts_text(facts, LOADER, &text) == 0 && strcasecmp(text, "YES") == 0)
        return true;
    return st_facts_text(facts, KLD_LIST, &text) == 0 && strstr(text, "mac_priority") != NULL;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t realtime;
    (void)wish;
    if (st_finding_need_int(finding, facts, REALTIME, &realtime) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            judge_absent(facts, finding);
        return;
    }
    st_finding_quote(finding, facts, GID);
    if (realtime == 0) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "mac_priority is loaded, but its real-time half is off: only root gets real-time priority");
        st_finding_fix(finding, "sysctl security.mac.priority.realtime=1",
                       "# remove from /boot/loader.conf and /etc/sysctl.conf (1 is the default):\n"
                       "# security.mac.priority.realtime=0",
                       ST_NEEDS_NOTHING);
        return;
    }
    st_finding_quote(finding, facts, LOADER);
    const int64_t gid = st_machine_int_or(facts, GID, GID_REALTIME);
    st_finding_set(finding, ST_STATUS_OK, "members of group %" PRId64 "%s get real-time priority%s", gid,
                   gid == GID_REALTIME ? " (realtime)" : "",
                   is_kept(facts) ? "" : "; loader.conf does not load it, so it may be gone after a reboot");
    st_finding_effect(finding, 0, "the right is there for the group: nothing is lost");
}

const struct st_rule st_rule_freebsd_mac_priority = {
    .id = "freebsd-mac-priority",
    .os = ST_OS_FREEBSD,
    .title = "Real-time priority for a group (mac_priority)",
    .mechanism =
        "The kernel module mac_priority gives the right to real-time priority to the members of group "
        "realtime (gid 47). Without it only root has that right.",
    .privilege = "root",
    .cost = "fairness: members of the group can starve others of a CPU",
    .when_not = "the sound server is started by root with rtprio",
    .sources = "mac_priority(4)\nused on 13.2: with the module and the group, rtprio works for a normal user",
    .history = "13.1: new (mac_priority(4))",
    .guide =
        {
            .persistent = ST_FREEBSD_MAC_PRIORITY_EVER,
            .needs = ST_NEEDS_RELOGIN,
            .check = "kldstat -q -m mac_priority && echo loaded\n"
                     "sysctl security.mac.priority.realtime   # 1",
            .undo = "pw groupmod realtime -d NAME; take the line out of /boot/loader.conf, and kldunload "
                    "mac_priority",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .first_version = "13.1",
    .facts = (const char *const[]){REALTIME, GID, LOADER, LOADER_FILE, KLD_LIST, FIFO, UID,
                                   ST_FREEBSD_USER_NAME, ST_FREEBSD_OSRELDATE, NULL},
    .judge = judge,
};
