/* The PCI latency timer of sound cards: a thing of conventional PCI. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define PREFIX ".latency_timer"

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    size_t cards_n, unread_n, old_n;
    int64_t timer;
};

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char key[160];
    int64_t timer, express;
    if (fact->state == ST_FACT_ABSENT)
        return;
    st_finding_quote(scan->finding, scan->facts, fact->key);
    if (st_facts_int(scan->facts, fact->key, &timer) != 0) {
        scan->unread_n++;
        return;
    }
    scan->cards_n++;
    snprintf(key, sizeof(key), "%.*s.express", (int)(strlen(fact->key) - (sizeof(PREFIX) - 1)), fact->key);
    if (st_facts_int(scan->facts, key, &express) == 0 && express != 0)
        return;
    scan->old_n++;
    scan->timer = timer;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts, .finding = finding};
    (void)wish;
    st_facts_each(facts, "linux.pci_sound.", PREFIX, look, &scan);
    if (scan.cards_n == 0) {
        st_finding_set(finding, scan.unread_n > 0 ? ST_STATUS_UNKNOWN : ST_STATUS_NOT_APPLICABLE,
                       scan.unread_n > 0 ? "the configuration of the sound card could not be read"
                                         : "this machine has no PCI sound card");
        return;
    }
    if (scan.old_n == 0)
        st_finding_set(finding, ST_STATUS_OK,
                       "the sound card is on PCI Express, where the latency timer means nothing");
    else
        st_finding_set(finding, ST_STATUS_OK,
                       "the latency timer is %" PRId64
                       "; devices inside the chip set have no bus to wait for",
                       scan.timer);
    st_finding_effect(finding, 0, "no wait of a thread depends on it");
}

const struct st_rule st_rule_linux_pci_latency_timer = {
    .id = "linux-pci-latency-timer",
    .os = ST_OS_LINUX,
    .title = "PCI latency timer",
    .mechanism = "The timer said how long a card may keep a conventional PCI bus. PCI Express has no such "
                 "bus and ignores "
                 "it; 'setpci latency_timer=b0' in old guides does nothing there.",
    .privilege = "root",
    .cost = "none",
    .when_not = "only real cards in conventional PCI slots, of before about 2010, can gain from it",
    .sources =
        "PCI Express Base Specification: the register is hard-wired to 0 (not verified); old audio guides",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){"linux.pci_sound.*.latency_timer", "linux.pci_sound.*.express", NULL},
    .judge = judge,
};
