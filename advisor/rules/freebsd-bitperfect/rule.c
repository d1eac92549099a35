/* dev.pcm.N.bitperfect: sound that goes to the hardware as it is. */
#include <inttypes.h>
#include <stdio.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define ENABLE "freebsd.hw.snd.vchans_enable"

#define UNIT_MAX 255

#define NOW(unit)  "# while no program has the device open\nsysctl dev.pcm." unit ".play.vchans=0"
#define EVER(unit) "# /etc/sysctl.conf\ndev.pcm." unit ".play.vchans=0"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    char key[ST_FREEBSD_KEY_BYTES], now[128], persistent[128];
    int64_t unit, bitperfect;
    (void)wish;
    if (st_finding_need_int(finding, facts, ST_FREEBSD_DEFAULT_UNIT, &unit) != 0)
        return;
    if (unit < 0 || unit > UNIT_MAX) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "there is no default sound device");
        return;
    }
    if (st_finding_need_int(finding, facts, st_freebsd_pcm_key(unit, "bitperfect", key, sizeof(key)),
                            &bitperfect) != 0)
        return;
    st_finding_quote(finding, facts, st_freebsd_pcm_key(unit, "play.vchans", key, sizeof(key)));
    const bool vchans = st_machine_int_or(facts, key, 0) != 0 && st_machine_int_or(facts, ENABLE, 1) != 0;
    if (bitperfect == 0) {
        st_finding_set(
            finding, ST_STATUS_OK,
            "pcm%" PRId64 " converts what programs play where it has to (bitperfect 0, the default)", unit);
    } else if (!vchans) {
        st_finding_set(finding, ST_STATUS_OK,
                       "pcm%" PRId64 " passes sound on as it is: no conversion, no volume", unit);
    } else {
        st_finding_quote(finding, facts, ENABLE);
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "pcm%" PRId64
                       " is bitperfect with virtual channels on: their rate and format still decide",
                       unit);
        snprintf(now, sizeof(now), NOW("%d"), (int)unit);
        snprintf(persistent, sizeof(persistent), EVER("%d"), (int)unit);
        st_finding_fix(finding, now, persistent, ST_NEEDS_REOPEN);
    }
    st_finding_effect(finding, 0,
                      "conversions take CPU time in the sound thread and add no lateness to this loop");
}

const struct st_rule st_rule_freebsd_bitperfect = {
    .id = "freebsd-bitperfect",
    .os = ST_OS_FREEBSD,
    .title = "Sound without conversion (bitperfect)",
    .mechanism =
        "A bitperfect device gets the stream as the program wrote it: no rate or format conversion, no "
        "matrix, "
        "no equalizer, no software volume. With virtual channels on, their rate and format are the ones that "
        "count.",
    .privilege = "root",
    .cost = "convenience: one program at a time, only in formats that the hardware knows, and at full volume",
    .when_not = "desktops, and headphones: the software volume is gone",
    .sources = "sound(4) (dev.pcm.N.bitperfect: the manual recommends it together with vchans off)",
    .guide =
        {
            .now = NOW("N"),
            .persistent = EVER("N"),
            .needs = ST_NEEDS_REOPEN,
            .check = "sysctl dev.pcm.N.bitperfect dev.pcm.N.play.vchans   # 1 and 0 for a device without "
                     "conversion",
            .undo = "take the line out of /etc/sysctl.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ST_FREEBSD_DEFAULT_UNIT, ENABLE, "freebsd.dev.pcm.*.bitperfect",
                                   "freebsd.dev.pcm.*.play.vchans", NULL},
    .judge = judge,
};
