/* The group that carries the right to real-time priority. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define FIFO_ERRNO "linux.rt.fifo_errno"
#define GROUPS     "user.groups"
#define NAME       "user.name"
#define LIMITS     "linux.limits.@"
#define RTPRIO     ".rtprio"
#define UNREADABLE "linux.limits.any.rtprio" /* a file of limits that could not be read */

#define NAME_BYTES 80

#define JOIN(group) "sudo usermod -aG " group " $USER"

enum membership { MEMBER_NOT, MEMBER_LATER, MEMBER_ALREADY };

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    const char *user, *groups;
    const struct st_fact *limit; /* of the best group */
    char group[NAME_BYTES];
    enum membership membership;
    int64_t priority;
};

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char group[NAME_BYTES], key[NAME_BYTES + 20];
    const char *members;
    int64_t priority;
    if (st_facts_int(scan->facts, fact->key, &priority) != 0 || priority <= 0)
        return;
    const size_t len = strlen(fact->key) - (sizeof(LIMITS) - 1) - (sizeof(RTPRIO) - 1);
    if (len >= sizeof(group))
        return;
    snprintf(group, sizeof(group), "%.*s", (int)len, fact->key + sizeof(LIMITS) - 1);
    snprintf(key, sizeof(key), "linux.group.%s", group);
    const bool listed =
        st_facts_text(scan->facts, key, &members) == 0 && st_machine_has_word(members, scan->user);
    const enum membership membership = st_machine_has_word(scan->groups, group) ? MEMBER_ALREADY
                                       : listed                                 ? MEMBER_LATER
                                                                                : MEMBER_NOT;
    if (scan->limit != NULL && membership <= scan->membership)
        return;
    scan->limit = fact;
    scan->membership = membership;
    scan->priority = priority;
    snprintf(scan->group, sizeof(scan->group), "%s", group);
}

static void advise(struct scan *scan)
{
    struct st_finding *finding = scan->finding;
    char key[NAME_BYTES + 20], fix[256];
    snprintf(key, sizeof(key), "linux.group.%s", scan->group);
    st_finding_quote(finding, scan->facts, scan->limit->key);
    st_finding_quote(finding, scan->facts, key);
    switch (scan->membership) {
    case MEMBER_ALREADY:
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "this user is in group %.40s, which may use priority %" PRId64
                       ", but the limit did not reach this session",
                       scan->group, scan->priority);
        st_finding_fix(
            finding, NULL,
            "# limits come with a login through PAM (pam_limits): log out and in again. A service needs\n"
            "# LimitRTPRIO= in its unit",
            ST_NEEDS_RELOGIN);
        break;
    case MEMBER_LATER:
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "this user was added to group %.40s after logging in: the right comes with the next login",
            scan->group);
        st_finding_fix(finding, NULL, "# log out and in again", ST_NEEDS_RELOGIN);
        break;
    case MEMBER_NOT:
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "group %.40s may use real-time priority %" PRId64 " here, and this user is not in it",
                       scan->group, scan->priority);
        snprintf(fix, sizeof(fix), JOIN("%s"), st_machine_is_plain(scan->group) ? scan->group : "GROUP");
        st_finding_fix(finding, NULL, fix, ST_NEEDS_RELOGIN);
        break;
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    int64_t error;
    (void)wish;
    if (st_finding_need_int(finding, facts, FIFO_ERRNO, &error) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                           "groups belong to a user, and this capture has none");
        return;
    }
    if (error == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "the right is there, so it does not matter which group carries it");
        st_finding_effect(finding, 0, "SCHED_FIFO was granted");
        return;
    }
    if (st_finding_need_text(finding, facts, GROUPS, &scan.groups) != 0)
        return;
    if (st_facts_text(facts, NAME, &scan.user) != 0)
        scan.user = "";
    st_facts_each(facts, LIMITS, RTPRIO, look, &scan);
    if (scan.limit != NULL)
        advise(&scan);
    else if (st_facts_int(facts, UNREADABLE, &error) == -EACCES) {
        st_finding_quote(finding, facts, UNREADABLE);
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the limits in /etc/security could not all be read");
    } else
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "no group carries a real-time limit on this machine; see linux-rt-permission");
}

const struct st_rule st_rule_linux_audio_group = {
    .id = "linux-audio-group",
    .os = ST_OS_LINUX,
    .title = "Group that carries the real-time limit",
    .mechanism =
        "Distributions tie the real-time limit to a group (audio, realtime, pipewire, jackuser) in "
        "/etc/security/limits.d. A group counts from the next login on, and only for logins through PAM.",
    .privilege = "root",
    .cost = "fairness: members can take a CPU. Members of audio also reach the microphone of a session that "
            "is not "
            "theirs",
    .when_not = "the limit is there already: no group is needed for its name",
    .sources =
        "limits.conf(5), pam_limits(8), group(5)\nusual groups: jackd2 package (audio), realtime-privileges "
        "(realtime), PipeWire package (pipewire)",
    .guide =
        {
            .persistent = JOIN("audio"),
            .needs = ST_NEEDS_RELOGIN,
            .check = "grep -r rtprio /etc/security/limits.conf /etc/security/limits.d   # which group has "
                     "the limit\n"
                     "id -nG   # after a new login: that group is there",
            .undo = "sudo gpasswd -d $USER audio",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FIFO_ERRNO, GROUPS, NAME, "linux.limits.*.rtprio", "linux.group.*", NULL},
    .judge = judge,
};
