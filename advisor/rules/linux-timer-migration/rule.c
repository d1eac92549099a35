/* kernel.timer_migration: may a timer be moved to another CPU? */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/cpu_list.h"

#define MIGRATION "linux.sysctl.kernel.timer_migration"
#define NOHZ_FULL "linux.cpu.nohz_full"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t migration;
    const char *text;
    struct st_cpu_list nohz = {0};
    (void)wish;
    if (st_finding_need_int(finding, facts, MIGRATION, &migration) != 0)
        return;
    st_finding_quote(finding, facts, NOHZ_FULL);
    if (st_facts_text(facts, NOHZ_FULL, &text) != 0 || st_cpu_list_parse(text, &nohz) != 0)
        nohz.n = 0;
    if (migration == 0) {
        st_finding_set(finding, ST_STATUS_OK, "timers stay on the CPU where they were set");
        st_finding_effect(finding, 0, "timer_migration=0");
    } else if (migration != 1) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "timer_migration of %" PRId64 " cannot be", migration);
    } else if (st_machine_is_unread(facts, NOHZ_FULL)) {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "timer_migration is 1, which matters on CPUs of nohz_full; which those are could not be "
            "read");
    } else if (nohz.n == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "a timer stays on the CPU of the thread that sets it, as it is not idle then");
        st_finding_effect(finding, 0, "only CPUs of nohz_full= give their timers away");
    } else {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "timers set on CPUs %.40s (nohz_full) may fire on another CPU, which then has to wake this one",
            text);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kernel.timer_migration", "0");
    }
}

const struct st_rule st_rule_linux_timer_migration = {
    .id = "linux-timer-migration",
    .os = ST_OS_LINUX,
    .title = "Migration of timers",
    .mechanism =
        "To let CPUs sleep, the kernel may put a timer on another CPU that is busy anyway. A thread that "
        "sets "
        "its own sleep is running at that moment, so its timer stays, except on CPUs that are kept free of "
        "timers.",
    .privilege = "root",
    .cost = "power: idle CPUs wake more often",
    .when_not = "machines without nohz_full CPUs",
    .sources = "Linux kernel/sched/core.c get_nohz_timer_target(): a housekeeping CPU that is not idle keeps "
               "its timers; "
               "kernel/time/hrtimer.c; tuned's realtime profile sets 0",
    .guide =
        {
            .now = ST_MACHINE_SYSCTL_NOW("kernel.timer_migration", "0"),
            .persistent = ST_MACHINE_SYSCTL_EVER("kernel.timer_migration", "0"),
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kernel.timer_migration   # 0",
            .undo = ST_MACHINE_UNDO_SYSCTL("kernel.timer_migration", "1"),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){MIGRATION, NOHZ_FULL, NULL},
    .targets = (const char *const[]){"kernel.timer_migration", NULL},
    .judge = judge,
};
