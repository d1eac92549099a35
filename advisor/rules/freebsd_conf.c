/* FreeBSD: settings in files that are not in force. */
#include <strings.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"
#include "core/text/text.h"

#define PCM "dev.pcm."

/** A file whose lines are compared with the running values. */
struct conf {
    const char *path;
    const char *prefix; /* of its lines */
    bool of_loader;     /* hints and modules stand in it, too; sysctl.conf is read later and wins */
};

struct scan {
    struct st_finding *finding;
    const struct conf *conf;
    int compared;
    int unread;
    int wrong;
    bool moved;       /* the first wrong one is of a device that is not there */
    const char *name; /* of the first wrong one, in its key */
    const char *wanted;
    const char *found; /* NULL: no such sysctl */
};

/** Is this a sysctl of a sound device that is not there, while another one is? */
static bool is_moved(const struct st_facts *facts, const char *name)
{
    if (!st_text_begins(name, PCM))
        return false;
    const char *unit = name + strlen(PCM);
    const int digits = (int)strspn(unit, "0123456789");
    const struct st_fact *device =
        st_facts_find(facts, ST_TEXT(64, ST_KEYS_FREEBSD PCM "%.*s.%%desc", digits < 10 ? digits : 10, unit));
    if (unit[digits] != '.' || (device != NULL && device->state != ST_FACT_ABSENT))
        return false;
    return st_facts_any(facts, ST_KEYS_FREEBSD PCM, ".%desc", NULL);
}

static bool counts(const struct scan *scan, const char *name, const struct st_fact *found)
{
    return !scan->conf->of_loader ||
           (found != NULL && found->state != ST_FACT_ABSENT &&
            st_facts_find(scan->finding->facts, ST_TEXT(256, ST_KEYS_FREEBSD_SYSCTL_CONF "%.200s", name)) ==
                NULL);
}

/** Has the kernel the value that a file sets? Both facts are ok. "Cmax" is the deepest idle state, which
 * reads as C8. */
static bool is_same(const struct st_fact *wanted, const struct st_fact *found)
{
    if (wanted->is_int && found->is_int)
        return wanted->i64 == found->i64;
    if (strcasecmp(wanted->text, "Cmax") == 0)
        return st_text_is(found->text, "C8") || strcasecmp(found->text, "Cmax") == 0;
    return strcasecmp(wanted->text, found->text) == 0;
}

static void compare(struct scan *scan, const struct st_fact *fact)
{
    const struct st_facts *facts = scan->finding->facts;
    const char *name = fact->key + strlen(scan->conf->prefix);
    const char *key = ST_TEXT(256, ST_KEYS_FREEBSD "%.240s", name);
    const struct st_fact *found = st_facts_find(facts, key);
    if (!counts(scan, name, found))
        return;
    scan->compared++;
    if (fact->state != ST_FACT_OK || st_machine_is_unread(facts, key)) {
        scan->unread++;
        return;
    }
    const bool moved = is_moved(facts, name);
    /* a sysctl that was not looked for proves nothing; an absent one does: 15 has fewer than 13 */
    if (!moved && (found == NULL || (found->state == ST_FACT_OK && is_same(fact, found))))
        return;
    st_finding_quote(scan->finding, fact);
    st_finding_quote_key(scan->finding, key);
    if (scan->wrong++ > 0)
        return;
    scan->moved = moved;
    scan->name = name;
    scan->wanted = fact->text;
    scan->found = found != NULL && found->state == ST_FACT_OK ? found->text : NULL;
}

/** A name that differs by a letter or two in one place; NULL: there is none. */
static const char *nearest(const struct st_facts *facts, const char *name)
{
    const size_t len = strlen(name);
    ST_FACTS_EACH (fact, facts, ST_KEYS_FREEBSD, "") {
        const char *other = fact->key + strlen(ST_KEYS_FREEBSD);
        const size_t other_len = strlen(other), least = ST_MIN(len, other_len);
        size_t same = 0, behind = 0;
        while (same < least && name[same] == other[same])
            same++;
        while (same + behind < least && name[len - 1 - behind] == other[other_len - 1 - behind])
            behind++;
        if (fact->state == ST_FACT_OK && same + behind + 2 >= ST_MAX(len, other_len))
            return other;
    }
    return NULL;
}

static void judge_wrong(const struct scan *scan)
{
    struct st_finding *finding = scan->finding;
    const char *file = strrchr(scan->conf->path, '/') + 1;
    char more[64] = "";
    if (scan->wrong > 1)
        ST_PRINT(more, "; and %d more", scan->wrong - 1);
    st_rule_fix(finding);
    if (scan->moved) {
        st_finding_advice(finding,
                          "%s sets %.50s, but this device does not exist now: it has a new number, or is not "
                          "plugged in%s",
                          file, scan->name, more);
        st_finding_fix(finding, NULL, finding->rule->persistent, finding->rule->needs);
    } else if (scan->found == NULL) {
        const char *near = nearest(finding->facts, scan->name);
        st_finding_advice(finding, "%s sets %.50s, but this kernel has no such setting%s%.60s%s", file,
                          scan->name, near != NULL ? "; the nearest is " : "", near != NULL ? near : "",
                          more);
        st_finding_fix(finding, NULL, NULL, ST_NEEDS_NOTHING);
        st_finding_fix_persistent(
            finding, ST_NEEDS_NOTHING,
            "# remove from %s, unless it is of a module that is loaded later:\n# %.50s=%.50s",
            scan->conf->path, scan->name, scan->wanted);
    } else {
        st_finding_advice(finding, "%s sets %.50s=%.20s, but the kernel uses %.20s%s%s", file, scan->name,
                          scan->wanted, scan->found,
                          scan->conf->of_loader
                              ? ": the machine was not restarted yet, or the value was changed later"
                              : "",
                          more);
    }
    if (st_text_begins(scan->name, "hw.acpi.cpu."))
        st_finding_fix(
            finding, NULL,
            "# /etc/rc.conf overrides this setting with:\n# performance_cx_lowest, economy_cx_lowest",
            ST_NEEDS_NOTHING);
    st_finding_effect(finding, 0, "see the findings about these settings for their effect");
}

static void judge_conf(struct st_finding *finding, ST_UNUSED const char *read)
{
    static const struct conf confs[] = {{"/etc/sysctl.conf", ST_KEYS_FREEBSD_SYSCTL_CONF, false},
                                        {"/boot/loader.conf", ST_KEYS_FREEBSD_LOADER, true}};
    const struct conf *conf = &confs[st_text_is(finding->rule->facts[0], ST_KEY_FREEBSD_FILE_LOADER_CONF)];
    struct scan scan = {.finding = finding, .conf = conf};
    ST_FACTS_EACH (fact, finding->facts, conf->prefix, "")
        compare(&scan, fact);
    if (scan.wrong > 0)
        judge_wrong(&scan);
    else if (scan.unread > 0)
        st_finding_unknown(finding, "%d lines of %s could not be compared with the running values",
                           scan.unread, conf->path);
    else if (scan.compared == 0)
        st_finding_fine(finding, "%s sets nothing that affects sound", conf->path);
    else
        st_finding_fine(finding, "the kernel uses the values of %s", conf->path);
}

/* --- freebsd-sysctl-conf: Lines of sysctl.conf that are not in force. --- */

#define ABSENT " does not exist, or the saved files do not contain it"

const struct st_rule st_rule_freebsd_sysctl_conf = {
    .id = "freebsd-sysctl-conf",
    .title = "Settings that did not take effect (sysctl.conf)",
    .mechanism = "/etc/sysctl.conf is read once, at boot. A line fails almost without a message if its "
                 "driver is loaded later, or if its device is plugged in later or has a new number.",
    .when_not = "the running value differs from the file on purpose, for a test",
    .sources = "sysctl.conf(5), rc.conf(5); sysctl.kld.d is read for modules that rc loads (kld_list), not "
               "for others\n"
               "unit numbers of USB devices: given in the order in which they appear",
    .now = "service sysctl restart",
    .persistent = "# settings of drivers that are loaded later: move them to /boot/loader.conf "
                  "(hw.*),\n# or to /etc/sysctl.kld.d/MODULE.conf if MODULE is in kld_list\n# "
                  "dev.pcm.N: see /dev/sndstat for the number N",
    .check = "service sysctl lastload   # prints no message about an unknown name",
    .undo = "take the lines out of /etc/sysctl.conf; the values stay until the next boot",
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_FILE_SYSCTL_CONF, ST_KEYS_FREEBSD_SYSCTL_CONF "*",
                          ST_KEYS_FREEBSD_DEV "*", "freebsd.hw.*", "freebsd.kern.*"),
    .judge_text = judge_conf,
    .absent = "/etc/sysctl.conf" ABSENT,
};

/* --- freebsd-loader-conf: Lines of loader.conf that are not in force. --- */

const struct st_rule st_rule_freebsd_loader_conf = {
    .id = "freebsd-loader-conf",
    .title = "Settings that wait for a reboot (loader.conf)",
    .mechanism = "/boot/loader.conf is read by the boot loader only. A line that was added after the boot, "
                 "such as kern.hz, takes effect at the next boot.",
    .when_not = "the running value differs from the file on purpose, for a test with sysctl",
    .sources = "loader.conf(5)",
    .persistent = "# loader.conf is read at boot: restart the machine",
    .needs = ST_NEEDS_REBOOT,
    .check = "sysctl kern.hz   # or another setting of that file",
    .undo = "take the line out of /boot/loader.conf and restart",
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_FILE_LOADER_CONF, ST_KEYS_FREEBSD_LOADER "*",
                          ST_KEYS_FREEBSD_SYSCTL_CONF "*", "freebsd.hw.*", "freebsd.kern.*"),
    .judge_text = judge_conf,
    .absent = "/boot/loader.conf" ABSENT,
};
