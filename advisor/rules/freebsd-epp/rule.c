/* Energy/performance preference of CPUs that choose their clock by themselves. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define PREFIX "freebsd.dev.hwpstate_"
#define SUFFIX ".epp"
#define INTEL  PREFIX "intel.0" SUFFIX

#define NOW(driver)  "# one line for each CPU\nsysctl dev.hwpstate_" driver ".0.epp=0"
#define EVER(driver) "# /etc/sysctl.conf, one line for each CPU\ndev.hwpstate_" driver ".0.epp=0"

#define EPP_MAX 255 /* 100 in 13 and 14 */

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    int cpus;
    int unread;
    int64_t worst;
    const char *worst_key;
};

static void see(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    int64_t epp;
    if (fact->state == ST_FACT_ABSENT)
        return;
    scan->cpus++;
    if (st_facts_int(scan->facts, fact->key, &epp) != 0 || epp < 0 || epp > EPP_MAX) {
        scan->unread++;
        st_finding_quote(scan->finding, scan->facts, fact->key);
    } else if (scan->worst_key == NULL || epp > scan->worst) {
        scan->worst = epp;
        scan->worst_key = fact->key;
    }
}

static void change(void *ctx, const struct st_fact *fact)
{
    if (fact->state == ST_FACT_OK)
        st_finding_change(ctx, ST_CHANGE_SYSCTL, fact->key + strlen("freebsd."), "0");
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    (void)wish;
    st_facts_each(facts, PREFIX, SUFFIX, see, &scan);
    if (scan.cpus == 0) {
        st_finding_quote(finding, facts, INTEL);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "no CPU here chooses its clock by itself (hwpstate_intel, hwpstate_amd)");
        return;
    }
    if (scan.unread > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the preference (epp) of %d of %d CPUs could not be read",
                       scan.unread, scan.cpus);
        return;
    }
    st_finding_quote(finding, facts, scan.worst_key);
    if (scan.worst == 0) {
        st_finding_set(finding, ST_STATUS_OK, "all CPUs prefer performance (epp 0)");
        st_finding_effect(finding, 0, "the clock need not ramp up first");
        return;
    }
    const char *driver = strstr(scan.worst_key, "_amd.") != NULL ? "amd" : "intel";
    char now[160], persistent[256];
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "the CPU's preference (epp) is %" PRId64
                   ", where 0 is performance: it is slow to raise its clock "
                   "for short bursts",
                   scan.worst);
    snprintf(now, sizeof(now), NOW("%s"), driver);
    snprintf(persistent, sizeof(persistent), EVER("%s"), driver);
    st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
    st_facts_each(facts, PREFIX, SUFFIX, change, finding);
}

const struct st_rule st_rule_freebsd_epp = {
    .id = "freebsd-epp",
    .os = ST_OS_FREEBSD,
    .title = "Energy or performance (hwpstate epp)",
    .mechanism =
        "Newer CPUs choose their clock by themselves, and epp tells them what matters: 0 is performance, "
        "the highest value is saving power. With a high value they stay slow for a while when a burst of "
        "work comes.",
    .privilege = "root",
    .cost = "power, heat",
    .when_not = "on battery",
    .sources =
        "hwpstate_intel(4): 0 to 100 in 13 and 14, 0 to 255 in later manuals; 0 is performance in both\n"
        "machdep.hwpstate_pkg_ctrl 1 (default): a value counts for the whole package",
    .history = "15: the manual counts epp from 0 to 255, where 13 and 14 count to 100 (hwpstate_intel(4))",
    .guide =
        {
            .now = NOW("intel"),
            .persistent = EVER("intel"),
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl dev.hwpstate_intel.0.epp   # 0",
            .undo = "take the lines out of /etc/sysctl.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){PREFIX "intel.*" SUFFIX, PREFIX "amd.*" SUFFIX, NULL},
    .targets = (const char *const[]){"dev.hwpstate_intel.*.epp", "dev.hwpstate_amd.*.epp", NULL},
    .judge = judge,
};
