/* threadirqs: handlers of interrupts in threads whose priority can be chosen. */
#include <errno.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define VERSION "linux.kernel.version"

/** Above this the handlers of other devices are short beside a cycle. A choice of this rule. */
#define PERIOD_SHORT_NS INT64_C(1400000)

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *version, *cmdline;
    char value[64];
    if (st_facts_text(facts, VERSION, &version) == 0 &&
        (strstr(version, "PREEMPT_RT") != NULL || strstr(version, "PREEMPT RT") != NULL)) {
        st_finding_quote(finding, facts, VERSION);
        st_finding_set(finding, ST_STATUS_OK,
                       "a real-time kernel runs all handlers of interrupts in threads");
        st_finding_effect(finding, 0, "PREEMPT_RT");
        return;
    }
    if (st_finding_need_text(finding, facts, ST_MACHINE_CMDLINE, &cmdline) != 0)
        return;
    if (st_machine_boot_option(facts, "threadirqs", value, sizeof(value)) == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "threadirqs is on: see linux-irq-priorities for the order of the threads");
        st_finding_effect(finding, 0, "handlers run in threads whose priority can be chosen");
    } else if (st_machine_is_guest(facts)) {
        st_finding_quote(finding, facts, ST_MACHINE_VIRTUAL);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "a virtual machine's real interrupts are the host's business");
    } else if (wish->period_ns > PERIOD_SHORT_NS) {
        st_finding_set(
            finding, ST_STATUS_OK,
            "handlers of interrupts run at once, before any thread; at %.1f ms that is seldom in the way",
            (double)wish->period_ns / 1e6);
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "disk, network and graphics interrupts come before the audio thread; at %.2f ms it is "
                       "worth trying to "
                       "change that",
                       (double)wish->period_ns / 1e6);
        st_finding_fix_usual(finding);
    }
}

const struct st_rule st_rule_linux_threaded_irqs = {
    .id = "linux-threaded-irqs",
    .os = ST_OS_LINUX,
    .title = "Interrupt handlers in threads",
    .mechanism =
        "A handler of an interrupt runs before any thread, whatever its priority. With threadirqs handlers "
        "become threads at SCHED_FIFO 50: an audio thread above them comes first, and the sound card's own "
        "can be put on top.",
    .privilege = "root",
    .cost = "throughput: a switch of threads for each interrupt",
    .when_not = "xruns have nothing to do with disk or network load: some devices misbehave under it. With "
                "it, put the sound card's thread above the rest",
    .sources = "Linux kernel-parameters.txt: threadirqs; field report of hangs: liquorix issue 61\n"
               "the line of 1.4 ms is sleeptune's own",
    .guide =
        {
            .persistent = ST_MACHINE_FIX_BOOT_OPTION("threadirqs"),
            .needs = ST_NEEDS_REBOOT,
            .check = "grep -w threadirqs /proc/cmdline\n"
                     "ps -eLo cls,rtprio,comm | grep irq/   # FF 50 for each handler",
            .undo = ST_MACHINE_UNDO_BOOT_OPTION("threadirqs"),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){VERSION, ST_MACHINE_CMDLINE, ST_MACHINE_VIRTUAL, NULL},
    .judge = judge,
};
