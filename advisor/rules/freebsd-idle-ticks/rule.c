/* kern.eventtimer.idletick and singlemul. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define FACT      "freebsd.kern.eventtimer.idletick"
#define SINGLEMUL "freebsd.kern.eventtimer.singlemul"
#define PERIODIC  "freebsd.kern.eventtimer.periodic"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t value;
    (void)wish;
    if (st_finding_need_int(finding, facts, FACT, &value) != 0)
        return;
    st_finding_quote(finding, facts, SINGLEMUL);
    st_finding_quote(finding, facts, PERIODIC);
    if (st_machine_is_unread(facts, PERIODIC)) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "what idletick %" PRId64
                       " means depends on kern.eventtimer.periodic, which could not be read",
                       value);
        return;
    }
    if (st_machine_int_or(facts, PERIODIC, 0) != 0)
        st_finding_set(finding, ST_STATUS_OK,
                       "the timer is periodic: see freebsd-eventtimer, which counts singlemul");
    else if (value != 0)
        st_finding_set(finding, ST_STATUS_OK,
                       "idle CPUs keep ticking (idletick 1): that costs power, not time");
    else
        st_finding_set(finding, ST_STATUS_OK,
                       "idle CPUs do not tick (idletick 0), and no sleep waits for a tick");
    st_finding_effect(finding, 0, "neither idletick nor singlemul makes a sleep later in one-shot mode");
}

const struct st_rule st_rule_freebsd_idle_ticks = {
    .id = "freebsd-idle-ticks",
    .os = ST_OS_FREEBSD,
    .title = "Ticks on idle CPUs (idletick, singlemul)",
    .mechanism = "idletick keeps the clock ticking on idle CPUs, which costs power and ends no sleep earlier "
                 "where sleeps are exact. singlemul multiplies the interrupts of a periodic timer and does "
                 "nothing in one-shot mode.",
    .privilege = "root",
    .cost = "power",
    .when_not = "a periodic event timer (freebsd-eventtimer), where singlemul counts",
    .sources = "eventtimers(4)\nFreeBSD sys/kern/kern_clocksource.c setuptimer(), getnextcpuevent()",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FACT, SINGLEMUL, PERIODIC, NULL},
    .judge = judge,
};
