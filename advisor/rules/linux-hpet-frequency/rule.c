/* Frequency limits of /dev/hpet and /dev/rtc: nothing that plays opens them. */
#include <errno.h>
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define HPET "linux.sysctl.dev.hpet.max-user-freq"
#define RTC  "linux.rtc.max_user_freq_hz"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t hz;
    (void)wish;
    const bool has_hpet = st_facts_int(facts, HPET, &hz) != -ENOENT;
    if (st_finding_need_int(finding, facts, has_hpet ? HPET : RTC, &hz) != 0)
        return;
    st_finding_quote(finding, facts, RTC);
    st_finding_set(finding, ST_STATUS_OK,
                   "programs may ask /dev/%s for %" PRId64 " Hz; sound servers and sleeps do not use it",
                   has_hpet ? "hpet" : "rtc", hz);
    st_finding_effect(finding, 0, "clock_nanosleep and ALSA use the kernel's own timers");
}

const struct st_rule st_rule_linux_hpet_frequency = {
    .id = "linux-hpet-frequency",
    .os = ST_OS_LINUX,
    .title = "Frequency of HPET and RTC for programs",
    .mechanism =
        "The limit holds for programs that open /dev/hpet or /dev/rtc and ask for periodic interrupts. Old "
        "guides raise it; today's programs sleep on high-resolution timers, which it does not touch.",
    .privilege = "root",
    .cost = "none",
    .when_not = "for audio, never; a MIDI sequencer of before 2010 that opens /dev/rtc may be the exception",
    .sources = "Linux drivers/char/hpet.c (default 64), drivers/rtc; an ALSA developer called it irrelevant "
               "(realtimeConfigQuickScan issue 33)",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){HPET, RTC, NULL},
    .judge = judge,
};
