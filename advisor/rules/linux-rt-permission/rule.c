/* The right to real-time priority: the one setting that matters most. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "advisor/facts/text.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define FIFO_ERRNO    "linux.rt.fifo_errno"
#define FIFO_PRIORITY "linux.rt.fifo_priority"
#define RTPRIO_LIMIT  "linux.rt.rtprio_limit"
#define UID           "user.uid"
#define USER          "user.name"
#define GROUPS        "user.groups"
#define RTKIT         "linux.daemon.rtkit-daemon"
#define INSTALLED     "linux.rtkit.installed"
#define LIMITS_FROM   "user.limits_from" /* there: limits of a login were read, nothing was tried */

#define UNLIMITED (-1)

static const char *errno_text(int64_t error)
{
    return error == EPERM    ? "EPERM, not permitted"
           : error == EINVAL ? "EINVAL, priority out of range"
           : error == ENOSYS ? "ENOSYS, no such call here"
                             : "an unexpected error";
}

static const char *beside_irqs(int64_t limit)
{
    return limit > ST_MACHINE_IRQ_PRIORITY ? ", which is above threads of interrupts (50)"
                                           : ", which is not above threads of interrupts (50)";
}

static void fix_limits(struct st_finding *finding)
{
    st_finding_fix_usual(finding);
    st_finding_change(finding, ST_CHANGE_LIMITS, "@audio - rtprio", "90");
    st_finding_change(finding, ST_CHANGE_LIMITS, "@audio - memlock", "4194304");
}

static void judge_granted(const struct st_facts *facts, int64_t priority, struct st_finding *finding)
{
    if (st_machine_int_or(facts, UID, -1) == 0)
        st_finding_set(finding, ST_STATUS_OK,
                       "SCHED_FIFO %" PRId64
                       " was granted, as root; other users may differ: run the report as the one "
                       "who plays",
                       priority);
    else
        st_finding_set(finding, ST_STATUS_OK, "SCHED_FIFO %" PRId64 " was granted to this user", priority);
    st_finding_effect(finding, 0, "granted: nothing is lost");
}

/** Does rtkit give it to programs that ask? */
static bool has_rtkit(const struct st_facts *facts)
{
    int64_t value;
    return st_facts_int(facts, RTKIT, &value) == 0 || st_facts_int(facts, INSTALLED, &value) == 0;
}

static void judge_rtkit(const struct st_facts *facts, struct st_finding *finding)
{
    st_finding_quote(finding, facts, RTKIT);
    st_finding_quote(finding, facts, INSTALLED);
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "this user gets real-time priority from rtkit only: sound servers ask it, most other "
                   "programs do not");
    fix_limits(finding);
}

static void judge_refused(const struct st_facts *facts, int64_t error, int64_t priority,
                          struct st_finding *finding)
{
    int64_t limit;
    const bool has_limit = st_facts_int(facts, RTPRIO_LIMIT, &limit) == 0;
    const int64_t uid = st_machine_int_or(facts, UID, -1);
    if (has_limit && limit > 0 && limit < priority && error == EPERM) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "priority %" PRId64 " was refused; the limit allows up to %" PRId64 "%s", priority,
                       limit, beside_irqs(limit));
        fix_limits(finding);
    } else if (uid == 0 || (has_limit && (limit == UNLIMITED || limit >= priority))) {
        st_finding_set(finding, ST_STATUS_PROBLEM, "real-time priority was refused (%s) %s: %s",
                       errno_text(error), uid == 0 ? "to root" : "although the limit allows it",
                       st_machine_in_container(facts)
                           ? "the container forbids it"
                           : "look at linux-rt-group-sched, RestrictRealtime= and seccomp filters");
        if (st_machine_in_container(facts))
            st_finding_fix(finding, NULL, "# start the container with\n--cap-add=SYS_NICE --ulimit rtprio=90",
                           ST_NEEDS_RELOGIN);
    } else if (has_rtkit(facts)) {
        judge_rtkit(facts, finding);
    } else {
        st_finding_set(
            finding, ST_STATUS_PROBLEM,
            "this user may not use real-time priority (%s), so any busy program can delay the audio thread",
            errno_text(error));
        fix_limits(finding);
    }
}

/** By what a login would give; the user is another one, so nothing was tried. */
static void judge_read(const struct st_facts *facts, int64_t error, int64_t priority,
                       struct st_finding *finding)
{
    const char *name;
    const int64_t limit = st_machine_int_or(facts, RTPRIO_LIMIT, 0);
    st_finding_quote(finding, facts, LIMITS_FROM);
    if (st_facts_text(facts, USER, &name) != 0)
        name = "this user";
    const int cut = st_text_cut(name, 40);
    if (error == 0 && st_machine_int_or(facts, UID, -1) == 0) {
        st_finding_set(finding, ST_STATUS_OK, "%.*s is root, whom no limit stops: read, not tried", cut,
                       name);
    } else if (error == 0) {
        char text[32] = "unlimited";
        if (limit != UNLIMITED)
            snprintf(text, sizeof(text), "%" PRId64, limit);
        st_finding_set(finding, ST_STATUS_OK,
                       "a login of %.*s gets the limit rtprio %s, which allows SCHED_FIFO %" PRId64
                       ": read, not tried",
                       cut, name, text, priority);
    } else if (limit > 0) {
        st_finding_set(finding, ST_STATUS_ADVICE, "a login of %.*s gets the limit rtprio %" PRId64 "%s", cut,
                       name, limit, beside_irqs(limit));
        fix_limits(finding);
    } else if (has_rtkit(facts)) {
        judge_rtkit(facts, finding);
    } else {
        st_finding_set(
            finding, ST_STATUS_PROBLEM,
            "no file gives a login of %.*s real-time priority, so any busy program can delay the audio "
            "thread",
            cut, name);
        fix_limits(finding);
    }
    if (error == 0)
        st_finding_effect(finding, 0, "allowed: nothing is lost");
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t error;
    (void)wish;
    if (st_finding_need_int(finding, facts, FIFO_ERRNO, &error) != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(
                finding, ST_STATUS_UNKNOWN,
                "a right belongs to a user, and this capture did not try it; run the report as the user who "
                "plays");
        return;
    }
    st_finding_quote(finding, facts, FIFO_PRIORITY);
    st_finding_quote(finding, facts, RTPRIO_LIMIT);
    st_finding_quote(finding, facts, UID);
    st_finding_quote(finding, facts, GROUPS);
    st_finding_quote(finding, facts, ST_MACHINE_CONTAINER);
    const int64_t priority = st_machine_int_or(facts, FIFO_PRIORITY, 0);
    if (st_facts_find(facts, LIMITS_FROM) != NULL)
        judge_read(facts, error, priority, finding);
    else if (error == 0)
        judge_granted(facts, priority, finding);
    else
        judge_refused(facts, error, priority, finding);
}

const struct st_rule st_rule_linux_rt_permission = {
    .id = "linux-rt-permission",
    .os = ST_OS_LINUX,
    .title = "Right to real-time priority",
    .mechanism =
        "A thread under SCHED_FIFO runs as soon as it is due; a normal thread waits its turn behind whatever "
        "else is busy, for milliseconds, and there is no upper bound. The right comes from the rtprio limit, "
        "from rtkit, or from being root.",
    .privilege = "root",
    .cost = "fairness: a program with this right can take a CPU for itself (the kernel leaves others 5 %)",
    .when_not =
        "shared machines with users you do not trust. 90 is enough: 99 is above the kernel's own threads.",
    .sources =
        "sched(7); limits.conf(5); systemd.exec(5) LimitRTPRIO=; rtkit-daemon --help (RR, at most 20)\n"
        "tried with sched_setscheduler(2) in a short-lived child",
    .history = "2.6.12: the limit RLIMIT_RTPRIO; before that only root has the right (getrlimit(2))",
    .guide =
        {
            .now = "# for this shell and what it starts:\nsudo prlimit --pid $$ --rtprio=90:90",
            .persistent = ST_MACHINE_FIX_LIMITS
            "\n# services started by systemd, in the unit: LimitRTPRIO=90\n# or install rtkit, which gives "
            "SCHED_RR, at most 20, to programs that ask it",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ulimit -r   # after a new login: 90\n"
                     "chrt -f 80 true && echo granted",
            .undo = ST_MACHINE_UNDO_LIMITS,
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){FIFO_ERRNO, FIFO_PRIORITY, RTPRIO_LIMIT, UID, GROUPS, RTKIT, INSTALLED,
                                   LIMITS_FROM, USER, ST_MACHINE_CONTAINER, NULL},
    .judge = judge,
};
