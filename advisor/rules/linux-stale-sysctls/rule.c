/* Scheduler settings of old guides in sysctl.d. */
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define CONFIGURED "linux.sysctl_conf."
#define RUNNING    "linux.sysctl."

struct scan {
    const struct st_facts *facts;
    size_t configured_n, stale_n, unread_n;
    const struct st_fact *first; /* stale, or else the first */
};

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char key[160];
    const char *value;
    if (fact->state == ST_FACT_ABSENT)
        return;
    if (scan->first == NULL)
        scan->first = fact;
    if (fact->state != ST_FACT_OK) {
        scan->unread_n++;
        return;
    }
    scan->configured_n++;
    snprintf(key, sizeof(key), RUNNING "%.100s", fact->key + sizeof(CONFIGURED) - 1);
    if (st_facts_find(scan->facts, key) == NULL || st_facts_find(scan->facts, key)->state != ST_FACT_ABSENT)
        return;
    if (scan->stale_n++ == 0 && st_facts_text(scan->facts, fact->key, &value) == 0)
        scan->first = fact;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts};
    (void)wish;
    st_facts_each(facts, CONFIGURED, "", look, &scan);
    if (scan.first == NULL) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no scheduler setting stands in /etc/sysctl.d");
        return;
    }
    st_finding_quote(finding, facts, scan.first->key);
    const char *name = scan.first->key + sizeof(CONFIGURED) - 1;
    if (scan.stale_n > 0) {
        char key[160];
        snprintf(key, sizeof(key), RUNNING "%.100s", name);
        st_finding_quote(finding, facts, key);
        st_finding_set(finding, ST_STATUS_OK,
                       "%.60s is set at boot, but this kernel has no such setting%s: the line can go", name,
                       scan.stale_n > 1 ? " (and others)" : "");
        st_finding_effect(finding, 0, "it was for normal threads, and does nothing any more");
    } else if (scan.unread_n > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "%.60s is set at boot to something that is not understood",
                       name);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "the scheduler settings in /etc/sysctl.d exist on this kernel");
        st_finding_effect(finding, 0,
                          "such settings shape normal threads; real-time ones come first in any case");
    }
}

const struct st_rule st_rule_linux_stale_sysctls = {
    .id = "linux-stale-sysctls",
    .os = ST_OS_LINUX,
    .title = "Scheduler settings of old guides",
    .mechanism =
        "sched_latency_ns, sched_min_granularity_ns and their like shaped how normal threads share a CPU. "
        "They "
        "left sysctl with Linux 5.13 and never touched real-time threads; at boot they only give an error "
        "message.",
    .privilege = "root",
    .cost = "none",
    .when_not = "machines that also boot a kernel before 5.13",
    .sources = "Linux commit 8a99b6833c88 (settings move to debugfs, 5.13: release not verified); "
               "kernel/sched/debug.c; "
               "EEVDF (6.6) leaves base_slice_ns",
    .history = "5.13: sched_latency_ns and its like move from sysctl to debugfs (commit 8a99b6833c88; "
               "release not verified)\n"
               "6.6: EEVDF leaves base_slice_ns only (kernel/sched/debug.c)",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){"linux.sysctl_conf.kernel.sched_*", "linux.sysctl.kernel.sched_*", NULL},
    .judge = judge,
};
