/* Linux: CPUs that do nothing else. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/cpu_list.h"

/* --- linux-isolated-cpus: isolcpus and what belongs to it. --- */

#define ISOLATED "linux.cpu.isolated"
#define ONLINE   "linux.cpu.online"

/** Reads a list of CPUs, which the rules of this file begin with. @return 0, or < 0 with the finding set. */
static int need_cpus(struct st_finding *finding, const char *key, const char **text, struct st_cpu_list *ret)
{
    int r = st_finding_need_text(finding, key, text);
    if (r != 0)
        return r;
    r = st_cpu_list_parse(*text, ret);
    if (r != 0)
        st_finding_unknown(finding, "sleeptune does not understand the list of CPUs \"%.40s\"", *text);
    return r;
}

/** text: a list that was understood, so nothing but digits, '-' and ','. */
static void fix_callbacks(const char *text, struct st_finding *finding)
{
    char persistent[1024];
    const int n =
        snprintf(persistent, sizeof(persistent), ST_MACHINE_FIX_BOOT_OPTION("rcu_nocbs=%s"), text, text);
    if (n > 0 && (size_t)n < sizeof(persistent))
        st_finding_fix(finding, NULL, persistent, ST_NEEDS_REBOOT);
    else
        st_rule_fix(finding);
}

static void judge_isolated(const char *text, const struct st_cpu_list *isolated, struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    struct st_cpu_list online;
    const char *online_text;
    char value[256];
    st_finding_quote(finding, ONLINE);
    st_finding_quote(finding, ST_MACHINE_CMDLINE);
    if (st_facts_text(facts, ONLINE, &online_text) == 0 && st_cpu_list_parse(online_text, &online) == 0 &&
        online.n > 0 && st_cpu_list_is_within(&online, isolated)) {
        st_finding_advice(finding, "all CPUs are isolated, so other programs have no CPU to run on");
        st_finding_fix(finding, NULL, ST_MACHINE_FIX_NO_BOOT_OPTION("isolcpus"), ST_NEEDS_REBOOT);
    } else if (st_machine_boot_option(facts, "rcu_nocbs", value, sizeof(value)) == -ENODATA) {
        st_finding_unknown(finding,
                           "CPUs %.40s are isolated; it is unknown whether the kernel's own work (RCU "
                           "callbacks) is kept away from them, because the kernel's command line could not "
                           "be read",
                           text);
    } else if (st_machine_boot_option(facts, "rcu_nocbs", value, sizeof(value)) == -ENOENT &&
               st_machine_boot_option(facts, "nohz_full", value, sizeof(value)) == -ENOENT) {
        st_finding_advice(finding,
                          "CPUs %.40s are isolated, but the kernel still does work of its own there (RCU "
                          "callbacks)",
                          text);
        fix_callbacks(text, finding);
    } else {
        st_finding_ok(finding,
                      "CPUs %.40s are isolated: they run only programs that are bound to them "
                      "(CPUAffinity=, taskset)",
                      text);
    }
}

static void judge_isolated_cpus(struct st_finding *finding)
{
    const char *text;
    struct st_cpu_list isolated;
    char value[256];
    if (need_cpus(finding, ISOLATED, &text, &isolated) != 0)
        return;
    if (isolated.n > 0) {
        judge_isolated(text, &isolated, finding);
    } else if (st_machine_boot_option(finding->facts, "isolcpus", value, sizeof(value)) == 0) {
        st_finding_quote(finding, ST_MACHINE_CMDLINE);
        st_finding_advice(finding, "isolcpus= is on the command line, but no CPU is isolated");
        st_finding_fix(finding, NULL, ST_MACHINE_FIX_NO_BOOT_OPTION("isolcpus"), ST_NEEDS_REBOOT);
    } else {
        st_finding_fine(finding, "no CPU is isolated, which is right for a desktop");
    }
}

const struct st_rule st_rule_linux_isolated_cpus = {
    .id = "linux-isolated-cpus",
    .title = "Isolated CPUs",
    .mechanism = "An isolated CPU runs only the programs that are bound to it. The kernel's own work still "
                 "runs there, unless RCU callbacks, ticks and interrupts are kept away, too.",
    .cost = "throughput: all other programs have fewer CPUs",
    .when_not = "desktops, and any machine with few CPUs: real-time priority does the same at no cost",
    .sources = "Linux kernel-parameters.txt: isolcpus (deprecated, use cpusets), rcu_nocbs, nohz_full; "
               "tuned's cpu-partitioning",
    .guide.persistent =
        "# LIST: the same list as in isolcpus=\n" ST_MACHINE_FIX_BOOT_OPTION("rcu_nocbs=LIST"),
    .guide.needs = ST_NEEDS_REBOOT,
    .guide.check = "cat /sys/devices/system/cpu/isolated\n"
                   "grep -o \"rcu_nocbs=[^ ]*\" /proc/cmdline",
    .guide.undo = ST_MACHINE_UNDO_BOOT_OPTION("isolcpus= and rcu_nocbs="),
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = ST_RULE_KEYS(ISOLATED, ONLINE, ST_MACHINE_CMDLINE),
    .judge = judge_isolated_cpus,
};

/* --- linux-irq-affinity: Interrupts on CPUs that were isolated for audio. --- */

#define AFFINITY   "linux.irq.default_affinity"
#define IRQBALANCE "linux.daemon.irqbalance"

/** "3", "ffffffff,fffffff0": hexadecimal, the lowest CPU last. @return 0, -EBADMSG. */
static int parse_mask(const char *text, struct st_cpu_list *ret)
{
    struct st_cpu_list list = {0};
    size_t cpu = 0;
    if (text[0] == '\0')
        return -EBADMSG;
    for (size_t i = strlen(text); i-- > 0;) {
        static const char digits[] = "0123456789abcdef";
        if (text[i] == ',')
            continue;
        const char *digit = strchr(digits, text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 'a' : text[i]);
        if (digit == NULL || *digit == '\0' || cpu >= ST_CPU_LIST_MAX)
            return -EBADMSG;
        list.has[cpu / 8] |= (unsigned char)((unsigned)(digit - digits) << cpu % 8);
        cpu += 4;
    }
    *ret = list;
    return 0;
}

static void judge_irq_affinity(struct st_finding *finding)
{
    const char *isolated_text, *mask_text;
    struct st_cpu_list isolated, mask;
    int64_t pid;
    if (need_cpus(finding, ISOLATED, &isolated_text, &isolated) != 0)
        return;
    if (isolated.n == 0) {
        st_finding_fine(finding, "no CPU is isolated, so interrupts may run on any CPU");
        return;
    }
    if (st_finding_need_text(finding, AFFINITY, &mask_text) != 0)
        return;
    if (parse_mask(mask_text, &mask) != 0) {
        st_finding_unknown(finding, "sleeptune does not understand the mask \"%.40s\"", mask_text);
        return;
    }
    st_finding_quote(finding, IRQBALANCE);
    if (!st_cpu_list_overlaps(&isolated, &mask)) {
        st_finding_fine(finding, "interrupts stay away from the isolated CPUs %.40s", isolated_text);
    } else if (st_facts_int(finding->facts, IRQBALANCE, &pid) == 0) {
        st_finding_ok(finding, "irqbalance runs; it keeps interrupts away from isolated CPUs");
    } else {
        st_finding_advice(finding,
                          "CPUs %.40s are isolated, but interrupts of all devices may still go there",
                          isolated_text);
        st_rule_fix(finding);
    }
}

const struct st_rule st_rule_linux_irq_affinity = {
    .id = "linux-irq-affinity",
    .title = "Interrupts on isolated CPUs",
    .mechanism = "Isolation keeps programs away from a CPU, but not interrupts. Each interrupt there delays "
                 "the audio thread that uses this CPU.",
    .cost = "none",
    .when_not = "machines without isolated CPUs: pinning interrupts by hand gains nothing there",
    .sources = "Linux Documentation/core-api/irq/irq-affinity.rst; kernel-parameters.txt: irqaffinity, "
               "isolcpus\n"
               "irqbalance(1): isolated and nohz_full CPUs are banned by default",
    .guide.persistent =
        "# OTHERS are the CPUs that are not isolated, such as 0-1\n" ST_MACHINE_FIX_BOOT_OPTION(
            "irqaffinity=OTHERS") "\n"
                                  "# for devices that choose their own CPU: isolcpus=managed_irq,domain,LIST",
    .guide.needs = ST_NEEDS_REBOOT,
    .guide.check = "cat /proc/irq/*/smp_affinity_list   # contains none of the isolated CPUs",
    .guide.undo = ST_MACHINE_UNDO_BOOT_OPTION("irqaffinity="),
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = ST_RULE_KEYS(ISOLATED, AFFINITY, IRQBALANCE),
    .judge = judge_irq_affinity,
};
