/* vm.overcommit, swap and core dumps: in recipes, but without effect on time. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FACT "freebsd.vm.overcommit"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK, "vm.overcommit is %" PRId64 ": a matter of promises, not of time",
                   value);
    st_finding_effect(finding, 0, "locked memory waits for neither");
}

const struct st_rule st_rule_freebsd_overcommit = {
    .id = "freebsd-overcommit",
    .os = ST_OS_FREEBSD,
    .title = "Overcommit, swap switches, core dumps",
    .mechanism = "vm.overcommit decides whether memory may be promised twice, swap_enabled and "
                 "swap_idle_enabled whether whole idle processes are swapped out, kern.coredump whether a "
                 "crash leaves a file. A thread whose memory is locked waits for none of them.",
    .privilege = "root",
    .cost = "none",
    .when_not = "never for latency: lock the memory instead (freebsd-memlock)",
    .sources = "tuning(7), mlockall(2)\nvm.swap_enabled is gone in 15.1 as captured",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
