/* The kernel's lock-up detectors. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define NMI    "linux.sysctl.kernel.nmi_watchdog"
#define SOFT   "linux.sysctl.kernel.watchdog"
#define THRESH "linux.sysctl.kernel.watchdog_thresh"

#define THRESH_DEFAULT_S 10
/** Only below this a microsecond now and then counts. A choice of this rule. */
#define PERIOD_SHORT_NS INT64_C(500000)

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t nmi;
    if (st_finding_need_int(finding, facts, NMI, &nmi) != 0)
        return;
    st_finding_quote(finding, facts, SOFT);
    st_finding_quote(finding, facts, THRESH);
    const int64_t thresh = st_machine_int_or(facts, THRESH, THRESH_DEFAULT_S);
    if (nmi == 0) {
        st_finding_set(finding, ST_STATUS_OK, "the hard lock-up detector is off");
        st_finding_effect(finding, 0, "no interrupts of its own");
    } else if (nmi != 1) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "nmi_watchdog of %" PRId64 " cannot be", nmi);
    } else if (wish->period_ns > PERIOD_SHORT_NS) {
        st_finding_set(finding, ST_STATUS_OK,
                       "the hard lock-up detector looks once in about %" PRId64
                       " s of computing: nothing beside %.1f ms",
                       thresh, (double)wish->period_ns / 1e6);
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "the hard lock-up detector interrupts each CPU once in about %" PRId64
                       " s of computing, for some microseconds",
                       thresh);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kernel.nmi_watchdog", "0");
    }
}

const struct st_rule st_rule_linux_watchdogs = {
    .id = "linux-watchdogs",
    .os = ST_OS_LINUX,
    .title = "Lock-up detectors",
    .mechanism =
        "The detectors interrupt each CPU every few seconds to see whether it still lives. The interrupt "
        "comes before any thread and takes microseconds.",
    .privilege = "root",
    .cost = "convenience: a machine that hangs says nothing about it",
    .when_not = "periods above half a millisecond",
    .sources = "Linux Documentation/admin-guide/lockup-watchdogs.rst, sysctl/kernel.rst; tuned's realtime "
               "profile sets 0\n"
               "how many µs it takes: not measured; the line of 0.5 ms is sleeptune's own",
    .guide =
        {
            .now = ST_MACHINE_SYSCTL_NOW("kernel.nmi_watchdog", "0"),
            .persistent = ST_MACHINE_SYSCTL_EVER("kernel.nmi_watchdog", "0"),
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kernel.nmi_watchdog   # 0",
            .undo = ST_MACHINE_UNDO_SYSCTL("kernel.nmi_watchdog", "1"),
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){NMI, SOFT, THRESH, NULL},
    .targets = (const char *const[]){"kernel.nmi_watchdog", NULL},
    .judge = judge,
};
