/* Sound cards that are looked at in ticks instead of telling by interrupt. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define HDAC    "freebsd.dev.hdac."
#define PCM     "freebsd.dev.pcm."
#define POLLING ".polling"
#define HZ      "freebsd.kern.hz"

#define HZ_MAX 1000000

#define NOW(name)  "sysctl " name "=0"
#define EVER(name) "# /etc/sysctl.conf, unless a line with 1 can go (0 is the default)\n" name "=0"

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    int devices;
    int unread;
    const char *polled; /* key of the first one; NULL: none */
};

static void see(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    int64_t polling;
    if (fact->state == ST_FACT_ABSENT)
        return;
    scan->devices++;
    st_finding_quote(scan->finding, scan->facts, fact->key);
    if (st_facts_int(scan->facts, fact->key, &polling) != 0)
        scan->unread++;
    else if (polling != 0 && scan->polled == NULL)
        scan->polled = fact->key;
}

static void judge_polled(const struct scan *scan, const struct st_wish *wish)
{
    /* it becomes part of a command that people paste, and a capture may come from anybody */
    static const char plain[] = "0123456789.abcdefghijklmnopqrstuvwxyz";
    const double period_us = st_period_seconds(&wish->period) * 1e6;
    const int64_t hz = st_machine_int_or(scan->facts, HZ, 0);
    const char *name = scan->polled + strlen("freebsd.");
    struct st_finding *finding = scan->finding;
    const bool misses = hz >= 1 && hz <= HZ_MAX && 1e6 / (double)hz >= period_us;
    st_finding_set(finding, misses ? ST_STATUS_PROBLEM : ST_STATUS_ADVICE,
                   "%.40s is on: the card is looked at in ticks instead of by interrupt", name);
    st_finding_quote(finding, scan->facts, HZ);
    if (hz >= 1 && hz <= HZ_MAX) {
        const double tick_us = 1e6 / (double)hz, wait_us = tick_us > period_us / 2 ? tick_us : period_us / 2;
        st_finding_effect(
            finding, wait_us,
            "looked at each half block, but not more often than each tick of %.0f µs (hz %" PRId64
            "): %.1f µs",
            tick_us, hz, wait_us);
    }
    if (strspn(name, plain) == strlen(name)) {
        char now[96], persistent[192];
        snprintf(now, sizeof(now), NOW("%.60s"), name);
        snprintf(persistent, sizeof(persistent), EVER("%.60s"), name);
        st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
        /* pcm units move when a USB device comes or goes, and a file would name another card then */
        if (strncmp(scan->polled, HDAC, strlen(HDAC)) == 0)
            st_finding_change(finding, ST_CHANGE_SYSCTL, name, "0");
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    st_facts_each(facts, HDAC, POLLING, see, &scan);
    st_facts_each(facts, PCM, POLLING, see, &scan);
    if (scan.polled != NULL) {
        judge_polled(&scan, wish);
    } else if (scan.unread > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "whether %d of %d sound cards are polled could not be read", scan.unread,
                       scan.devices);
    } else if (scan.devices == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound driver here has a polling mode");
    } else {
        st_finding_set(finding, ST_STATUS_OK, "sound cards tell by interrupt when a block is done");
        st_finding_effect(finding, 0, "polling = 0");
    }
}

const struct st_rule st_rule_freebsd_sound_polling = {
    .id = "freebsd-sound-polling",
    .os = ST_OS_FREEBSD,
    .title = "Sound cards polled in ticks (dev.hdac.N.polling)",
    .mechanism = "In polling mode the driver does not wait for the card's interrupt at the end of a block, "
                 "it looks at "
                 "the card at clock ticks. Programs hear of a finished block up to that much later.",
    .privilege = "root",
    .cost = "none",
    .when_not = "cards whose interrupts are broken (\"play interrupt timeout, channel dead\")",
    .sources = "snd_hda(4), sound(4) (dev.pcm.N.polling of older drivers)\n"
               "FreeBSD sys/dev/sound/pci/hda/hdac.c hdac_poll_reinit(): half a block, at least one tick",
    .guide =
        {
            .now = NOW("dev.hdac.N.polling"),
            .persistent = EVER("dev.hdac.N.polling"),
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl dev.hdac.0.polling   # 0",
            .undo = "sysctl dev.hdac.N.polling=1",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){HDAC "*" POLLING, PCM "*" POLLING, HZ, NULL},
    .targets = (const char *const[]){"dev.hdac.*.polling", NULL},
    .judge = judge,
};
