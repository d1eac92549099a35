/* What sndctl(8) calls realtime: three settings at once. */
#include <inttypes.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define LATENCY   "freebsd.hw.snd.latency"
#define PROFILE   "freebsd.hw.snd.latency_profile"
#define DEVIATION "freebsd.kern.timecounter.alloweddeviation"
#define PRECISE   "freebsd.kern.timecounter.nanosleep_precise"

#define FIRST_SNDCTL 1500000

/** Latencies that profile 0 answers with a ring of at most 21 ms (freebsd-snd-latency). */
#define SHORT_LATENCY 2

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t osreldate, latency, profile, deviation;
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_FREEBSD_OSRELDATE, &osreldate) != 0)
        return;
    if (osreldate < FIRST_SNDCTL) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "sndctl came with FreeBSD 15.0");
        return;
    }
    if (st_finding_need_int(finding, facts, LATENCY, &latency) != 0 ||
        st_finding_need_int(finding, facts, PROFILE, &profile) != 0 ||
        st_finding_need_int(finding, facts, DEVIATION, &deviation) != 0)
        return;
    st_finding_quote(finding, facts, PRECISE);
    const bool stretched = deviation > 0 && st_machine_int_or(facts, PRECISE, 1) == 0;
    if (latency == 0 && profile == 0 && deviation == 0) {
        st_finding_set(finding, ST_STATUS_OK, "sndctl calls this machine's sound devices realtime");
    } else if ((profile == 0 && latency <= SHORT_LATENCY) && !stretched) {
        st_finding_set(finding, ST_STATUS_OK,
                       "sndctl would not say realtime (%" PRId64 ", %" PRId64 ", %" PRId64
                       "), but the buffers are short and sleeps are exact",
                       latency, profile, deviation);
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "latency %" PRId64 ", profile %" PRId64 ", alloweddeviation %" PRId64
                       ": 'sndctl realtime=1' sets all three to 0, until the next boot",
                       latency, profile, deviation);
        st_finding_fix_usual(finding);
    }
    st_finding_effect(finding, 0,
                      "the µs of the three are counted in freebsd-alloweddeviation; the two of sound(4) "
                      "are delay");
}

const struct st_rule st_rule_freebsd_sndctl_realtime = {
    .id = "freebsd-sndctl-realtime",
    .os = ST_OS_FREEBSD,
    .title = "Three settings in one (sndctl realtime=1)",
    .mechanism =
        "sndctl(8) calls a device realtime when hw.snd.latency, hw.snd.latency_profile and "
        "kern.timecounter.alloweddeviation are all 0, and realtime=1 sets them so. It does not outlast a "
        "reboot.",
    .privilege = "root",
    .cost = "power, CPU: latency 0 with profile 0 means blocks of a third of a millisecond for programs that "
            "set none, which may crackle",
    .when_not = "programs that crackle: freebsd-snd-latency names the shortest buffer that fits your period",
    .sources = "sndctl(8) of 15.0, usr.sbin/sndctl/sndctl.c\n"
               "that up to latency 2 in profile 0 is short: sleeptune's own line",
    .history = "15.0: sndctl(8) is new (sndctl(8))",
    .guide =
        {
            .now = "sndctl realtime=1",
            .persistent = "# /etc/sysctl.conf\nhw.snd.latency=0\nhw.snd.latency_profile=0\n"
                          "kern.timecounter.alloweddeviation=0",
            .needs = ST_NEEDS_REOPEN,
            .check =
                "sysctl hw.snd.latency hw.snd.latency_profile kern.timecounter.alloweddeviation   # 0 0 0",
            .undo = "sysctl hw.snd.latency=5 hw.snd.latency_profile=1 kern.timecounter.alloweddeviation=5, "
                    "the defaults; take the lines out of /etc/sysctl.conf",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .first_version = "15.0",
    .facts = (const char *const[]){ST_FREEBSD_OSRELDATE, LATENCY, PROFILE, DEVIATION, PRECISE, NULL},
    .judge = judge,
};
