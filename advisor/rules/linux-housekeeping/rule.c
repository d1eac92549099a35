/* Small noise on isolated CPUs: statistics of the virtual memory, ticks at the same moment. */
#include <errno.h>
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/cpu_list.h"

#define ISOLATED      "linux.cpu.isolated"
#define STAT_INTERVAL "linux.sysctl.vm.stat_interval"

#define INTERVAL_QUIET_S 10 /* tuned's cpu-partitioning */

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *text;
    struct st_cpu_list isolated;
    int64_t interval;
    char value[16];
    (void)wish;
    if (st_finding_need_text(finding, facts, ISOLATED, &text) != 0)
        return;
    if (st_cpu_list_parse(text, &isolated) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the list of isolated CPUs \"%.40s\" is not understood",
                       text);
        return;
    }
    if (isolated.n == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "only of interest with isolated CPUs, and there are none");
        return;
    }
    if (st_finding_need_int(finding, facts, STAT_INTERVAL, &interval) != 0)
        return;
    st_finding_quote(finding, facts, ST_MACHINE_CMDLINE);
    const bool skewed = st_machine_boot_option(facts, "skew_tick", value, sizeof(value)) == 0;
    if (interval >= INTERVAL_QUIET_S) {
        st_finding_set(finding, ST_STATUS_OK, "memory statistics are gathered each %" PRId64 " s%s", interval,
                       skewed ? ", and ticks are spread" : "");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "CPUs %.40s are isolated, and each gathers memory statistics every %" PRId64 " s",
                       text, interval);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "vm.stat_interval", "10");
    }
}

const struct st_rule st_rule_linux_housekeeping = {
    .id = "linux-housekeeping",
    .os = ST_OS_LINUX,
    .title = "The kernel's small chores on isolated CPUs",
    .mechanism =
        "Each CPU folds its memory statistics once a second, and all ticks may come at the same moment. That "
        "is microseconds, and matters only where everything else has been taken away.",
    .privilege = "root",
    .cost = "none",
    .when_not = "any machine without isolated CPUs",
    .sources = "tuned profiles realtime and cpu-partitioning: vm.stat_interval=10, skew_tick=1; "
               "sysctl/vm.rst\nhow many µs "
               "it costs: not measured",
    .guide =
        {
            .now = ST_MACHINE_SYSCTL_NOW("vm.stat_interval", "10"),
            .persistent =
                ST_MACHINE_SYSCTL_EVER("vm.stat_interval", "10") "\n# kernel command line: skew_tick=1",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl vm.stat_interval   # 10",
            .undo = ST_MACHINE_UNDO_SYSCTL("vm.stat_interval", "1"),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){ISOLATED, STAT_INTERVAL, ST_MACHINE_CMDLINE, NULL},
    .targets = (const char *const[]){"vm.stat_interval", NULL},
    .judge = judge,
};
