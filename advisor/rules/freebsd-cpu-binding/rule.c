/* cpuset: threads and interrupts bound to CPUs. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define FACT "freebsd.kern.smp.cpus"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK,
                   "%" PRId64 " CPU%s: leave threads and interrupts where the scheduler puts them, unless "
                   "this machine does nothing else",
                   value, value == 1 ? "" : "s");
    st_finding_effect(finding, 0, "a real-time thread takes any CPU at once");
}

const struct st_rule st_rule_freebsd_cpu_binding = {
    .id = "freebsd-cpu-binding",
    .os = ST_OS_FREEBSD,
    .title = "Threads and interrupts on fixed CPUs (cpuset)",
    .mechanism =
        "'cpuset -l' binds threads to CPUs, 'cpuset -x' an interrupt. A real-time thread gets any CPU "
        "at once, so binding helps only where a CPU is kept free of everything else, as FreeBSD "
        "does not do by itself.",
    .privilege = "root",
    .cost = "throughput: what is bound cannot use another CPU",
    .when_not = "desktops: a thread that is bound to a busy CPU waits while others are idle",
    .sources = "cpuset(1), cpuset_setaffinity(2); the effect was not measured",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, NULL},
    .judge = judge,
};
