/* Audio programs that run as services: limits.d does not reach them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define PREFIX  "linux.unit."
#define PROGRAM ".program"

#define RTPRIO  "LimitRTPRIO=90"
#define MEMLOCK "LimitMEMLOCK=4G"

#define EVER(unit, lines)                                                                                    \
    "# /etc/systemd/system/" unit ".service.d/90-sleeptune.conf\n[Service]\n" lines                          \
    "\n# then\nsudo systemctl "                                                                              \
    "daemon-reload\nsudo systemctl restart " unit

#define KEY_BYTES  400
#define UNIT_BYTES (KEY_BYTES - 24) /* room for the longest leaf; systemd's names have at most 255 bytes */

enum fault { FAULT_NONE, FAULT_UNREAD, FAULT_LIMIT, FAULT_RESTRICTED };

struct scan {
    const struct st_facts *facts;
    size_t units_n;
    enum fault fault; /* the worst */
    const struct st_fact *program;
    char unit[UNIT_BYTES]; /* key without ".program" */
};

static bool says(const struct st_facts *facts, const char *unit, const char *what, const char **ret)
{
    char key[KEY_BYTES];
    snprintf(key, sizeof(key), "%s.%s", unit, what);
    return st_facts_text(facts, key, ret) == 0;
}

static bool is_yes(const char *text)
{
    return strcmp(text, "yes") == 0 || strcmp(text, "true") == 0 || strcmp(text, "on") == 0 ||
           strcmp(text, "1") == 0;
}

/** "95", "20:95" (the soft one first), "infinity". */
static bool allows_priority(const char *text)
{
    return strncmp(text, "infinity", 8) == 0 || strtol(text, NULL, 10) > 0;
}

static enum fault fault_of(const struct st_facts *facts, const char *unit)
{
    const char *text;
    if (says(facts, unit, "restrict_realtime", &text) && is_yes(text))
        return FAULT_RESTRICTED;
    const bool is_root =
        !says(facts, unit, "user", &text) || strcmp(text, "root") == 0 || strcmp(text, "0") == 0;
    const bool has_policy =
        says(facts, unit, "policy", &text) && (strcmp(text, "fifo") == 0 || strcmp(text, "rr") == 0);
    if (is_root || has_policy || (says(facts, unit, "rtprio", &text) && allows_priority(text)))
        return FAULT_NONE;
    return FAULT_LIMIT;
}

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char unit[UNIT_BYTES];
    const char *program;
    if (fact->state == ST_FACT_ABSENT)
        return;
    scan->units_n++;
    const size_t unit_len = strlen(fact->key) - (sizeof(PROGRAM) - 1);
    const bool fits = unit_len < sizeof(unit); /* the rest of a cut name would be another unit's */
    snprintf(unit, sizeof(unit), "%.*s", (int)unit_len, fact->key);
    const bool is_read = fits && st_facts_text(scan->facts, fact->key, &program) == 0;
    const enum fault fault = is_read ? fault_of(scan->facts, unit) : FAULT_UNREAD;
    if (scan->program != NULL && fault <= scan->fault)
        return;
    scan->program = fact;
    scan->fault = fault;
    snprintf(scan->unit, sizeof(scan->unit), "%s", unit);
}

static void quote(struct st_finding *finding, const struct scan *scan)
{
    static const char *const leaves[] = {"program", "user", "rtprio", "policy", "restrict_realtime"};
    char key[KEY_BYTES];
    for (size_t i = 0; i < ST_ARRAY_LEN(leaves); i++) {
        snprintf(key, sizeof(key), "%s.%s", scan->unit, leaves[i]);
        st_finding_quote(finding, scan->facts, key);
    }
}

static void fix(struct st_finding *finding, const char *unit, const char *first, const char *second)
{
    char text[512], service[ST_CHANGE_KEY_BYTES];
    const char *name = st_machine_is_plain(unit) ? unit : "UNIT";
    snprintf(text, sizeof(text), EVER("%.80s", "%s%s%s"), name, first, second != NULL ? "\n" : "",
             second != NULL ? second : "", name);
    st_finding_fix(finding, NULL, text, ST_NEEDS_NOTHING);
    if (!st_machine_is_plain(unit))
        return;
    snprintf(service, sizeof(service), "%.80s.service", unit);
    st_finding_change(finding, ST_CHANGE_SYSTEMD, service, first);
    if (second != NULL)
        st_finding_change(finding, ST_CHANGE_SYSTEMD, service, second);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct scan scan = {.facts = facts};
    (void)wish;
    st_facts_each(facts, PREFIX, PROGRAM, look, &scan);
    if (scan.units_n == 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "no unit that was read in /etc/systemd/system starts an audio program");
        return;
    }
    quote(finding, &scan);
    const char *unit = scan.unit + sizeof(PREFIX) - 1;
    switch (scan.fault) {
    case FAULT_RESTRICTED:
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "%.40s.service has RestrictRealtime=yes: its program is refused real-time priority",
                       unit);
        fix(finding, unit, "RestrictRealtime=no", NULL);
        break;
    case FAULT_LIMIT:
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "%.40s.service runs as a user without LimitRTPRIO=; what /etc/security gives does not reach "
            "services",
            unit);
        fix(finding, unit, RTPRIO, MEMLOCK);
        break;
    case FAULT_UNREAD:
        st_finding_set(finding, ST_STATUS_UNKNOWN, "%.40s.service could not be read", unit);
        break;
    case FAULT_NONE:
        st_finding_set(finding, ST_STATUS_OK, "%zu audio service%s may use real-time priority", scan.units_n,
                       scan.units_n == 1 ? "" : "s");
        st_finding_effect(finding, 0, "the units give the right themselves");
        break;
    }
}

const struct st_rule st_rule_linux_service_limits = {
    .id = "linux-service-limits",
    .os = ST_OS_LINUX,
    .title = "Limits of audio services",
    .mechanism =
        "Limits in /etc/security belong to logins (PAM); a service of the system gets those of its unit. "
        "Without LimitRTPRIO= its program is refused real-time priority, and RestrictRealtime=yes refuses "
        "it in any case.",
    .privilege = "root",
    .cost = "fairness: as any right to real-time priority",
    .when_not = "players with seconds of buffer",
    .sources = "systemd.exec(5): LimitRTPRIO=, LimitMEMLOCK=, RestrictRealtime=, CPUSchedulingPolicy=\n"
               "field report: limits.d was thought to reach a service (MPE-Sound-Module PR 46)\n"
               "only units in /etc/systemd/system, and packaged ones with a drop-in there, are read",
    .guide =
        {
            .persistent = EVER("UNIT", RTPRIO "\n" MEMLOCK),
            .needs = ST_NEEDS_NOTHING,
            .check = "systemctl show UNIT -p LimitRTPRIO -p LimitMEMLOCK -p RestrictRealtime   # 90, "
                     "4294967296, no",
            .undo = "sudo systemctl revert UNIT, and restart it",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){"linux.unit.*.program", "linux.unit.*.user", "linux.unit.*.rtprio",
                                   "linux.unit.*.policy", "linux.unit.*.restrict_realtime", NULL},
    .judge = judge,
};
