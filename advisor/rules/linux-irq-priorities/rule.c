/* The thread of the sound card's interrupt beside the sound server. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/rule.h"
#include "advisor/rules/threads.h"

#define IRQ_NAME     "linux.irq_thread.*.name"
#define IRQ_PRIORITY "linux.irq_thread.*.priority"
#define USB_CLASS    "linux.usb_audio.*.control"

struct search {
    const struct st_facts *facts;
    bool has_usb;
    size_t threads_n;
    const struct st_fact *name; /* of the sound thread with the lowest priority */
    const struct st_fact *priority_fact;
    int64_t priority;
};

static void note_usb(void *ctx, const struct st_fact *fact)
{
    struct search *search = ctx;
    search->has_usb = search->has_usb || fact->state == ST_FACT_OK;
}

/** "irq/130-snd_hda_", "irq/131-xhci_hc": 15 bytes of the name are kept. */
static bool is_sound(const struct search *search, const char *name)
{
    static const char *const usb[] = {"xhci", "ehci", "ohci", "uhci", "dwc"};
    if (strstr(name, "snd") != NULL || strstr(name, "Audio") != NULL || strstr(name, "hda") != NULL)
        return true;
    for (size_t i = 0; search->has_usb && i < ST_ARRAY_LEN(usb); i++) {
        if (strstr(name, usb[i]) != NULL)
            return true;
    }
    return false;
}

static void look(void *ctx, const struct st_fact *fact)
{
    static const char suffix[] = ".name";
    struct search *search = ctx;
    char key[128];
    const char *name;
    int64_t priority;
    const size_t len = strlen(fact->key) - (sizeof(suffix) - 1);
    if (len > 100 || st_facts_text(search->facts, fact->key, &name) != 0)
        return;
    search->threads_n++;
    snprintf(key, sizeof(key), "%.*s.priority", (int)len, fact->key);
    if (!is_sound(search, name) || st_facts_int(search->facts, key, &priority) != 0 ||
        (search->name != NULL && priority >= search->priority))
        return;
    search->name = fact;
    search->priority = priority;
    search->priority_fact = st_facts_find(search->facts, key);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t processes;
    struct search search = {.facts = facts};
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_THREADS_N, &processes) != 0)
        return;
    st_facts_each(facts, "linux.usb_audio.", ".control", note_usb, &search);
    st_facts_each(facts, "linux.irq_thread.", ".name", look, &search);
    const struct st_top_thread server = st_threads_top(facts, st_threads_is_server);
    if (search.name == NULL) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "%s",
                       search.threads_n == 0
                           ? "interrupts have no threads on this machine (see linux-threaded-irqs)"
                           : "no interrupt thread belongs to a sound device");
        return;
    }
    st_finding_quote(finding, facts, search.name->key);
    st_finding_quote(finding, facts, search.priority_fact->key);
    if (server.priority == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no sound server with a real-time thread runs");
        return;
    }
    st_finding_quote(finding, facts, server.process_fact->key);
    st_finding_quote(finding, facts, server.priority_fact->key);
    if (search.priority >= server.priority) {
        st_finding_set(finding, ST_STATUS_OK, "%.20s runs at %" PRId64 ", the sound server at %" PRId64,
                       search.name->text, search.priority, server.priority);
        st_finding_effect(finding, 0, "the interrupt is served before the server: %" PRId64 " >= %" PRId64,
                          search.priority, server.priority);
        return;
    }
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "%.20s runs at %" PRId64 ", below the sound server at %" PRId64
                   ", so the server can delay the very interrupt it waits for",
                   search.name->text, search.priority, server.priority);
    st_finding_fix_usual(finding);
}

const struct st_rule st_rule_linux_irq_priorities = {
    .id = "linux-irq-priorities",
    .os = ST_OS_LINUX,
    .title = "Priority of the sound card's interrupt thread",
    .mechanism =
        "With threaded interrupts the sound card's interrupt is served by a thread at SCHED_FIFO 50, as "
        "are disk and network. A server above it on the same CPU runs first, and other devices at the "
        "same 50 come in between; the wished order is sound interrupt, server, programs, other interrupts.",
    .privilege = "root",
    .cost = "fairness: a device that interrupts without end at 90 starves all below",
    .when_not = "servers that wake by timer alone gain little on HD audio cards. The change does not survive "
                "suspend on all machines.",
    .sources =
        "rtirq package: list 'snd usb i8042', high 90, step 5, low 51; rtirq issue 3 (lost after suspend)\n"
        "Linux kernel/irq/manage.c: threads get SCHED_FIFO 50 (sched_set_fifo)",
    .guide =
        {
            .now =
                "# until the next boot or suspend:\npgrep 'irq/.*(snd|xhci)' | xargs -n1 sudo chrt -f -p 90",
            .persistent = "# install rtirq, then in /etc/default/rtirq (Fedora: /etc/sysconfig/rtirq):\n"
                          "RTIRQ_NAME_LIST=\"snd usb i8042\"\nRTIRQ_PRIO_HIGH=90\n# and\nsudo systemctl "
                          "enable --now rtirq",
            .needs = ST_NEEDS_NOTHING,
            .check = "ps -eLo cls,rtprio,comm | grep 'irq/'   # snd and xhci above the rest",
            .undo = "sudo systemctl disable rtirq; sudo /etc/init.d/rtirq reset, or a restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_THREADS_N, IRQ_NAME, IRQ_PRIORITY, ST_THREADS_PROCESS, ST_THREADS_PRIO,
                                   USB_CLASS, NULL},
    .judge = judge,
};
