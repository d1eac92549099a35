/* CONFIG_HZ: information, unless there are no high-resolution timers. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define CONFIG_HZ "linux.config.HZ"
#define GETRES    "linux.clock_getres_ns"
#define HRES      "linux.timer_list.hres_active"

#define HZ_MAX 10000

enum highres { HIGHRES_ON, HIGHRES_OFF, HIGHRES_UNKNOWN };

static enum highres highres(const struct st_facts *facts)
{
    int64_t hres, getres;
    const bool has_hres = st_facts_int(facts, HRES, &hres) == 0;
    const bool has_getres = st_facts_int(facts, GETRES, &getres) == 0;
    if ((has_hres && hres == 0) || (has_getres && getres > 1))
        return HIGHRES_OFF;
    return has_hres || has_getres ? HIGHRES_ON : HIGHRES_UNKNOWN;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t hz;
    (void)wish;
    if (st_finding_need_int(finding, facts, CONFIG_HZ, &hz) != 0)
        return;
    if (hz < 1 || hz > HZ_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "HZ=%" PRId64 " cannot be", hz);
        return;
    }
    st_finding_quote(finding, facts, HRES);
    st_finding_quote(finding, facts, GETRES);
    switch (highres(facts)) {
    case HIGHRES_ON:
        st_finding_set(finding, ST_STATUS_OK,
                       "HZ=%" PRId64 "; with high-resolution timers sleeps do not depend on it", hz);
        st_finding_effect(finding, 0, "high-resolution timers run: no sleep waits for the tick of %.0f µs",
                          1e6 / (double)hz);
        break;
    case HIGHRES_OFF:
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "HZ=%" PRId64
                       " and no high-resolution timers: sleeps are rounded to %.1f ms; the µs are counted in "
                       "linux-high-res-timers",
                       hz, 1e3 / (double)hz);
        st_finding_fix_usual(finding);
        break;
    case HIGHRES_UNKNOWN:
        st_finding_set(finding, ST_STATUS_OK,
                       "HZ=%" PRId64
                       "; it would matter only without high-resolution timers (linux-high-res-timers)",
                       hz);
        break;
    }
}

const struct st_rule st_rule_linux_hz = {
    .id = "linux-hz",
    .os = ST_OS_LINUX,
    .title = "Timer ticks (CONFIG_HZ)",
    .mechanism = "HZ is how often a busy CPU is interrupted for accounting and time slices. It bounded the "
                 "precision of "
                 "sleeps before high-resolution timers; with them it does not.",
    .privilege = "another kernel",
    .cost = "none",
    .when_not = "with high-resolution timers, that is on every usual system: leave it as it is",
    .sources = "Linux kernel/Kconfig.hz, kernel/time/hrtimer.c",
    .history = "2.6.21: sleeps no longer depend on HZ where high-resolution timers are on "
               "(Documentation/timers/highres.rst)",
    .guide =
        {
            .persistent = "# switch high-resolution timers on: sleeptune report linux-high-res-timers",
            .needs = ST_NEEDS_REBOOT,
            .check = "grep CONFIG_HZ= /boot/config-$(uname -r)",
            .undo = "nothing to undo",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){CONFIG_HZ, GETRES, HRES, NULL},
    .judge = judge,
};
