/* kern.timecounter.fast_gettime: the clock is read without a system call. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FAST "freebsd.kern.timecounter.fast_gettime"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t fast;
    (void)wish;
    if (st_finding_need_int(finding, facts, FAST, &fast) != 0)
        return;
    if (fast != 0) {
        st_finding_set(
            finding, ST_STATUS_OK,
            "programs may read the clock without a system call (freebsd-timecounter says what it costs)");
        st_finding_effect(finding, 0, "fast_gettime = 1");
        return;
    }
    st_finding_set(finding, ST_STATUS_ADVICE, "fast_gettime is 0: each look at the clock is a system call");
    st_finding_fix_usual(finding);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "kern.timecounter.fast_gettime", "1");
}

const struct st_rule st_rule_freebsd_fast_gettime = {
    .id = "freebsd-fast-gettime",
    .os = ST_OS_FREEBSD,
    .title = "Clock reads without system call (fast_gettime)",
    .mechanism =
        "Programs look at the clock several times in a cycle. With fast_gettime the C library reads the "
        "timecounter itself, from a page that the kernel shares; without it each look enters the kernel.",
    .privilege = "root",
    .cost = "none",
    .when_not = "never: 1 is the default",
    .sources =
        "FreeBSD sys/kern/kern_tc.c, sys/kern/kern_sharedpage.c; the cost of the call was not measured",
    .guide =
        {
            .now = "sysctl kern.timecounter.fast_gettime=1",
            .persistent = "# /etc/sysctl.conf, unless a line with 0 can go (1 is the default)\n"
                          "kern.timecounter.fast_gettime=1",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kern.timecounter.fast_gettime   # 1",
            .undo = "nothing to undo: 1 is the default",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){FAST, NULL},
    .targets = (const char *const[]){"kern.timecounter.fast_gettime", NULL},
    .judge = judge,
};
