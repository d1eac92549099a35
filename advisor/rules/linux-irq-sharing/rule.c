/* Does the sound card have its interrupt line for itself? */
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define READABLE "linux.irq.readable"
#define USB      "linux.usb_audio.*.control"

#define NAMES_BYTES 256

struct search {
    const struct st_facts *facts;
    bool has_usb;
    const struct st_fact *sound;  /* a line of a sound device */
    const struct st_fact *shared; /* one with other names on it */
};

static void note_usb(void *ctx, const struct st_fact *fact)
{
    struct search *search = ctx;
    search->has_usb = search->has_usb || fact->state == ST_FACT_OK;
}

static bool is_sound(const struct search *search, const char *name)
{
    static const char *const cards[] = {"snd", "hda", "AudioDSP", "sof-", "ACP_", "firewire"};
    static const char *const buses[] = {"xhci", "ehci", "ohci", "uhci", "dwc"};
    for (size_t i = 0; i < ST_ARRAY_LEN(cards); i++) {
        if (strstr(name, cards[i]) != NULL)
            return true;
    }
    for (size_t i = 0; search->has_usb && i < ST_ARRAY_LEN(buses); i++) {
        if (strstr(name, buses[i]) != NULL)
            return true;
    }
    return false;
}

static void look(void *ctx, const struct st_fact *fact)
{
    struct search *search = ctx;
    char names[NAMES_BYTES], *rest = NULL;
    const char *actions;
    bool sound = false, other = false;
    if (st_facts_text(search->facts, fact->key, &actions) != 0)
        return;
    snprintf(names, sizeof(names), "%s", actions);
    for (const char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
        *(is_sound(search, name) ? &sound : &other) = true;
    if (!sound)
        return;
    if (search->sound == NULL)
        search->sound = fact;
    if (other && search->shared == NULL)
        search->shared = fact;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct search search = {.facts = facts};
    int64_t readable;
    (void)wish;
    if (st_finding_need_int(finding, facts, READABLE, &readable) != 0)
        return;
    st_facts_each(facts, "linux.usb_audio.", ".control", note_usb, &search);
    st_facts_each(facts, "linux.irq.", ".actions", look, &search);
    if (search.shared != NULL) {
        st_finding_quote(finding, facts, search.shared->key);
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "the sound device shares its interrupt line (%.60s): the handlers run one after the other",
            search.shared->text);
        st_finding_fix_usual(finding);
    } else if (search.sound != NULL) {
        st_finding_quote(finding, facts, search.sound->key);
        st_finding_set(finding, ST_STATUS_OK, "the sound device has its interrupt line for itself");
        st_finding_effect(finding, 0, "nothing else is on the line");
    } else {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no interrupt line belongs to a sound device here");
    }
}

const struct st_rule st_rule_linux_irq_sharing = {
    .id = "linux-irq-sharing",
    .os = ST_OS_LINUX,
    .title = "Interrupt line of the sound device",
    .mechanism =
        "When several devices share a line, each of their handlers is called for each interrupt. The sound "
        "card's waits for the others, for as long as they take.",
    .privilege = "none",
    .cost = "none",
    .when_not = "the other devices on the line are idle: they do no harm. Message-signalled interrupts (MSI) "
                "are never shared.",
    .sources = "/proc/interrupts: Linux kernel/irq/proc.c show_interrupts()",
    .guide =
        {
            .persistent =
                "# a card: another slot; USB: another port, best of another controller ('lsusb -t'); "
                "devices not\n"
                "# needed: off in the firmware's setup",
            .needs = ST_NEEDS_REBOOT,
            .check = "grep -E 'snd|xhci' /proc/interrupts   # no other device on the line",
            .undo = "put it back",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){READABLE, "linux.irq.*.actions", USB, NULL},
    .judge = judge,
};
