/* Automatic NUMA balancing: page faults on purpose. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/cpu_list.h"

#define BALANCING "linux.sysctl.kernel.numa_balancing"
#define NODES     "linux.node.online"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t balancing;
    const char *text;
    struct st_cpu_list nodes;
    (void)wish;
    if (st_finding_need_int(finding, facts, BALANCING, &balancing) != 0)
        return;
    if (balancing == 0) {
        st_finding_set(finding, ST_STATUS_OK, "memory is not moved between nodes");
        st_finding_effect(finding, 0, "numa_balancing=0");
        return;
    }
    if (st_finding_need_text(finding, facts, NODES, &text) != 0)
        return;
    if (st_cpu_list_parse(text, &nodes) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the list of nodes \"%.40s\" is not understood", text);
    } else if (nodes.n <= 1) {
        st_finding_set(finding, ST_STATUS_OK, "there is one memory node, so nothing is moved");
        st_finding_effect(finding, 0, "one node");
    } else {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "the kernel takes pages away on purpose to see who touches them, on %zu nodes; an audio thread "
            "faults, too",
            nodes.n);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kernel.numa_balancing", "0");
    }
}

const struct st_rule st_rule_linux_numa_balancing = {
    .id = "linux-numa-balancing",
    .os = ST_OS_LINUX,
    .title = "Balancing of memory between nodes",
    .mechanism =
        "On machines with several memory nodes the kernel unmaps pages now and then, to learn by the page "
        "faults which node they should be on, and may copy them. Threads of all policies take these faults.",
    .privilege = "root",
    .cost = "throughput: of large programs that roam over nodes",
    .when_not = "machines with one node: it is idle there",
    .sources =
        "Linux Documentation/admin-guide/sysctl/kernel.rst: numa_balancing; tuned's cpu-partitioning sets 0",
    .guide =
        {
            .now = ST_MACHINE_SYSCTL_NOW("kernel.numa_balancing", "0"),
            .persistent = ST_MACHINE_SYSCTL_EVER("kernel.numa_balancing", "0"),
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kernel.numa_balancing   # 0",
            .undo = ST_MACHINE_UNDO_SYSCTL("kernel.numa_balancing", "1"),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){BALANCING, NODES, NULL},
    .targets = (const char *const[]){"kernel.numa_balancing", NULL},
    .judge = judge,
};
