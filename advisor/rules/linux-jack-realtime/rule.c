/* jackd -r: without real-time priority; -P: which one. */
#include <inttypes.h>

#include "advisor/rules/jack_command.h"

/** The kernel's migration and watchdog threads are at 99; interrupt threads of sound at 90 with rtirq. */
#define PRIORITY_HIGHEST 94

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct st_jack_command jack;
    (void)wish;
    if (!st_jack_command_need(finding, facts, &jack))
        return;
    const char *where = jack.running ? "runs" : "is started";
    if (!jack.realtime) {
        st_finding_set(finding, ST_STATUS_PROBLEM,
                       "JACK %s without real-time priority (-r), so any busy program can delay all sound",
                       where);
        st_finding_fix_usual(finding);
    } else if (jack.priority > PRIORITY_HIGHEST) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "JACK %s at priority %" PRId64 ", among the kernel's own threads; 70 to 80 is enough",
                       where, jack.priority);
        st_finding_fix(finding, NULL, "# in ~/.jackdrc or QjackCtl's settings: -P 80", ST_NEEDS_REOPEN);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "JACK %s with real-time priority %" PRId64, where,
                       jack.priority);
        st_finding_effect(finding, 0, "-R is on");
    }
}

const struct st_rule st_rule_linux_jack_realtime = {
    .id = "linux-jack-realtime",
    .os = ST_OS_LINUX,
    .title = "JACK's real-time priority",
    .mechanism =
        "jackd runs its cycle at real-time priority unless it was told not to. Without it each cycle waits "
        "behind whatever else is busy, and there is no upper bound for that.",
    .privilege = "none (the right to real-time priority: see linux-rt-permission)",
    .cost = "none",
    .when_not = "tests with the dummy driver",
    .sources = "jackd(1) 1.9.21: -R is the default, -r takes it away, -P sets the priority (its message at "
               "start says 10)",
    .guide =
        {
            .persistent = "# take -r (--no-realtime) away from the options before -d: in ~/.jackdrc, or in "
                          "QjackCtl's settings (Realtime)",
            .needs = ST_NEEDS_REOPEN,
            .check = "ps -eLo cls,rtprio,comm | grep jackd   # FF and a priority",
            .undo = "set the options of before",
        },
    .worst = ST_STATUS_PROBLEM,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_JACK_COMMAND, ST_JACK_JACKDRC, ST_JACK_OTHER, NULL},
    .judge = judge,
};
