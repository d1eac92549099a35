/* HD audio codecs that are switched off when nothing plays. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define POWER_SAVE "linux.module.snd_hda_intel.power_save"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t seconds;
    (void)wish;
    if (st_finding_need_int(finding, facts, POWER_SAVE, &seconds) != 0)
        return;
    if (seconds < 0 || seconds > 1000000) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a time of %" PRId64 " s cannot be", seconds);
    } else if (seconds == 0) {
        st_finding_set(finding, ST_STATUS_OK, "the sound card stays on");
        st_finding_effect(finding, 0, "power_save=0");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "the sound card is switched off after %" PRId64
                       " s of silence: a click, and the next sound "
                       "begins late",
                       seconds);
        st_finding_effect(finding, 0, "while a stream is open the card stays on");
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSFS, "/sys/module/snd_hda_intel/parameters/power_save", "0");
        st_finding_change(finding, ST_CHANGE_MODPROBE, "snd_hda_intel",
                          "power_save=0 power_save_controller=N");
    }
}

const struct st_rule st_rule_linux_hda_power_save = {
    .id = "linux-hda-power-save",
    .os = ST_OS_LINUX,
    .title = "Power saving of the built-in sound card",
    .mechanism =
        "The HD audio driver switches the codec off after some seconds without a stream. Switching it on "
        "again takes up to some hundred ms and may click; a stream that runs is not touched.",
    .privilege = "root",
    .cost = "power: about half a watt",
    .when_not = "on battery",
    .sources = "Linux Documentation/sound/hd-audio/notes.rst: power_save, power_save_controller, the "
               "driver's own deny "
               "list",
    .guide =
        {
            .now = "echo 0 | sudo tee /sys/module/snd_hda_intel/parameters/power_save",
            .persistent = "# /etc/modprobe.d/sleeptune.conf\noptions snd_hda_intel power_save=0 "
                          "power_save_controller=N",
            .needs = ST_NEEDS_NOTHING,
            .check = "cat /sys/module/snd_hda_intel/parameters/power_save   # 0",
            .undo = "delete the line in /etc/modprobe.d/sleeptune.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){POWER_SAVE, NULL},
    .targets = (const char *const[]){"/sys/module/snd_hda_intel/parameters/power_save", NULL},
    .judge = judge,
};
