/* jackd -d alsa -s: soft mode. */
#include "advisor/rules/jack_command.h"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    struct st_jack_command jack;
    (void)wish;
    if (!st_jack_command_need(finding, facts, &jack))
        return;
    if (!jack.is_alsa) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "JACK does not use the ALSA driver here");
        return;
    }
    if (!jack.soft_mode) {
        st_finding_set(finding, ST_STATUS_OK, "JACK reports the xruns of the sound card");
        st_finding_effect(finding, 0, "no soft mode");
        return;
    }
    st_finding_set(
        finding, ST_STATUS_ADVICE,
        "JACK %s in soft mode (-s): it does not report xruns, so a machine that loses sound looks fine",
        jack.running ? "runs" : "is started");
    st_finding_effect(finding, 0, "soft mode changes what is reported, not when the loop wakes");
    st_finding_fix_usual(finding);
}

const struct st_rule st_rule_linux_jack_soft_mode = {
    .id = "linux-jack-soft-mode",
    .os = ST_OS_LINUX,
    .title = "JACK's soft mode",
    .mechanism =
        "With -s the ALSA driver of JACK ignores xruns that the sound card reports. The gaps are as audible "
        "as before, but no counter shows them.",
    .privilege = "none",
    .cost = "none",
    .when_not = "on stage, where a restart of the stream is worse than a gap",
    .sources = "jackd(1) 1.9.21, ALSA driver, -s: \"ignore xruns reported by the ALSA driver\"",
    .guide =
        {
            .persistent = "# take -s (--softmode) away from the options behind -d alsa: in ~/.jackdrc, or in "
                          "QjackCtl's settings (Soft Mode)",
            .needs = ST_NEEDS_REOPEN,
            .check = "ps -eo args | grep '[j]ackd'   # no -s behind -d alsa",
            .undo = "add -s again",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_JACK_COMMAND, ST_JACK_JACKDRC, ST_JACK_OTHER, NULL},
    .judge = judge,
};
