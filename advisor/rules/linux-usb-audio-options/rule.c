/* Options of the module snd_usb_audio. */
#include <errno.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define LOWLATENCY "linux.module.snd_usb_audio.lowlatency"
#define NRPACKS    "linux.modprobe.snd_usb_audio.nrpacks"
#define HAS_PACKS  "linux.module.snd_usb_audio.nrpacks"

/** lowlatency=Y; old guides set nrpacks beside it. */
static void judge_default(const struct st_facts *facts, struct st_finding *finding)
{
    const char *packs;
    int64_t number;
    if (st_facts_text(facts, NRPACKS, &packs) == 0 && st_facts_int(facts, HAS_PACKS, &number) == -ENOENT) {
        st_finding_quote(finding, facts, NRPACKS);
        st_finding_quote(finding, facts, HAS_PACKS);
        st_finding_set(
            finding, ST_STATUS_OK,
            "snd_usb_audio runs in its low-latency mode; this kernel's driver has no nrpacks any more "
            "(nrpacks=%.10s in /etc/modprobe.d): the option can go",
            packs);
        st_finding_effect(finding, 0, "lowlatency=Y, the default; an unknown option is ignored");
    } else {
        st_finding_set(finding, ST_STATUS_OK, "snd_usb_audio runs in its low-latency mode");
        st_finding_effect(finding, 0, "lowlatency=Y, the default");
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *text;
    (void)wish;
    const int r = st_finding_need_text(finding, facts, LOWLATENCY, &text);
    if (r != 0) {
        if (r == -ENOENT)
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                           "snd_usb_audio is not loaded, or has no such option");
        return;
    }
    if (strcmp(text, "Y") == 0 || strcmp(text, "1") == 0) {
        judge_default(facts, finding);
    } else if (strcmp(text, "N") == 0 || strcmp(text, "0") == 0) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "snd_usb_audio's low-latency mode is off, so USB playback queues more packets than needed");
        st_finding_effect(finding, 0, "adds delay, not lateness of this loop");
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_MODPROBE, "snd_usb_audio", "lowlatency=1");
    } else {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "lowlatency is \"%.20s\", which is not understood", text);
    }
}

const struct st_rule st_rule_linux_usb_audio_options = {
    .id = "linux-usb-audio-options",
    .os = ST_OS_LINUX,
    .title = "Options of the USB audio driver",
    .mechanism =
        "The driver fills its packets just before they leave when lowlatency is on. With N it queues them "
        "ahead, which adds latency (not lateness).",
    .privilege = "root",
    .cost = "none",
    .when_not = "interfaces that crackle in the low-latency mode: some quirks want N",
    .sources = "modinfo snd_usb_audio (lowlatency, default Y); Linux sound/usb/card.c\n"
               "Linux 6.1's driver has no nrpacks (modinfo); from which release on: not verified",
    .history = "6.1: the driver has no nrpacks any more (modinfo snd_usb_audio; from which release on: not "
               "verified)",
    .guide =
        {
            .persistent =
                "# /etc/modprobe.d/sleeptune.conf, or take lowlatency=N away from the files there\noptions "
                "snd_usb_audio lowlatency=1",
            .needs = ST_NEEDS_REBOOT,
            .check = "cat /sys/module/snd_usb_audio/parameters/lowlatency   # Y",
            .undo = "delete the line in /etc/modprobe.d/sleeptune.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){LOWLATENCY, NRPACKS, HAS_PACKS, NULL},
    .judge = judge,
};
