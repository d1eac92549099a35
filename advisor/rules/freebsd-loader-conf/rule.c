/* Lines of loader.conf that are not in force. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/rule.h"

#define FILE_KEY "freebsd.file.loader_conf"
#define PREFIX   "freebsd.loader."
#define SYSCTL   "freebsd.sysctl_conf."

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    int compared;
    int unread;
    int wrong;
    const char *name; /* of the first wrong one, in its key */
    const char *wanted;
    const char *found;
};

static void see(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char key[256];
    const char *name = fact->key + strlen(PREFIX);
    snprintf(key, sizeof(key), SYSCTL "%.200s", name);
    if (st_facts_find(scan->facts, key) != NULL) /* that one is set later, and wins */
        return;
    snprintf(key, sizeof(key), "freebsd.%.200s", name);
    const struct st_fact *found = st_facts_find(scan->facts, key);
    /* hints and modules are no sysctls */
    if (found == NULL || found->state == ST_FACT_ABSENT)
        return;
    if (fact->state != ST_FACT_OK || found->state != ST_FACT_OK) {
        scan->unread++;
        return;
    }
    scan->compared++;
    if (st_freebsd_same_value(fact, found))
        return;
    st_finding_quote(scan->finding, scan->facts, fact->key);
    st_finding_quote(scan->finding, scan->facts, key);
    if (scan->wrong++ > 0)
        return;
    scan->name = name;
    scan->wanted = fact->text;
    scan->found = found->text;
}

static void judge_wrong(const struct scan *scan, struct st_finding *finding)
{
    char more[64] = "";
    if (scan->wrong > 1)
        snprintf(more, sizeof(more), "; and %d more", scan->wrong - 1);
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "loader.conf says %.50s=%.20s, but it is %.20s: no reboot since, or changed later%s",
                   scan->name, scan->wanted, scan->found, more);
    st_finding_fix_usual(finding);
    st_finding_effect(finding, 0, "what the settings cost is counted in their own rules");
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    const char *read;
    (void)wish;
    const int r = st_finding_need_text(finding, facts, FILE_KEY, &read);
    if (r == -ENOENT)
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "there is no /boot/loader.conf, or it is not in this capture");
    if (r != 0)
        return;
    st_facts_each(facts, PREFIX, "", see, &scan);
    if (scan.wrong > 0) {
        judge_wrong(&scan, finding);
    } else if (scan.unread > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "%d lines of loader.conf could not be compared with what is in force", scan.unread);
    } else {
        st_finding_set(finding, ST_STATUS_OK,
                       scan.compared == 0 ? "loader.conf sets nothing that matters here"
                                          : "what loader.conf sets here is in force");
        st_finding_effect(finding, 0, "%d lines of loader.conf compared", scan.compared);
    }
}

const struct st_rule st_rule_freebsd_loader_conf = {
    .id = "freebsd-loader-conf",
    .os = ST_OS_FREEBSD,
    .title = "Settings that wait for a reboot (loader.conf)",
    .mechanism =
        "/boot/loader.conf is read by the boot loader only. A line that was added since, such as kern.hz, is "
        "not in force before the next boot.",
    .privilege = "root",
    .cost = "none",
    .when_not = "the difference is wanted, as somebody tries something with sysctl",
    .sources = "loader.conf(5)",
    .guide =
        {
            .persistent = "# loader.conf is read at boot: restart the machine",
            .needs = ST_NEEDS_REBOOT,
            .check = "sysctl kern.hz   # or what you have set there",
            .undo = "take the line out of /boot/loader.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FILE_KEY, PREFIX "*", SYSCTL "*", "freebsd.hw.*", "freebsd.kern.*", NULL},
    .judge = judge,
};
