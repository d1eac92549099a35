/* RLIMIT_RTTIME: how long a real-time thread may compute without a sleep. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define LIMIT "linux.rt.rttime_limit_us"

#define UNLIMITED (-1)
/** Fewer cycles than this leave no room for a start-up or a hiccup. A choice of this rule. */
#define CYCLES_LEAST 8

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t limit;
    if (st_finding_need_int(finding, facts, LIMIT, &limit) != 0)
        return;
    const int64_t period_us = wish->period_ns / 1000 > 0 ? wish->period_ns / 1000 : 1;
    if (limit < UNLIMITED) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a limit of %" PRId64 " µs cannot be", limit);
    } else if (limit == UNLIMITED) {
        st_finding_set(finding, ST_STATUS_OK, "real-time threads may compute as long as they want");
        st_finding_effect(finding, 0, "no limit");
    } else if (limit / CYCLES_LEAST < period_us) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "a real-time thread that computes %.3g ms without a sleep is killed; that is %.1f "
                       "cycles of %.2f ms",
                       (double)limit / 1e3, (double)limit / (double)period_us, (double)period_us / 1e3);
        st_finding_fix_usual(finding);
    } else {
        st_finding_set(
            finding, ST_STATUS_OK,
            "a real-time thread that computes %.3g ms without a sleep is killed; one that sleeps in each "
            "cycle is not",
            (double)limit / 1e3);
        st_finding_effect(finding, 0, "%" PRId64 " µs are %.1f cycles", limit,
                          (double)limit / (double)period_us);
    }
}

const struct st_rule st_rule_linux_rttime_limit = {
    .id = "linux-rttime-limit",
    .os = ST_OS_LINUX,
    .title = "Limit on computing without a sleep",
    .mechanism =
        "RLIMIT_RTTIME counts how long a real-time thread computes without a blocking call. At the soft "
        "limit it gets SIGXCPU each second, at the hard one SIGKILL: sound ends, it is not merely late.",
    .privilege = "root (to raise it)",
    .cost = "fairness: without a limit a thread gone wild is not stopped",
    .when_not = "it is 200 ms: that is what rtkit asks for, and fine",
    .sources = "getrlimit(2) RLIMIT_RTTIME; rtkit-daemon --help (rttime 200000 µs); the line of 8 cycles is "
               "sleeptune's own",
    .guide =
        {
            .now = "# for this shell and what it starts:\nsudo prlimit --pid $$ --rttime=unlimited",
            .persistent =
                "# in the unit of a service: LimitRTTIME=infinity\n# PulseAudio, /etc/pulse/daemon.conf.d/"
                "90-sleeptune.conf: rlimit-rttime = 200000",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ulimit -R   # bash: microseconds, or unlimited",
            .undo = "delete those lines",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){LIMIT, NULL},
    .judge = judge,
};
