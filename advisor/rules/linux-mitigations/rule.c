/* Mitigations of CPU vulnerabilities: not a setting for audio. */
#include <errno.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *cmdline;
    char value[128];
    (void)wish;
    if (st_finding_need_text(finding, facts, ST_MACHINE_CMDLINE, &cmdline) != 0)
        return;
    const int r = st_machine_boot_option(facts, "mitigations", value, sizeof(value));
    if (r == 0 && strcmp(value, "off") == 0)
        st_finding_set(
            finding, ST_STATUS_OK,
            "mitigations are off: entries into the kernel are a little shorter, and the machine is "
            "open");
    else
        st_finding_set(finding, ST_STATUS_OK, "mitigations of CPU vulnerabilities are on, as they should be");
    st_finding_effect(finding, 0,
                      "they lengthen entries into the kernel, not waits; nothing to gain for a loop that "
                      "sleeps once a cycle");
}

const struct st_rule st_rule_linux_mitigations = {
    .id = "linux-mitigations",
    .os = ST_OS_LINUX,
    .title = "Mitigations of CPU vulnerabilities",
    .mechanism = "They make each entry into the kernel a little longer. An audio loop enters it a few times "
                 "a cycle, so "
                 "they do not decide whether it is in time; other guides call them a fault all the same.",
    .privilege = "root",
    .cost = "security: without them programs and web pages may read memory that is not theirs",
    .when_not = "never as audio advice",
    .sources = "Linux kernel-parameters.txt: mitigations=; the order of a microsecond: not verified",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_DANGEROUS,
    .facts = (const char *const[]){ST_MACHINE_CMDLINE, NULL},
    .judge = judge,
};
