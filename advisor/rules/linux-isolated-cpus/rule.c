/* isolcpus and what belongs to it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/cpu_list.h"

#define ISOLATED "linux.cpu.isolated"
#define ONLINE   "linux.cpu.online"

/** text: a list that was understood, so nothing but digits, '-' and ','. */
static void fix_callbacks(const char *text, struct st_finding *finding)
{
    char persistent[1024];
    const int n =
        snprintf(persistent, sizeof(persistent), ST_MACHINE_FIX_BOOT_OPTION("rcu_nocbs=%s"), text, text);
    if (n > 0 && (size_t)n < sizeof(persistent))
        st_finding_fix(finding, NULL, persistent, ST_NEEDS_REBOOT);
    else
        st_finding_fix_usual(finding);
}

static void judge_isolated(const struct st_facts *facts, const char *text, const struct st_cpu_list *isolated,
                           struct st_finding *finding)
{
    struct st_cpu_list online;
    const char *online_text;
    char value[256];
    st_finding_quote(finding, facts, ONLINE);
    st_finding_quote(finding, facts, ST_MACHINE_CMDLINE);
    if (st_facts_text(facts, ONLINE, &online_text) == 0 && st_cpu_list_parse(online_text, &online) == 0 &&
        online.n > 0 && st_cpu_list_is_within(&online, isolated)) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "all CPUs are isolated, which leaves none for the rest of the machine");
        st_finding_fix(finding, NULL, ST_MACHINE_FIX_NO_BOOT_OPTION("isolcpus"), ST_NEEDS_REBOOT);
    } else if (st_machine_boot_option(facts, "rcu_nocbs", value, sizeof(value)) == -ENODATA) {
        st_finding_set(
            finding, ST_STATUS_UNKNOWN,
            "CPUs %.40s are isolated; whether from the kernel's own callbacks (RCU), too, the command "
            "line would tell, which could not be read",
            text);
    } else if (st_machine_boot_option(facts, "rcu_nocbs", value, sizeof(value)) == -ENOENT &&
               st_machine_boot_option(facts, "nohz_full", value, sizeof(value)) == -ENOENT) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "CPUs %.40s are isolated, but the kernel's own callbacks (RCU) still run there", text);
        fix_callbacks(text, finding);
    } else {
        st_finding_set(
            finding, ST_STATUS_OK,
            "CPUs %.40s are isolated; only programs that are pinned there (CPUAffinity=, taskset) use them",
            text);
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *text;
    struct st_cpu_list isolated;
    char value[256];
    (void)wish;
    if (st_finding_need_text(finding, facts, ISOLATED, &text) != 0)
        return;
    if (st_cpu_list_parse(text, &isolated) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the list of isolated CPUs \"%.40s\" is not understood",
                       text);
    } else if (isolated.n > 0) {
        judge_isolated(facts, text, &isolated, finding);
    } else if (st_machine_boot_option(facts, "isolcpus", value, sizeof(value)) == 0) {
        st_finding_quote(finding, facts, ST_MACHINE_CMDLINE);
        st_finding_set(finding, ST_STATUS_ADVICE, "isolcpus= is on the command line, but no CPU is isolated");
        st_finding_fix(finding, NULL, ST_MACHINE_FIX_NO_BOOT_OPTION("isolcpus"), ST_NEEDS_REBOOT);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "no CPU is isolated, which is right for a desktop");
        st_finding_effect(finding, 0, "a real-time thread gets any CPU at once");
    }
}

const struct st_rule st_rule_linux_isolated_cpus = {
    .id = "linux-isolated-cpus",
    .os = ST_OS_LINUX,
    .title = "Isolated CPUs",
    .mechanism =
        "An isolated CPU gets no program that was not pinned to it, and no load balancing. It stays free of "
        "the kernel's own work only if RCU callbacks, ticks and interrupts are kept away, too.",
    .privilege = "root",
    .cost = "throughput: the isolated CPUs are lost for everything else",
    .when_not = "desktops, and any machine with few CPUs: real-time priority does the same at no cost",
    .sources =
        "Linux kernel-parameters.txt: isolcpus (deprecated, use cpusets), rcu_nocbs, nohz_full; tuned's "
        "cpu-partitioning",
    .guide =
        {
            .persistent = "# LIST is that of isolcpus=\n" ST_MACHINE_FIX_BOOT_OPTION("rcu_nocbs=LIST"),
            .needs = ST_NEEDS_REBOOT,
            .check = "cat /sys/devices/system/cpu/isolated\n"
                     "grep -o \"rcu_nocbs=[^ ]*\" /proc/cmdline",
            .undo = ST_MACHINE_UNDO_BOOT_OPTION("isolcpus= and rcu_nocbs="),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = (const char *const[]){ISOLATED, ONLINE, ST_MACHINE_CMDLINE, NULL},
    .judge = judge,
};
