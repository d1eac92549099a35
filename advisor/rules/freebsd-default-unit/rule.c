/* hw.snd.default_unit and default_auto: which card /dev/dsp is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define AUTO "freebsd.hw.snd.default_auto"
#define PCM  "freebsd.dev.pcm."

#define NOW(unit) "sysctl hw.snd.default_unit=" unit
#define EVER                                                                                                 \
    "# /etc/sysctl.conf: instead of hw.snd.default_unit, so that the best device there is gets it\n"         \
    "hw.snd.default_auto=1"

#define AUTO_NEWEST 2
#define UNIT_MAX    255

static void see_first(void *ctx, const struct st_fact *fact)
{
    int64_t *unit = ctx;
    const long n = strtol(fact->key + strlen(PCM), NULL, 10);
    if (fact->state == ST_FACT_OK && n >= 0 && n <= UNIT_MAX && (*unit < 0 || n < *unit))
        *unit = n;
}

static void judge_gone(const struct st_facts *facts, int64_t unit, struct st_finding *finding)
{
    int64_t other = -1;
    char now[64], key[ST_FREEBSD_KEY_BYTES];
    st_facts_each(facts, PCM, ".%desc", see_first, &other);
    if (unit < 0)
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "/dev/dsp leads nowhere (default_unit %" PRId64 "), although pcm%" PRId64 " is there",
                       unit, other);
    else
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "/dev/dsp is pcm%" PRId64 ", which is not there (any more); pcm%" PRId64 " is", unit,
                       other);
    st_finding_quote(finding, facts, st_freebsd_pcm_key(other, "%desc", key, sizeof(key)));
    snprintf(now, sizeof(now), NOW("%d"), (int)other);
    st_finding_fix(finding, now, EVER, ST_NEEDS_REOPEN);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    char key[ST_FREEBSD_KEY_BYTES];
    int64_t unit;
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_FREEBSD_DEFAULT_UNIT, &unit) != 0)
        return;
    const int devices = st_freebsd_pcm_count(facts);
    const struct st_fact *device = st_facts_find(facts, st_freebsd_pcm_key(unit, "%desc", key, sizeof(key)));
    st_finding_quote(finding, facts, key);
    st_finding_quote(finding, facts, AUTO);
    if (device != NULL && (device->state == ST_FACT_UNREADABLE || device->state == ST_FACT_MALFORMED)) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "whether there is a pcm%" PRId64 " could not be read",
                       unit);
    } else if (devices == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound device is attached");
    } else if (unit < 0 || device == NULL || device->state == ST_FACT_ABSENT) {
        judge_gone(facts, unit, finding);
    } else if (st_machine_int_or(facts, AUTO, 1) >= AUTO_NEWEST) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "/dev/dsp is pcm%" PRId64
                       " (%.30s) until another device is plugged in: it moves to the newest",
                       unit, device->text);
        st_finding_fix(finding, "sysctl hw.snd.default_auto=1", "# /etc/sysctl.conf\nhw.snd.default_auto=1",
                       ST_NEEDS_NOTHING);
        st_finding_effect(finding, 0, "which device is played to, not when");
    } else {
        st_finding_set(finding, ST_STATUS_OK, "/dev/dsp is pcm%" PRId64 " (%.40s), of %d", unit, device->text,
                       devices);
        st_finding_effect(finding, 0, "which device is played to, not when");
    }
}

const struct st_rule st_rule_freebsd_default_unit = {
    .id = "freebsd-default-unit",
    .os = ST_OS_FREEBSD,
    .title = "Default sound device (hw.snd.default_unit)",
    .mechanism =
        "Programs that open /dev/dsp get the unit of hw.snd.default_unit. Numbers are given in the order in "
        "which devices appear, so a USB interface may have another one after it was plugged in again.",
    .privilege = "root",
    .cost = "none",
    .when_not = "programs name their device (/dev/dsp1): they are not touched",
    .sources = "sound(4) (default_unit, default_auto)\n"
               "FreeBSD sys/dev/sound/pcm/sound.c pcm_setstatus(): 0 by hand, 1 the best, 2 the newest",
    .guide =
        {
            .now = NOW("N"),
            .persistent = EVER,
            .needs = ST_NEEDS_REOPEN,
            .check = "cat /dev/sndstat   # your interface says \"default\"",
            .undo = "take the line out of /etc/sysctl.conf",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_FREEBSD_DEFAULT_UNIT, AUTO, PCM "*.%desc", NULL},
    .judge = judge,
};
