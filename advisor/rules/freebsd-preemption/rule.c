/* Does a thread that wakes up interrupt one that is inside the kernel? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/rule.h"

#define PREEMPTION "freebsd.kern.sched.preemption"
#define NAME       "freebsd.kern.sched.name"
#define THRESH     "freebsd.kern.sched.preempt_thresh"
#define ULE_THRESH "freebsd.kern.sched.ule.preempt_thresh"

/* PRI_MAX_REALTIME of sys/priority.h: the threshold's default is one more, in captures of 13.2 and 15.1 */
#define LAST_REALTIME_14 79
#define LAST_REALTIME_15 39
#define PRI_MAX          255

#define NOW(name, value)  "sysctl " name "=" value
#define EVER(name, value) "# /etc/sysctl.conf: remove the line, or\n" name "=" value

static void judge_threshold(const struct st_facts *facts, const char *key, int64_t threshold,
                            struct st_finding *finding)
{
    int64_t osreldate;
    st_finding_quote(finding, facts, ST_FREEBSD_OSRELDATE);
    if (st_facts_int(facts, ST_FREEBSD_OSRELDATE, &osreldate) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "preempt_thresh is %" PRId64
                       "; what that means depends on the version, which is not known",
                       threshold);
        return;
    }
    const int64_t last = osreldate >= 1500000 ? LAST_REALTIME_15 : LAST_REALTIME_14;
    if (threshold >= last && threshold <= PRI_MAX) {
        st_finding_set(finding, ST_STATUS_OK,
                       "real-time threads interrupt the others, also inside the kernel%s",
                       threshold > last + 1 ? "; the higher preempt_thresh is for normal threads only" : "");
        st_finding_effect(finding, 0,
                          "preempt_thresh %" PRId64 " >= %" PRId64 ", the lowest of the real-time priorities",
                          threshold, last);
        return;
    }
    char now[96], persistent[128];
    const char *name = key + strlen("freebsd.");
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "preempt_thresh is %" PRId64 ": real-time threads of a lower rank (up to %" PRId64
                   ") wait until the kernel is left",
                   threshold, last);
    snprintf(now, sizeof(now), NOW("%s", "%" PRId64), name, last + 1);
    snprintf(persistent, sizeof(persistent), EVER("%s", "%" PRId64), name, last + 1);
    st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t preemption, threshold;
    (void)wish;
    if (st_finding_need_int(finding, facts, PREEMPTION, &preemption) != 0)
        return;
    st_finding_quote(finding, facts, NAME);
    if (preemption == 0) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "this kernel was built without PREEMPTION: a thread that wakes up waits until the kernel is "
            "left");
        st_finding_fix(
            finding, NULL,
            "# the kernel's configuration, as GENERIC has it; then build and install it\noptions PREEMPTION",
            ST_NEEDS_REBOOT);
        return;
    }
    const char *key = st_facts_int(facts, THRESH, &threshold) != -ENOENT ? THRESH : ULE_THRESH;
    st_finding_quote(finding, facts, key);
    const int r = st_facts_int(facts, key, &threshold);
    if (r == 0)
        judge_threshold(facts, key, threshold, finding);
    else if (r == -ENOENT)
        st_finding_set(finding, ST_STATUS_OK, "the kernel was built with PREEMPTION");
    else
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the kernel was built with PREEMPTION; its preempt_thresh could "
                       "not be read");
}

const struct st_rule st_rule_freebsd_preemption = {
    .id = "freebsd-preemption",
    .os = ST_OS_FREEBSD,
    .title = "Kernel preemption (kern.sched)",
    .mechanism =
        "With PREEMPTION, which GENERIC has, a real-time thread that wakes up takes the CPU at once, even "
        "from "
        "a thread inside the kernel. preempt_thresh says down to which priority that is so; above the "
        "real-time "
        "range it changes normal threads only, and so do slice, interact and quantum.",
    .privilege = "root",
    .cost = "none",
    .when_not = "the value is above the real-time range, as in preempt_thresh=224, a recipe for desktops: it "
                "does nothing for real-time threads",
    .sources = "FreeBSD sys/kern/sched_ule.c sched_shouldpreempt(); sys/conf/NOTES (PREEMPTION)\n"
               "sys/sys/priority.h: real-time is 48 to 79, later 8 to 39; defaults 80 (13.2) and 40 (15.1) "
               "as captured; that 15.0 "
               "has the later ones: not verified",
    .history = "15: real-time priorities are 8 to 39 instead of 48 to 79, and preempt_thresh is 40 instead "
               "of 80 (sys/sys/priority.h; captures of 13.2 and 15.1; that 15.0 has it: not verified)",
    .guide =
        {
            .now = NOW("kern.sched.preempt_thresh", "80") "       # up to FreeBSD 14\n" NOW(
                "kern.sched.ule.preempt_thresh", "40") "   # from 15 on",
            .persistent = "# remove from /etc/sysctl.conf (the defaults are right):\n"
                          "# kern.sched.preempt_thresh or, from 15 on, kern.sched.ule.preempt_thresh",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kern.sched.preemption           # 1\n"
                     "sysctl kern.sched.preempt_thresh       # up to 14: 80\n"
                     "sysctl kern.sched.ule.preempt_thresh   # from 15 on: 40",
            .undo = "nothing to undo: that is the default",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){PREEMPTION, NAME, THRESH, ULE_THRESH, ST_FREEBSD_OSRELDATE, NULL},
    .judge = judge,
};
