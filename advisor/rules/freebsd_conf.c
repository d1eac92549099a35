/* FreeBSD: settings in files that did not take effect. */
#include <strings.h>

#include "advisor/rules/rule.h"

/** A file whose lines are compared with the running values. */
struct conf {
    const char *path;
    const char *prefix; /* beginning of the keys of the facts about its lines */
    bool of_loader; /* the file is loader.conf. Its lines without a running value (hints, modules)
                       are not compared, nor those that sysctl.conf, read later, sets again */
};

enum compared { COMPARED_NOT, COMPARED_SAME, COMPARED_UNREAD, COMPARED_WRONG };

static const char *name_of(const struct conf *conf, const struct st_fact *line)
{
    return line->key + strlen(conf->prefix);
}

/** The fact with the running value of this line's setting. NULL: no collector looked for it. */
static const struct st_fact *running(const struct conf *conf, const struct st_fact *line)
{
    return st_facts_find(line->facts, st_text(ST_KEYS_FREEBSD "%.240s", name_of(conf, line)));
}

/** Does the kernel use the value that the file sets? Both facts are ok. "Cmax" is the deepest idle
 * state, which reads as C8. */
static bool is_same(const struct st_fact *wanted, const struct st_fact *found)
{
    if (wanted->is_int && found->is_int)
        return wanted->i64 == found->i64;
    if (strcasecmp(wanted->text, "Cmax") == 0)
        return st_text_is(found->text, "C8") || strcasecmp(found->text, "Cmax") == 0;
    return strcasecmp(wanted->text, found->text) == 0;
}

static enum compared compare(const struct conf *conf, const struct st_fact *line)
{
    const struct st_fact *found = running(conf, line);
    const char *name = name_of(conf, line);
    const bool absent = found == NULL || found->state == ST_FACT_ABSENT;
    if (conf->of_loader &&
        (absent || st_facts_has(line->facts, st_text(ST_KEYS_FREEBSD_SYSCTL_CONF "%.200s", name))))
        return COMPARED_NOT;
    if (line->state != ST_FACT_OK || st_fact_is_unread(found))
        return COMPARED_UNREAD;
    /* a sysctl that no collector looked for proves nothing; one that this kernel lacks proves that
     * the line has no effect: FreeBSD 15 has fewer sysctls than 13 */
    return found != NULL && (absent || !is_same(line, found)) ? COMPARED_WRONG : COMPARED_SAME;
}

/** Gives advice about lines that did not take effect. @param line the first of n such lines. */
static void judge_wrong(struct st_finding *finding, const struct conf *conf,
                        const struct st_fact *line, int n)
{
    const struct st_fact *found = running(conf, line);
    const char *file = strrchr(conf->path, '/') + 1, *name = name_of(conf, line);
    const char *more = n > 1 ? st_text("; and %d more", n - 1) : "";
    if (found->state != ST_FACT_OK) {
        st_finding_advice(
            finding, "%s sets %.50s, which this kernel does not have, so the line has no effect%s",
            file, name, more);
        st_finding_fix_persistent(
            finding, ST_NEEDS_NOTHING,
            "# remove this line from %s, unless a module that is loaded later reads it\n"
            "# or the device has another number now (/dev/sndstat):\n"
            "# %.50s=%.50s",
            conf->path, name, line->text);
    } else {
        st_rule_advise(
            finding, "%s sets %.50s=%.20s, but the kernel uses the value %.20s%s%s", file, name,
            line->text, found->text,
            conf->of_loader
                ? ". Restart the computer, unless someone changed the value later on purpose"
                : "",
            more);
    }
    st_finding_effect(finding, 0,
                      "how much each of these settings matters: see its own rule in this report");
}

static void judge_conf(struct st_finding *finding, ST_UNUSED const char *read)
{
    static const struct conf confs[] = {{"/etc/sysctl.conf", ST_KEYS_FREEBSD_SYSCTL_CONF, false},
                                        {"/boot/loader.conf", ST_KEYS_FREEBSD_LOADER, true}};
    const struct conf *conf =
        &confs[st_text_is(finding->rule->facts[0], ST_KEY_FREEBSD_FILE_LOADER_CONF)];
    const struct st_fact *wrong = NULL;
    int n[COMPARED_WRONG + 1] = {0};
    ST_FACTS_EACH (line, finding->facts, conf->prefix, "") {
        const enum compared compared = compare(conf, line);
        n[compared]++;
        if (compared != COMPARED_WRONG)
            continue;
        wrong = st_fact_or(wrong, line);
        st_finding_quote(finding, line);
        st_finding_quote(finding, running(conf, line));
    }
    if (wrong != NULL)
        judge_wrong(finding, conf, wrong, n[COMPARED_WRONG]);
    else if (n[COMPARED_UNREAD] > 0)
        st_finding_unknown(finding,
                           "whether %d lines of %s are in effect is unknown: the values that the "
                           "kernel uses could not be read",
                           n[COMPARED_UNREAD], conf->path);
    else if (n[COMPARED_SAME] == 0)
        st_finding_fine(finding, "%s sets nothing that affects sound", conf->path);
    else
        st_finding_fine(finding, "the kernel uses the values that %s sets for sound", conf->path);
}

/* --- freebsd-sysctl-conf: lines of sysctl.conf that did not take effect --- */

#define ABSENT " does not exist or was not saved"

const struct st_rule st_rule_freebsd_sysctl_conf = {
    .id = "freebsd-sysctl-conf",
    .title = "Settings in sysctl.conf that did not take effect",
    .mechanism =
        "/etc/sysctl.conf is read once, at boot. A line fails almost without a message if its "
        "driver is loaded later, or if its device is plugged in later or has a new number.",
    .when_not = "you changed the running value on purpose, for a test",
    .sources = "manuals: sysctl.conf(5), rc.conf(5); the files in sysctl.kld.d are read for "
               "modules that rc loads (kld_list), not for others\n"
               "the numbers of USB devices depend on the order in which they appear",
    .now = "service sysctl restart",
    .persistent =
        "# settings of drivers that are loaded later: move them to /boot/loader.conf "
        "(hw.*),\n# or to /etc/sysctl.kld.d/MODULE.conf if MODULE is in kld_list\n# "
        "dev.pcm.N: see /dev/sndstat for the number N\n# hw.acpi.cpu.cx_lowest: with an AC "
        "adapter /etc/rc.conf may override it; set performance_cx_lowest there",
    .check = "service sysctl lastload   # prints no message about an unknown name",
    .undo = "take the lines out of /etc/sysctl.conf; the values stay until the next boot",
    .facts = ST_RULE_KEYS(ST_KEY_FREEBSD_FILE_SYSCTL_CONF, ST_KEYS_FREEBSD_SYSCTL_CONF "*",
                          ST_KEYS_FREEBSD_DEV "*", "freebsd.hw.*", "freebsd.kern.*"),
    .judge_text = judge_conf,
    .absent = "/etc/sysctl.conf" ABSENT,
};

/* --- freebsd-loader-conf: lines of loader.conf that did not take effect --- */

const struct st_rule st_rule_freebsd_loader_conf = {
    .id = "freebsd-loader-conf",
    .title = "Settings in loader.conf that wait for a restart",
    .mechanism = "/boot/loader.conf is read by the boot loader only. A line that was added after "
                 "the boot, such as kern.hz, takes effect at the next boot.",
    .when_not = "you changed the running value with sysctl on purpose, for a test",
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
