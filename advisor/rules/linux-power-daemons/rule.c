/* Daemons that set the CPU's frequency policy and would overwrite what somebody else sets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define PROCESSES "linux.processes_n"
#define PRESENT   "linux.cpufreq.present"
#define GOVERNOR  ".governor"
#define PROFILE   "linux.power_profile"

#define KEY_BYTES 160

#define PPD_NOW   "powerprofilesctl set performance"
#define TUNED_NOW "sudo tuned-adm profile latency-performance"
#define TLP_EVER                                                                                             \
    "# /etc/tlp.d/90-sleeptune.conf\nCPU_SCALING_GOVERNOR_ON_AC=performance\n"                               \
    "CPU_ENERGY_PERF_POLICY_ON_AC=performance\n# then\nsudo tlp start"

static const struct {
    const char *key;
    const char *name;
    const char *now;
    const char *persistent;
} managers[] = {
    {"linux.daemon.power-profiles-daemon", "power-profiles-daemon", PPD_NOW, NULL},
    {"linux.daemon.tuned", "tuned", TUNED_NOW, NULL},
    {"linux.tlp.enabled", "TLP", NULL, TLP_EVER},
    {"linux.daemon.auto-cpufreq", "auto-cpufreq", "sudo auto-cpufreq --force=performance",
     "# /etc/auto-cpufreq.conf\n[charger]\ngovernor = performance"},
    {"linux.daemon.system76-power", "system76-power", "system76-power profile performance", NULL},
};

struct scan {
    const struct st_facts *facts;
    struct st_finding *finding;
    const struct st_fact *slow; /* the first governor that is not for speed */
    size_t unread_n;
};

static void look(void *ctx, const struct st_fact *fact)
{
    struct scan *scan = ctx;
    char key[KEY_BYTES];
    const char *governor, *epp;
    if (st_facts_text(scan->facts, fact->key, &governor) != 0) {
        scan->unread_n += fact->state != ST_FACT_ABSENT;
        return;
    }
    snprintf(key, sizeof(key), "%.*s.epp", (int)(strlen(fact->key) - (sizeof(GOVERNOR) - 1)), fact->key);
    if (strcmp(governor, "performance") != 0 &&
        (st_facts_text(scan->facts, key, &epp) != 0 ||
         (strcmp(epp, "performance") != 0 && strcmp(epp, "0") != 0)) &&
        scan->slow == NULL)
        scan->slow = fact;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t processes, present;
    const char *profile;
    size_t n = 0, first = 0, second = 0;
    (void)wish;
    if (st_finding_need_int(finding, facts, PROCESSES, &processes) != 0 ||
        st_finding_need_int(finding, facts, PRESENT, &present) != 0)
        return;
    for (size_t i = 0; i < ST_ARRAY_LEN(managers); i++) {
        int64_t pid;
        if (st_facts_int(facts, managers[i].key, &pid) != 0)
            continue;
        st_finding_quote(finding, facts, managers[i].key);
        *(n == 0 ? &first : &second) = i;
        n++;
    }
    struct scan scan = {.facts = facts, .finding = finding};
    st_facts_each(facts, "linux.cpufreq.policy", GOVERNOR, look, &scan);
    if (scan.slow != NULL)
        st_finding_quote(finding, facts, scan.slow->key);
    if (n == 0) {
        st_finding_set(finding, ST_STATUS_OK, "no daemon that changes the CPU's frequency policy runs");
        st_finding_effect(finding, 0, "what is set stays set");
    } else if (n > 1) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "%s and %s both set the CPU's frequency policy; the one that acts last wins",
                       managers[first].name, managers[second].name);
        st_finding_fix(
            finding, NULL,
            "# keep one and mask the others, as some are started on demand:\n"
            "sudo systemctl mask --now power-profiles-daemon.service   # or tuned, tlp, auto-cpufreq",
            ST_NEEDS_NOTHING);
    } else if (scan.slow != NULL) {
        char named[80] = "";
        if (st_facts_text(facts, PROFILE, &profile) == 0)
            snprintf(named, sizeof(named), " (now %.*s)", st_text_cut(profile, 40), profile);
        st_finding_quote(finding, facts, PROFILE);
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "%s runs and would overwrite what linux-cpu-frequency advises: set its profile%s instead",
            managers[first].name, named);
        st_finding_fix(finding, managers[first].now, managers[first].persistent, ST_NEEDS_NOTHING);
    } else if (scan.unread_n > 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "%s runs; what it set could not be read",
                       managers[first].name);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "%s runs and has set all CPUs to performance",
                       managers[first].name);
        st_finding_effect(finding, 0, "the profile asks for speed");
    }
}

const struct st_rule st_rule_linux_power_daemons = {
    .id = "linux-power-daemons",
    .os = ST_OS_LINUX,
    .title = "Daemons that set power profiles",
    .mechanism =
        "power-profiles-daemon, tuned, TLP and auto-cpufreq write governor and energy preference when the "
        "profile or the power supply changes. A value set beside them lasts until they act again.",
    .privilege = "root (powerprofilesctl: the user at the desk)",
    .cost = "power, heat, fan noise while the fast profile is on",
    .when_not = "on battery",
    .sources =
        "tuned issues 394, 396, 670 (power-profiles-daemon stops tuned or rewrites the governor)\n"
        "powerprofilesctl(1), tuned-adm(8), tlp.conf(5); auto-cpufreq's README: not verified; whether a "
        "profile survives a reboot depends on the daemon",
    .guide =
        {
            .now = PPD_NOW "\n# or\n" TUNED_NOW,
            .persistent = TLP_EVER,
            .needs = ST_NEEDS_NOTHING,
            .check = "cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor   # performance\n"
                     "powerprofilesctl get; tuned-adm active; tlp-stat -p",
            .undo = "powerprofilesctl set balanced; sudo tuned-adm profile balanced; delete the file of TLP "
                    "and run sudo tlp start",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts =
        (const char *const[]){PROCESSES, PRESENT, "linux.daemon.*", "linux.tlp.enabled",
                              "linux.cpufreq.policy*.governor", "linux.cpufreq.policy*.epp", PROFILE, NULL},
    .judge = judge,
};
