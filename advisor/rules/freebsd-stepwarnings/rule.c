/* kern.timecounter.stepwarnings and its like: diagnosis only. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FACT "freebsd.kern.timecounter.stepwarnings"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK, "steps of the clock are %slogged; that touches no sleep",
                   value != 0 ? "" : "not ");
    st_finding_effect(finding, 0, "diagnosis only");
}

const struct st_rule st_rule_freebsd_stepwarnings = {
    .id = "freebsd-stepwarnings",
    .os = ST_OS_FREEBSD,
    .title = "Reports of clock steps (stepwarnings)",
    .mechanism = "stepwarnings makes the kernel log each time the wall clock is set. timehands_count, tick "
                 "and the counters below tc.* describe the timecounter; none of them changes when a sleep "
                 "ends, as sleeps of audio programs follow CLOCK_MONOTONIC.",
    .privilege = "root",
    .cost = "none",
    .when_not = "while looking for what sets the clock: stepwarnings=1 for that time",
    .sources = "FreeBSD sys/kern/kern_tc.c; sysctl -d as captured on 13.2 and 15.1",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
