/* May this user hold a request on the latency of idle CPUs? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define REQUEST "linux.pmqos.cpu_dma_latency_us"
#define PREFIX  "linux.cpuidle.cpu0."
#define LATENCY ".latency_us"

/** States that wake within this need no request. A choice of this rule, as in linux-idle-states' advice. */
#define SHALLOW_US 20

struct scan {
    const struct st_facts *facts;
    const struct st_fact *deepest;
    int64_t latency_us;
    size_t unread_n;
};

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char key[128];
    int64_t latency, disabled;
    snprintf(key, sizeof(key), "%.*s.disable", (int)(strlen(fact->key) - strlen(LATENCY)), fact->key);
    if (strlen(fact->key) < sizeof(key) && st_facts_int(scan->facts, key, &disabled) == 0 && disabled != 0)
        return;
    scan->unread_n += st_machine_is_unread(scan->facts, fact->key);
    if (st_facts_int(scan->facts, fact->key, &latency) != 0 || latency < 0 || latency > 1000000 ||
        (scan->deepest != NULL && latency <= scan->latency_us))
        return;
    scan->deepest = fact;
    scan->latency_us = latency;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts};
    int64_t request;
    (void)wish;
    st_facts_each(facts, PREFIX, LATENCY, look, &scan);
    const struct st_fact *fact = st_facts_find(facts, REQUEST);
    if (fact == NULL || fact->state == ST_FACT_ABSENT || scan.deepest == NULL) {
        st_finding_quote(finding, facts, REQUEST);
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "this machine has no %s",
                       scan.deepest == NULL ? "idle states that could be limited" : "/dev/cpu_dma_latency");
        return;
    }
    st_finding_quote(finding, facts, scan.deepest->key);
    if (scan.latency_us <= SHALLOW_US && scan.unread_n > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "the latency of %zu idle states could not be read",
                       scan.unread_n);
    } else if (scan.latency_us <= SHALLOW_US) {
        st_finding_set(finding, ST_STATUS_OK,
                       "the deepest idle state wakes in %" PRId64 " µs: no request is needed",
                       scan.latency_us);
        st_finding_effect(finding, 0, "%" PRId64 " µs <= %d µs", scan.latency_us, SHALLOW_US);
    } else if (fact->state == ST_FACT_UNREADABLE && (fact->error == EACCES || fact->error == EPERM)) {
        st_finding_quote(finding, facts, REQUEST);
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "audio programs of this user may not open /dev/cpu_dma_latency to keep CPUs out of deep sleep "
            "(%" PRId64 " µs)",
            scan.latency_us);
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_UDEV, "rule",
                          "KERNEL==\"cpu_dma_latency\", GROUP=\"audio\", MODE=\"0660\"");
    } else if (st_finding_need_int(finding, facts, REQUEST, &request) == 0) {
        st_finding_set(finding, ST_STATUS_OK, "this user may open /dev/cpu_dma_latency");
        st_finding_effect(finding, 0, "programs can hold a request themselves");
    }
}

const struct st_rule st_rule_linux_idle_request_access = {
    .id = "linux-idle-request-access",
    .os = ST_OS_LINUX,
    .title = "Access to /dev/cpu_dma_latency",
    .mechanism = "A program that holds /dev/cpu_dma_latency open keeps all CPUs out of idle states that wake "
                 "slower than "
                 "it asks. The file belongs to root, so audio programs that know how (jackd, some DAWs) "
                 "cannot use it.",
    .privilege = "root",
    .cost = "power: several watts while a program holds a request",
    .when_not = "on battery; with the whole machine tuned already (linux-idle-states is ok)",
    .sources = "Linux Documentation/power/pm_qos_interface.rst, admin-guide/pm/cpuidle.rst; rtcqs checks the "
               "same file\n"
               "what it costs is in linux-idle-states; the line of 20 µs is sleeptune's own",
    .guide =
        {
            .now = "sudo chgrp audio /dev/cpu_dma_latency && sudo chmod 660 /dev/cpu_dma_latency",
            .persistent =
                "# /etc/udev/rules.d/90-sleeptune.rules\nKERNEL==\"cpu_dma_latency\", GROUP=\"audio\", "
                "MODE=\"0660\"\n# then\nsudo usermod -aG audio $USER",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ls -l /dev/cpu_dma_latency   # crw-rw---- root audio",
            .undo = "delete the line in /etc/udev/rules.d/90-sleeptune.rules and restart; sudo gpasswd -d "
                    "$USER audio",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){REQUEST, PREFIX "state*" LATENCY, PREFIX "state*.disable", NULL},
    .judge = judge,
};
