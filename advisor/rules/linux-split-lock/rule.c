/* kernel.split_lock_mitigate: programs with split locks are slowed down on purpose. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define MITIGATE "linux.sysctl.kernel.split_lock_mitigate"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t mitigate;
    (void)wish;
    if (st_finding_need_int(finding, facts, MITIGATE, &mitigate) != 0)
        return;
    if (mitigate == 0) {
        st_finding_set(finding, ST_STATUS_OK, "programs with split locks are warned about, not slowed down");
        st_finding_effect(finding, 0, "split_lock_mitigate=0");
    } else if (mitigate == 1) {
        st_finding_set(finding, ST_STATUS_OK,
                       "a program with split locks is stopped for 10 ms at each; is one there? sudo dmesg | "
                       "grep -i 'split "
                       "lock'");
        st_finding_effect(finding, 0, "programs without split locks are not touched");
    } else {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "split_lock_mitigate of %" PRId64 " cannot be", mitigate);
    }
}

const struct st_rule st_rule_linux_split_lock = {
    .id = "linux-split-lock",
    .os = ST_OS_LINUX,
    .title = "Split locks",
    .mechanism =
        "An atomic operation over two cache lines stops the memory bus for all CPUs. The kernel makes a "
        "program "
        "that does it wait 10 ms each time; Windows plug-ins and games under Wine are the usual victims.",
    .privilege = "root",
    .cost = "security: with 0 any program can slow all others down",
    .when_not = "unless the log names the audio program (\"took a split_lock trap\"): then "
                "kernel.split_lock_mitigate=0 "
                "in /etc/sysctl.d/90-sleeptune.conf",
    .sources = "Linux arch/x86/kernel/cpu/bus_lock.c; commits b041b525dab9 (the slow-down), 727209376f49 "
               "(the sysctl, "
               "6.2)\nDocumentation/admin-guide/sysctl/kernel.rst: split_lock_mitigate",
    .history = "6.2: the sysctl split_lock_mitigate (commit 727209376f49)",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){MITIGATE, NULL},
    .judge = judge,
};
