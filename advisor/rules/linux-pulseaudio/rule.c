/* PulseAudio's own settings. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define DAEMON    "linux.daemon.pulseaudio"
#define REALTIME  "linux.pulse.realtime-scheduling"
#define TSCHED    "linux.pulse.tsched"
#define FRAGMENTS "linux.pulse.default-fragments"
#define FRAGMENT  "linux.pulse.default-fragment-size-msec"

/* daemon.conf's defaults */
#define FRAGMENTS_DEFAULT   4
#define FRAGMENT_DEFAULT_MS 25

static int64_t number(const struct st_facts *facts, const char *key, int64_t fallback)
{
    int64_t value;
    return st_facts_int(facts, key, &value) == 0 && value > 0 && value < 100000 ? value : fallback;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t pid;
    const char *realtime, *tsched;
    (void)wish;
    int r = st_finding_need_int(finding, facts, DAEMON, &pid);
    if (r != 0) {
        if (r == -ENOENT)
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "PulseAudio does not run here");
        return;
    }
    r = st_facts_text(facts, REALTIME, &realtime);
    if (r != 0 && r != -ENOENT && st_finding_need_text(finding, facts, REALTIME, &realtime) != 0)
        return;
    st_finding_quote(finding, facts, REALTIME);
    if (r == 0 && st_machine_is_off(realtime)) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "PulseAudio was told not to ask for real-time priority, so any busy program can delay all sound");
        st_finding_fix_usual(finding);
        return;
    }
    st_finding_quote(finding, facts, TSCHED);
    r = st_facts_text(facts, TSCHED, &tsched);
    if (r != 0 && r != -ENOENT && st_finding_need_text(finding, facts, TSCHED, &tsched) != 0)
        return;
    if (r == 0 && strcmp(tsched, "0") == 0) {
        const int64_t n = number(facts, FRAGMENTS, FRAGMENTS_DEFAULT),
                      ms = number(facts, FRAGMENT, FRAGMENT_DEFAULT_MS);
        st_finding_quote(finding, facts, FRAGMENTS);
        st_finding_quote(finding, facts, FRAGMENT);
        st_finding_set(finding, ST_STATUS_OK,
                       "PulseAudio wakes by the card's interrupts: %" PRId64 " fragments of %" PRId64
                       " ms, %" PRId64 " ms in all",
                       n, ms, n * ms);
    } else {
        st_finding_set(finding, ST_STATUS_OK,
                       "PulseAudio wakes by timers and asks for real-time priority (its defaults)");
    }
}

const struct st_rule st_rule_linux_pulseaudio = {
    .id = "linux-pulseaudio",
    .os = ST_OS_LINUX,
    .title = "PulseAudio's scheduling",
    .mechanism =
        "PulseAudio fills a large ring and wakes by timer when it runs low (tsched), or by the card's "
        "interrupts with a fixed number of fragments. Its threads ask for real-time priority 5 unless told "
        "not to.",
    .privilege = "root, or none in ~/.config/pulse",
    .cost = "none",
    .when_not = "tsched=0 only for drivers that tell wrong positions: it makes the latency fixed, not lower",
    .sources = "pulse-daemon.conf(5): realtime-scheduling yes, realtime-priority 5, default-fragments 4, "
               "default-fragment-size-msec 25",
    .guide =
        {
            .persistent = "# /etc/pulse/daemon.conf.d/90-sleeptune.conf\nrealtime-scheduling = yes",
            .needs = ST_NEEDS_RELOGIN,
            .check = "ps -eLo cls,rtprio,comm | grep alsa-   # RR 5",
            .undo = "delete the file and run systemctl --user restart pulseaudio",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){DAEMON, REALTIME, TSCHED, FRAGMENTS, FRAGMENT, NULL},
    .judge = judge,
};
