/* RT throttling: the safety net that keeps a machine alive under a spinning real-time thread. */
#include <inttypes.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define RUNTIME "linux.sysctl.kernel.sched_rt_runtime_us"
#define PERIOD  "linux.sysctl.kernel.sched_rt_period_us"
#define GROUPS  "linux.config.RT_GROUP_SCHED"

/** The kernel's default: real-time threads get 95 %. */
#define SHARE_USUAL     0.95
#define PERIOD_USUAL_US 1000000

/** In an order in which the running time is never longer than the period, which the kernel refuses. */
static void change_back(struct st_finding *finding, int64_t runtime)
{
    const bool runtime_first = runtime > PERIOD_USUAL_US;
    if (runtime_first)
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kernel.sched_rt_runtime_us", "950000");
    st_finding_change(finding, ST_CHANGE_SYSCTL, "kernel.sched_rt_period_us", "1000000");
    if (!runtime_first)
        st_finding_change(finding, ST_CHANGE_SYSCTL, "kernel.sched_rt_runtime_us", "950000");
}

/** From 6.12 on only groups with budgets are throttled: "sched/rt: Remove default bandwidth control". */
static bool is_deadline_server(const struct st_facts *facts)
{
    const char *groups;
    return st_machine_kernel_from(facts, 6, 12) && st_facts_text(facts, GROUPS, &groups) == 0 &&
           strcmp(groups, "n") == 0;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t runtime, period;
    (void)wish;
    if (st_finding_need_int(finding, facts, RUNTIME, &runtime) != 0 ||
        st_finding_need_int(finding, facts, PERIOD, &period) != 0)
        return;
    if (runtime < -1 || period < 1 || runtime > period) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "a real-time budget of %" PRId64 " µs in %" PRId64 " µs cannot be", runtime, period);
        return;
    }
    if (is_deadline_server(facts)) {
        st_finding_quote(finding, facts, ST_MACHINE_RELEASE);
        st_finding_quote(finding, facts, GROUPS);
        st_finding_set(finding, ST_STATUS_OK,
                       "this kernel throttles no real-time thread: a deadline server keeps 5 %% of a CPU for "
                       "normal threads that would starve");
        st_finding_effect(finding, 0, "0 below 95 %% load of a CPU");
        return;
    }
    if (runtime == -1 || runtime == period) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "real-time throttling is off: a real-time thread that spins takes its CPU for good, and "
            "maybe the machine");
        st_finding_effect(finding, 0, "no throttling: nothing to gain for audio by leaving it off");
        st_finding_fix_usual(finding);
        change_back(finding, runtime);
        return;
    }
    const double hole_us = (double)(period - runtime), share = (double)runtime / (double)period;
    if (share < SHARE_USUAL) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "real-time threads are stopped for %.0f ms once they have used %.1f %% of a CPU (usual: 95 %%)",
            hole_us / 1e3, share * 100);
        st_finding_fix(finding,
                       "sudo sysctl kernel.sched_rt_runtime_us=950000 kernel.sched_rt_period_us=1000000",
                       "# /etc/sysctl.d/90-sleeptune.conf\nkernel.sched_rt_runtime_us = "
                       "950000\nkernel.sched_rt_period_us = 1000000",
                       ST_NEEDS_NOTHING);
        change_back(finding, runtime);
        return;
    }
    st_finding_set(finding, ST_STATUS_OK,
                   "a real-time thread that spins above %.1f %% of a CPU is stopped for up to %.0f ms; one "
                   "that sleeps in "
                   "each cycle is not",
                   share * 100, hole_us / 1e3);
    st_finding_effect(finding, 0, "0 below %.1f %% load; above it %" PRId64 " - %" PRId64 " = %.0f µs",
                      share * 100, period, runtime, hole_us);
}

const struct st_rule st_rule_linux_rt_throttling = {
    .id = "linux-rt-throttling",
    .os = ST_OS_LINUX,
    .title = "Real-time throttling",
    .mechanism = "When real-time threads have used 95 % of a CPU's second, the kernel stops them for the "
                 "rest of it, so "
                 "that a thread gone wild does not hang the machine. An audio thread that sleeps in each "
                 "cycle does not get "
                 "there.",
    .privilege = "root",
    .cost = "none at the default",
    .when_not = "dedicated machines with isolated CPUs, run by people who know why. Never as a cure for "
                "xruns: -1 hides "
                "the thread that spins and can hang the machine.",
    .sources =
        "Linux Documentation/scheduler/sched-rt-group.rst, kernel/sched/rt.c (default 950000 of 1000000)\n"
        "from 6.12 on a deadline server instead (commits a110a81c52a9, 5f6bd380c7bd: scheduler changes for "
        "v6.12)",
    .history = "6.12: normal threads are protected by a deadline server; only groups with budgets "
               "(CONFIG_RT_GROUP_SCHED) are throttled (commit 5f6bd380c7bd)",
    .guide =
        {
            .now = "sudo sysctl kernel.sched_rt_runtime_us=950000",
            .persistent =
                "# remove from /etc/sysctl.conf and /etc/sysctl.d:\n# kernel.sched_rt_runtime_us = -1",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl kernel.sched_rt_runtime_us   # 950000",
            .undo = "nothing to undo: that is the default",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){RUNTIME, PERIOD, ST_MACHINE_RELEASE, GROUPS, NULL},
    .targets = (const char *const[]){"kernel.sched_rt_runtime_us", "kernel.sched_rt_period_us", NULL},
    .judge = judge,
};
