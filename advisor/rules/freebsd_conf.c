/* FreeBSD: settings in files that are not in force. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

/* --- freebsd-sysctl-conf: Lines of sysctl.conf that are not in force. --- */

#define FILE_KEY "freebsd.file.sysctl_conf"
#define PREFIX   "freebsd.sysctl_conf."
#define PCM      "dev.pcm."

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    int lines;
    int unread;
    int wrong;
    bool moved;       /* the first wrong one is of a device that is not there */
    const char *name; /* of the first wrong one, in its key */
    const char *wanted;
    const char *found; /* NULL: no such sysctl */
};

/** Is this a sysctl of a sound device that is not there? */
static bool is_moved(const struct st_facts *facts, const char *name)
{
    char key[ST_FREEBSD_KEY_BYTES], *end;
    if (strncmp(name, PCM, strlen(PCM)) != 0)
        return false;
    const long unit = strtol(name + strlen(PCM), &end, 10);
    const struct st_fact *device = st_facts_find(facts, st_freebsd_pcm_key(unit, "%desc", key, sizeof(key)));
    return *end == '.' && st_freebsd_pcm_count(facts) > 0 &&
           (device == NULL || device->state == ST_FACT_ABSENT);
}

static void compare_sysctl_line(struct scan *scan, const struct st_fact *fact)
{
    char key[256];
    const char *name = fact->key + strlen(PREFIX);
    scan->lines++;
    snprintf(key, sizeof(key), "freebsd.%.240s", name);
    if (fact->state != ST_FACT_OK || st_machine_is_unread(scan->facts, key)) {
        scan->unread++;
        return;
    }
    const struct st_fact *found = st_facts_find(scan->facts, key);
    const bool moved = is_moved(scan->facts, name);
    /* a sysctl that was not looked for proves nothing; an absent one does: 15 has fewer than 13 */
    const bool wrong =
        moved || (found != NULL && (found->state == ST_FACT_ABSENT ||
                                    (found->state == ST_FACT_OK && !st_freebsd_same_value(fact, found))));
    if (!wrong)
        return;
    st_finding_quote(scan->finding, fact->key);
    st_finding_quote(scan->finding, key);
    if (scan->wrong++ > 0)
        return;
    scan->moved = moved;
    scan->name = name;
    scan->wanted = fact->text;
    scan->found = found != NULL && found->state == ST_FACT_OK ? found->text : NULL;
}

static void judge_wrong(const struct scan *scan, struct st_finding *finding)
{
    char more[64] = "";
    if (scan->wrong > 1)
        snprintf(more, sizeof(more), "; and %d more", scan->wrong - 1);
    if (scan->moved)
        st_finding_advice(finding,
                          "sysctl.conf sets %.50s, but this device does not exist now: it has a new number, "
                          "or is not plugged in%s",
                          scan->name, more);
    else if (scan->found == NULL)
        st_finding_advice(finding, "sysctl.conf sets %.50s, but this kernel has no such setting%s",
                          scan->name, more);
    else
        st_finding_advice(finding, "sysctl.conf sets %.50s=%.20s, but the kernel uses %.20s%s", scan->name,
                          scan->wanted, scan->found, more);
    if (strncmp(scan->name, "hw.acpi.cpu.", 12) == 0)
        st_finding_fix(finding, NULL,
                       "# /etc/rc.conf overrides it:\n# performance_cx_lowest, economy_cx_lowest",
                       ST_NEEDS_NOTHING);
    else
        st_finding_fix(finding, scan->moved ? NULL : finding->rule->guide.now,
                       finding->rule->guide.persistent, finding->rule->guide.needs);
    st_finding_effect(finding, 0, "see the findings about these settings for their effect");
}

static void judge_sysctl_conf(struct st_finding *finding)
{
    struct scan scan = {.facts = finding->facts, .finding = finding};
    const char *read;
    const int r = st_finding_need_text(finding, FILE_KEY, &read);
    if (r == -ENOENT) {
        st_finding_not_applicable(finding,
                                  "there is no /etc/sysctl.conf, or the saved copy of this system lacks it");
        return;
    }
    if (r != 0)
        return;
    for (const struct st_fact *fact = NULL; (fact = st_facts_next(finding->facts, PREFIX, "", fact)) != NULL;)
        compare_sysctl_line(&scan, fact);
    if (scan.wrong > 0) {
        judge_wrong(&scan, finding);
    } else if (scan.unread > 0) {
        st_finding_unknown(finding,
                           "%d lines of /etc/sysctl.conf could not be compared with the running values",
                           scan.unread);
    } else {
        st_finding_fine(finding, scan.lines == 0 ? "/etc/sysctl.conf sets nothing that matters here"
                                                 : "the kernel uses the values of /etc/sysctl.conf");
    }
}

const struct st_rule st_rule_freebsd_sysctl_conf = {
    .id = "freebsd-sysctl-conf",
    .title = "Settings that did not take effect (sysctl.conf)",
    .mechanism = "/etc/sysctl.conf is read once, at boot. A line fails almost without a message if its "
                 "driver is loaded later, or if its device is plugged in later or has a new number.",
    .cost = "none",
    .when_not = "the value in the kernel is different on purpose, for a test",
    .sources = "sysctl.conf(5), rc.conf(5); sysctl.kld.d is read for modules that rc loads (kld_list), not "
               "for others\n"
               "unit numbers of USB devices: given in the order in which they appear",
    .guide.now = "service sysctl restart",
    .guide.persistent = "# drivers that are loaded later: in /boot/loader.conf (hw.*),\n"
                        "# or for modules of kld_list in /etc/sysctl.kld.d/MODULE.conf\n"
                        "# dev.pcm.N: look up N in /dev/sndstat",
    .guide.check = "service sysctl restart   # no message about an unknown name",
    .guide.undo = "take the lines out of /etc/sysctl.conf; the values stay until the next boot",
    .worst = ST_STATUS_ADVICE,
    .facts = ST_RULE_KEYS(FILE_KEY, PREFIX "*", "freebsd.dev.*", "freebsd.hw.*", "freebsd.kern.*"),
    .judge = judge_sysctl_conf,
};

/* --- freebsd-loader-conf: Lines of loader.conf that are not in force. --- */

#define LOADER_CONF_FILE_KEY "freebsd.file.loader_conf"
#define LOADER_CONF_PREFIX   "freebsd.loader."
#define SYSCTL               "freebsd.sysctl_conf."

struct loader_conf_scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    int compared;
    int unread;
    int wrong;
    const char *name; /* of the first wrong one, in its key */
    const char *wanted;
    const char *found;
};

static void compare_loader_line(struct loader_conf_scan *scan, const struct st_fact *fact)
{
    char key[256];
    const char *name = fact->key + strlen(LOADER_CONF_PREFIX);
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
    st_finding_quote(scan->finding, fact->key);
    st_finding_quote(scan->finding, key);
    if (scan->wrong++ > 0)
        return;
    scan->name = name;
    scan->wanted = fact->text;
    scan->found = found->text;
}

static void judge_wrong_loader_conf(const struct loader_conf_scan *scan, struct st_finding *finding)
{
    char more[64] = "";
    if (scan->wrong > 1)
        snprintf(more, sizeof(more), "; and %d more", scan->wrong - 1);
    st_finding_advice(finding,
                      "loader.conf sets %.50s=%.20s, but the kernel uses %.20s: the machine was not "
                      "restarted yet, or the value was changed later%s",
                      scan->name, scan->wanted, scan->found, more);
    st_rule_fix(finding);
    st_finding_effect(finding, 0, "see the findings about these settings for their effect");
}

static void judge_loader_conf(struct st_finding *finding)
{
    struct loader_conf_scan scan = {.facts = finding->facts, .finding = finding};
    const char *read;
    const int r = st_finding_need_text(finding, LOADER_CONF_FILE_KEY, &read);
    if (r == -ENOENT)
        st_finding_not_applicable(finding,
                                  "there is no /boot/loader.conf, or the saved copy of this system lacks it");
    if (r != 0)
        return;
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(finding->facts, LOADER_CONF_PREFIX, "", fact)) != NULL;)
        compare_loader_line(&scan, fact);
    if (scan.wrong > 0) {
        judge_wrong_loader_conf(&scan, finding);
    } else if (scan.unread > 0) {
        st_finding_unknown(finding, "%d lines of loader.conf could not be compared with the running values",
                           scan.unread);
    } else {
        st_finding_fine(finding, scan.compared == 0 ? "loader.conf sets nothing that matters here"
                                                    : "the kernel uses the values of loader.conf");
    }
}

const struct st_rule st_rule_freebsd_loader_conf = {
    .id = "freebsd-loader-conf",
    .title = "Settings that wait for a reboot (loader.conf)",
    .mechanism = "/boot/loader.conf is read by the boot loader only. A line that was added after the boot, "
                 "such as kern.hz, takes effect at the next boot.",
    .cost = "none",
    .when_not = "the value in the kernel is different on purpose, for a test with sysctl",
    .sources = "loader.conf(5)",
    .guide.persistent = "# loader.conf is read at boot: restart the machine",
    .guide.needs = ST_NEEDS_REBOOT,
    .guide.check = "sysctl kern.hz   # or what you have set there",
    .guide.undo = "take the line out of /boot/loader.conf and restart",
    .worst = ST_STATUS_ADVICE,
    .facts = ST_RULE_KEYS(LOADER_CONF_FILE_KEY, LOADER_CONF_PREFIX "*", SYSCTL "*", "freebsd.hw.*",
                          "freebsd.kern.*"),
    .judge = judge_loader_conf,
};
