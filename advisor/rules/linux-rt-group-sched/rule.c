/* Real-time group scheduling: SCHED_FIFO refused although the limit allows it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define CONFIG         "linux.config.RT_GROUP_SCHED"
#define CONFIG_DEFAULT "linux.config.RT_GROUP_SCHED_DEFAULT_DISABLED"
#define FIFO_ERRNO     "linux.rt.fifo_errno"
#define FIFO_PRIORITY  "linux.rt.fifo_priority"
#define RTPRIO_LIMIT   "linux.rt.rtprio_limit"
#define GROUP_RUNTIME  "linux.cgroup.rt_runtime_us"
#define CGROUP_VERSION "linux.cgroup.version"
#define UID            "user.uid"

#define UNLIMITED (-1)

/** Switched off at boot (from 6.16 on: rt_group_sched=0, or by default by the configuration). */
static bool off_at_boot(const struct st_facts *facts)
{
    char option[8];
    const char *off;
    if (st_machine_boot_option(facts, "rt_group_sched", option, sizeof(option)) == 0)
        return strcmp(option, "0") == 0;
    return st_facts_text(facts, CONFIG_DEFAULT, &off) == 0 && strcmp(off, "y") == 0;
}

/** Would the limit alone refuse SCHED_FIFO? */
static bool limit_refuses(const struct st_facts *facts)
{
    int64_t limit;
    if (st_machine_int_or(facts, UID, -1) == 0)
        return false;
    const int64_t priority = st_machine_int_or(facts, FIFO_PRIORITY, 1);
    return st_facts_int(facts, RTPRIO_LIMIT, &limit) != 0 || (limit != UNLIMITED && limit < priority);
}

static void judge_refused(const struct st_facts *facts, struct st_finding *finding)
{
    int64_t runtime;
    st_finding_quote(finding, facts, GROUP_RUNTIME);
    st_finding_quote(finding, facts, CGROUP_VERSION);
    st_finding_quote(finding, facts, RTPRIO_LIMIT);
    const bool has_runtime = st_facts_int(facts, GROUP_RUNTIME, &runtime) == 0;
    if (has_runtime && runtime > 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "the control group of this process has %" PRId64
                       " µs of real-time budget, so it is not what refuses SCHED_FIFO",
                       runtime);
        st_finding_effect(finding, 0, "a budget of %" PRId64 " µs: the group allows it", runtime);
        return;
    }
    if (!has_runtime && limit_refuses(facts)) {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "the kernel has real-time group scheduling, but the rtprio limit alone refuses SCHED_FIFO: solve "
            "linux-rt-permission first");
        return;
    }
    if (has_runtime)
        st_finding_set(
            finding, ST_STATUS_PROBLEM,
            "SCHED_FIFO is refused because the control group of this process has a real-time budget of 0 µs");
    else
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "SCHED_FIFO is refused although the limit allows it, and this kernel has real-time "
                       "group scheduling: "
                       "it may be the cause");
    st_finding_fix_usual(finding);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t error;
    const char *config;
    (void)wish;
    st_finding_quote(finding, facts, FIFO_ERRNO);
    const bool tried = st_facts_int(facts, FIFO_ERRNO, &error) == 0;
    const int r = st_finding_need_text(finding, facts, CONFIG, &config);
    if (r == 0 && strcmp(config, "n") == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "this kernel has no real-time group scheduling");
    } else if (r == 0 && strcmp(config, "y") != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "CONFIG_RT_GROUP_SCHED is %.20s, which is not understood",
                       config);
    } else if (r == 0 && off_at_boot(facts)) {
        st_finding_quote(finding, facts, ST_MACHINE_CMDLINE);
        st_finding_set(finding, ST_STATUS_OK,
                       "real-time group scheduling is built in, but switched off at boot");
        st_finding_effect(finding, 0, "rt_group_sched=0: groups need no real-time budget");
    } else if (tried && error == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "SCHED_FIFO was granted, so real-time group scheduling is not in the way");
        st_finding_effect(finding, 0, "SCHED_FIFO was granted");
    } else if (r != 0) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE && tried && error == EPERM && !limit_refuses(facts))
            st_finding_set(
                finding, ST_STATUS_UNKNOWN,
                "SCHED_FIFO is refused although the limit allows it; whether this kernel has real-time group "
                "scheduling is not known");
        else if (finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                           "the kernel's configuration is not here, and nothing points to it");
    } else if (!tried) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "this kernel has real-time group scheduling; whether it is in the way was not tried "
                       "(run the report as the "
                       "user who plays)");
    } else if (error != EPERM) {
        st_finding_set(finding, ST_STATUS_OK, "SCHED_FIFO is refused, but not for lack of permission");
    } else {
        judge_refused(facts, finding);
    }
}

const struct st_rule st_rule_linux_rt_group_sched = {
    .id = "linux-rt-group-sched",
    .os = ST_OS_LINUX,
    .title = "Real-time group scheduling",
    .mechanism = "With CONFIG_RT_GROUP_SCHED each control group needs a real-time budget, and all but the "
                 "root group start "
                 "with none. A program in such a group gets EPERM for SCHED_FIFO even with the right limits, "
                 "and rtkit fails "
                 "too.",
    .privilege = "root",
    .cost = "none",
    .when_not = "machines that really divide real-time CPU time between groups",
    .sources = "Linux Documentation/scheduler/sched-rt-group.rst, init/Kconfig RT_GROUP_SCHED; systemd "
               "README (disable it)\n"
               "rt_group_sched=: kernel series of M. Koutny, March 2025 (20250310170442.504716); release not "
               "verified",
    .history = "6.16: rt_group_sched=0 on the command line (kernel series 20250310170442.504716, Armbian "
               "issue 10218; release not verified)",
    .guide =
        {
            .now = "# cgroup v1, for each group from the top down to the one of the program:\necho 950000 | "
                   "sudo tee "
                   "/sys/fs/cgroup/cpu/GROUP/cpu.rt_runtime_us",
            .persistent =
                "# Linux 6.16 and later have an option for it; an older kernel has to be one "
                "without CONFIG_RT_GROUP_SCHED\n" ST_MACHINE_FIX_BOOT_OPTION(
                    "rt_group_sched=0") "\n# not kernel.sched_rt_runtime_us=-1: it removes the safety net",
            .needs = ST_NEEDS_REBOOT,
            .check = "cat /proc/self/cgroup /sys/fs/cgroup/cpu/*/cpu.rt_runtime_us\n"
                     "chrt -f 80 true && echo granted",
            .undo = ST_MACHINE_UNDO_BOOT_OPTION("rt_group_sched=0"),
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){CONFIG, CONFIG_DEFAULT, FIFO_ERRNO, FIFO_PRIORITY, RTPRIO_LIMIT,
                                   GROUP_RUNTIME, CGROUP_VERSION, UID, ST_MACHINE_CMDLINE, NULL},
    .judge = judge,
};
