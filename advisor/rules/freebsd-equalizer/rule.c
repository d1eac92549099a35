/* The equalizer of sound(4): a filter over each block. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define SYSCTL "freebsd.dev.pcm."
#define KENV   "freebsd.kenv.hint.pcm."
#define LOADER "freebsd.loader.hint.pcm."
#define EQ     ".eq"

#define EVER(unit) "# /boot/loader.conf, or no such line\nhint.pcm." unit ".eq=\"0\""

#define UNIT_MAX_DIGITS 3

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    int looked;
    int unread;
    const char *unit; /* of the first one that is on, in its key; NULL: none */
};

static void see(struct scan *scan, const struct st_fact *fact, size_t prefix)
{
    int64_t eq;
    if (fact->state == ST_FACT_ABSENT)
        return;
    scan->looked++;
    st_finding_quote(scan->finding, scan->facts, fact->key);
    if (st_facts_int(scan->facts, fact->key, &eq) != 0)
        scan->unread++;
    else if (eq == 1 && scan->unit == NULL)
        scan->unit = fact->key + prefix;
}

static void see_sysctl(void *ctx, const struct st_fact *fact)
{
    see(ctx, fact, strlen(SYSCTL));
}

static void see_kenv(void *ctx, const struct st_fact *fact)
{
    see(ctx, fact, strlen(KENV));
}

static void see_loader(void *ctx, const struct st_fact *fact)
{
    see(ctx, fact, strlen(LOADER));
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    (void)wish;
    st_facts_each(facts, SYSCTL, EQ, see_sysctl, &scan);
    st_facts_each(facts, KENV, EQ, see_kenv, &scan);
    st_facts_each(facts, LOADER, EQ, see_loader, &scan);
    if (scan.unit != NULL) {
        const size_t digits = strspn(scan.unit, "0123456789");
        const int len = digits > 0 && digits <= UNIT_MAX_DIGITS ? (int)digits : 0;
        char persistent[128];
        st_finding_set(finding, ST_STATUS_ADVICE, "the kernel's equalizer filters each block of pcm%.*s", len,
                       scan.unit);
        snprintf(persistent, sizeof(persistent), EVER("%.*s"), len, scan.unit);
        if (len > 0)
            st_finding_fix(finding, NULL, persistent, ST_NEEDS_REBOOT);
        st_finding_effect(finding, 0, "CPU time of the sound thread, not lateness of this loop");
    } else if (scan.unread > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "whether the equalizer is on could not be read");
    } else if (scan.looked == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound device has the equalizer configured");
    } else {
        st_finding_set(finding, ST_STATUS_OK, "the equalizer is off");
        st_finding_effect(finding, 0, "eq = 0");
    }
}

const struct st_rule st_rule_freebsd_equalizer = {
    .id = "freebsd-equalizer",
    .os = ST_OS_FREEBSD,
    .title = "Equalizer of the kernel (eq)",
    .mechanism = "With eq on, bass and treble of the mixer are made by a filter in the kernel that works on "
                 "each block "
                 "of sound. It is off unless somebody switched it on.",
    .privilege = "root",
    .cost = "convenience: bass and treble controls go away",
    .when_not = "somebody uses them",
    .sources = "sound(4) (hint.pcm.N.eq, later dev.pcm.N.eq); the CPU time was not measured",
    .guide =
        {
            .persistent = EVER("N"),
            .needs = ST_NEEDS_REBOOT,
            .check = "kenv hint.pcm.N.eq; sysctl dev.pcm.N.eq   # 0, or no such thing",
            .undo = "hint.pcm.N.eq=\"1\" in /boot/loader.conf, and a restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){SYSCTL "*" EQ, KENV "*" EQ, LOADER "*" EQ, NULL},
    .judge = judge,
};
