/* What Linux guides recommend and FreeBSD does not have. */
#include "advisor/rules/rule.h"

#define FACT "freebsd.kern.osreldate"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK,
                   "timer slack, cpu_dma_latency, threadirqs, PREEMPT_RT: nothing to set on FreeBSD");
    st_finding_effect(finding, 0, "they do not exist on FreeBSD");
}

const struct st_rule st_rule_freebsd_no_linux_knobs = {
    .id = "freebsd-no-linux-knobs",
    .os = ST_OS_FREEBSD,
    .title = "Settings of Linux guides that do not exist here",
    .mechanism =
        "FreeBSD has no timer slack for each process, no /dev/cpu_dma_latency, no threadirqs (interrupts run "
        "in threads of their own anyway), no choice of preemption at run time (GENERIC has PREEMPTION), no "
        "limit on real-time priorities (RLIMIT_RTPRIO) and none on real-time CPU time.",
    .privilege = "root",
    .cost = "none",
    .when_not = "always: look at alloweddeviation, cx_lowest, mac_priority and login.conf instead",
    .sources = "FreeBSD sys/conf/NOTES (PREEMPTION), sys/kern/kern_intr.c, getrlimit(2)\nmeasured on 13.2 "
               "and 15.1: SCHED_FIFO 0 to 31, no real-time limit",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
