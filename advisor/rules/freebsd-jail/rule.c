/* Inside a jail the settings are the host's. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define JAILED "freebsd.security.jail.jailed"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t jailed;
    (void)wish;
    if (st_finding_need_int(finding, facts, JAILED, &jailed) != 0)
        return;
    if (jailed == 0) {
        st_finding_set(finding, ST_STATUS_OK, "this is not a jail: the settings are this system's own");
        st_finding_effect(finding, 0, "jailed = 0");
        return;
    }
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "this is a jail: the settings are the host's, and only its root can change them");
    st_finding_fix_usual(finding);
    st_finding_effect(finding, 0,
                      "a jail runs on the host's kernel, timers and scheduler: no lateness of its own");
}

const struct st_rule st_rule_freebsd_jail = {
    .id = "freebsd-jail",
    .os = ST_OS_FREEBSD,
    .title = "Are these this system's own settings? (jail)",
    .mechanism =
        "A jail shows the host's sysctls, but may change next to none of them, and it sees only the devices "
        "that its devfs rules let through. Its threads are scheduled like all others, but real-time "
        "priority may be refused.",
    .privilege = "root of the host",
    .cost = "none, but a jail with sound devices can listen, too",
    .when_not = "the program does not need to be in a jail",
    .sources = "jail(8), devfs.rules(5); security.jail.jailed: sysctl -d",
    .guide =
        {
            .persistent = "# on the host: run the report, and do there what it advises\n"
                          "# /etc/devfs.rules on the host, in the rules of the jail, to have sound there\n"
                          "add path 'dsp*' unhide\nadd path 'mixer*' unhide",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl security.jail.jailed   # 0 on the host",
            .undo = "take the lines out of /etc/devfs.rules on the host and run service devfs restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){JAILED, NULL},
    .judge = judge,
};
