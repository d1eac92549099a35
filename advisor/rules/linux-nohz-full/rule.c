/* nohz_full: CPUs without the tick while one thread runs. */
#include "advisor/rules/rule.h"
#include "advisor/rules/machine.h"
#include "core/cpu_list.h"

#define NOHZ_FULL "linux.cpu.nohz_full"
#define ISOLATED  "linux.cpu.isolated"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *text, *isolated_text;
    struct st_cpu_list nohz, isolated;
    (void)wish;
    if (st_finding_need_text(finding, facts, NOHZ_FULL, &text) != 0)
        return;
    if (st_cpu_list_parse(text, &nohz) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the list \"%.40s\" is not understood", text);
        return;
    }
    if (nohz.n == 0) {
        st_finding_set(finding, ST_STATUS_OK, "the tick runs on busy CPUs, as usual");
        st_finding_effect(finding, 0, "timers are exact with and without the tick");
        return;
    }
    if (st_finding_need_text(finding, facts, ISOLATED, &isolated_text) != 0)
        return;
    if (st_cpu_list_parse(isolated_text, &isolated) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the list \"%.40s\" is not understood", isolated_text);
    } else if (st_cpu_list_is_within(&nohz, &isolated)) {
        st_finding_set(finding, ST_STATUS_OK,
                       "CPUs %.40s have no tick while one thread runs, and are isolated", text);
    } else {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "CPUs %.40s are nohz_full but not isolated: each system call costs more there, and the tick "
            "comes back with a second thread",
            text);
        st_finding_fix_usual(finding);
    }
}

const struct st_rule st_rule_linux_nohz_full = {
    .id = "linux-nohz-full",
    .os = ST_OS_LINUX,
    .title = "CPUs without a tick",
    .mechanism =
        "nohz_full stops the scheduler's tick on a CPU while a single thread runs there. In return each "
        "entry into the kernel keeps accounts, so an audio loop that sleeps in each cycle pays more than it "
        "gains.",
    .privilege = "root",
    .cost = "throughput: system calls and interrupts cost more on these CPUs",
    .when_not = "a thread computes there without end: that is what nohz_full is for. NO_HZ_IDLE, the "
                "default, needs no change",
    .sources = "Linux Documentation/timers/no_hz.rst; kernel-parameters.txt: nohz_full",
    .guide =
        {
            .persistent = ST_MACHINE_FIX_NO_BOOT_OPTION("nohz_full"),
            .needs = ST_NEEDS_REBOOT,
            .check = "cat /sys/devices/system/cpu/nohz_full   # (null), or empty",
            .undo = "add the option again",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = (const char *const[]){NOHZ_FULL, ISOLATED, NULL},
    .judge = judge,
};
