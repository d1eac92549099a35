/* Two hardware threads a core. */
#include "advisor/rules/rule.h"

#define ACTIVE  "linux.smt.active"
#define CONTROL "linux.smt.control"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t active;
    (void)wish;
    if (st_finding_need_int(finding, facts, ACTIVE, &active) != 0)
        return;
    st_finding_quote(finding, facts, CONTROL);
    if (active == 0) {
        st_finding_set(finding, ST_STATUS_OK, "each CPU has its core for itself");
        st_finding_effect(finding, 0, "no hardware threads share a core");
    } else if (active == 1) {
        st_finding_set(finding, ST_STATUS_OK,
                       "two hardware threads share a core: computing takes longer while the other is busy, "
                       "waking does not");
        st_finding_effect(finding, 0,
                          "waking is not touched; the time to compute is, and measure --load shows it");
    } else {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "smt/active is neither 0 nor 1");
    }
}

const struct st_rule st_rule_linux_smt = {
    .id = "linux-smt",
    .os = ST_OS_LINUX,
    .title = "Hardware threads (SMT, Hyper-Threading)",
    .mechanism =
        "Two hardware threads share the units of a core, so a callback takes longer while its neighbour is "
        "busy. With many tracks the second thread is worth more than it costs.",
    .privilege = "root",
    .cost = "throughput: a fifth or more without it (not measured here)",
    .when_not = "as a matter of course. Try it only when DSP load has peaks above 70 % at a low average: "
                "echo off | sudo "
                "tee /sys/devices/system/cpu/smt/control",
    .sources =
        "Linux kernel-parameters.txt: nosmt; Documentation/ABI/testing/sysfs-devices-system-cpu: smt/control",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ACTIVE, CONTROL, NULL},
    .judge = judge,
};
