/* hw.intr_storm_threshold: interrupts that come too fast are held back. */
#include <inttypes.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define THRESHOLD "freebsd.hw.intr_storm_threshold"
#define HZ        "freebsd.kern.hz"

#define HZ_MAX 1000000

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t threshold;
    (void)wish;
    if (st_finding_need_int(finding, facts, THRESHOLD, &threshold) != 0)
        return;
    if (threshold == 0) {
        st_finding_set(finding, ST_STATUS_OK, "no interrupt is held back, however fast it comes");
        st_finding_effect(finding, 0, "intr_storm_threshold = 0");
        return;
    }
    if (threshold < 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "intr_storm_threshold %" PRId64 " cannot be", threshold);
        return;
    }
    const int64_t hz = st_machine_int_or(facts, HZ, 0);
    st_finding_quote(finding, facts, HZ);
    if (hz >= 1 && hz <= HZ_MAX)
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "after %" PRId64
                       " interrupts in a row a source is served once a tick (%.0f µs): sound that "
                       "shares it stutters",
                       threshold, 1e6 / (double)hz);
    else
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "after %" PRId64
                       " interrupts in a row a source is served once a tick: sound that shares it "
                       "stutters",
                       threshold);
    st_finding_fix_usual(finding);
    st_finding_change(finding, ST_CHANGE_SYSCTL, "hw.intr_storm_threshold", "0");
}

const struct st_rule st_rule_freebsd_interrupt_storm = {
    .id = "freebsd-interrupt-storm",
    .os = ST_OS_FREEBSD,
    .title = "Interrupts held back (hw.intr_storm_threshold)",
    .mechanism = "An interrupt source that fires more often in a row than the threshold is taken for broken "
                 "and served "
                 "only once a clock tick. A sound card or USB controller on that line waits with it.",
    .privilege = "root",
    .cost = "none, unless a device is broken: it can take a whole CPU then",
    .when_not = "hardware that really has interrupt storms (see dmesg: \"interrupt storm detected\")",
    .sources = "FreeBSD sys/kern/kern_intr.c ithread_execute_handlers()\n0 on 13.2 and 15.1 as captured",
    .guide =
        {
            .now = "sysctl hw.intr_storm_threshold=0",
            .persistent = "# /etc/sysctl.conf\nhw.intr_storm_threshold=0",
            .needs = ST_NEEDS_NOTHING,
            .check = "sysctl hw.intr_storm_threshold   # 0",
            .undo = "take the line out of /etc/sysctl.conf; hw.intr_storm_threshold=0 is the default, so "
                    "there is nothing else to undo",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){THRESHOLD, HZ, NULL},
    .targets = (const char *const[]){"hw.intr_storm_threshold", NULL},
    .judge = judge,
};
