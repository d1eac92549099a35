/* Interrupts on CPUs that were isolated for audio. */
#include <errno.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/cpu_list.h"

#define ISOLATED   "linux.cpu.isolated"
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

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *isolated_text, *mask_text;
    struct st_cpu_list isolated, mask;
    int64_t pid;
    (void)wish;
    if (st_finding_need_text(finding, facts, ISOLATED, &isolated_text) != 0)
        return;
    if (st_cpu_list_parse(isolated_text, &isolated) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the list of isolated CPUs \"%.40s\" is not understood",
                       isolated_text);
        return;
    }
    if (isolated.n == 0) {
        st_finding_set(finding, ST_STATUS_OK, "no CPU is isolated, so interrupts may go where they want");
        st_finding_effect(finding, 0, "nothing to keep free");
        return;
    }
    if (st_finding_need_text(finding, facts, AFFINITY, &mask_text) != 0)
        return;
    if (parse_mask(mask_text, &mask) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the mask \"%.40s\" is not understood", mask_text);
        return;
    }
    st_finding_quote(finding, facts, IRQBALANCE);
    if (!st_cpu_list_overlaps(&isolated, &mask)) {
        st_finding_set(finding, ST_STATUS_OK, "interrupts stay away from the isolated CPUs %.40s",
                       isolated_text);
        st_finding_effect(finding, 0, "the default mask leaves them out");
    } else if (st_facts_int(facts, IRQBALANCE, &pid) == 0) {
        st_finding_set(finding, ST_STATUS_OK, "irqbalance runs, which leaves isolated CPUs out");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "CPUs %.40s are isolated, but interrupts of all devices may still go there",
                       isolated_text);
        st_finding_fix_usual(finding);
    }
}

const struct st_rule st_rule_linux_irq_affinity = {
    .id = "linux-irq-affinity",
    .os = ST_OS_LINUX,
    .title = "Interrupts on isolated CPUs",
    .mechanism =
        "Isolating a CPU takes programs off it, not interrupts. Each handler that runs there delays the "
        "thread that has the CPU for itself.",
    .privilege = "root",
    .cost = "none",
    .when_not = "machines without isolated CPUs: pinning interrupts by hand gains nothing there",
    .sources =
        "Linux Documentation/core-api/irq/irq-affinity.rst; kernel-parameters.txt: irqaffinity, isolcpus\n"
        "irqbalance(1): isolated and nohz_full CPUs are banned by default",
    .guide =
        {
            .persistent =
                "# OTHERS are the CPUs that are not isolated, such as 0-1\n" ST_MACHINE_FIX_BOOT_OPTION(
                    "irqaffinity=OTHERS") "\n# for devices that choose themselves: "
                                          "isolcpus=managed_irq,domain,LIST",
            .needs = ST_NEEDS_REBOOT,
            .check = "cat /proc/irq/*/smp_affinity_list   # none of the isolated CPUs",
            .undo = ST_MACHINE_UNDO_BOOT_OPTION("irqaffinity="),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = (const char *const[]){ISOLATED, AFFINITY, IRQBALANCE, NULL},
    .judge = judge,
};
