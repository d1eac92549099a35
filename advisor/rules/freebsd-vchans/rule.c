/* Virtual channels: the kernel's mixer, and the rate that it works at. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define ENABLE "freebsd.hw.snd.vchans_enable" /* from 15.0 */

#define UNIT_MAX 255

#define NOW(unit, rate) "# while no program has the device open\nsysctl dev.pcm." unit ".play.vchanrate=" rate
#define EVER(unit, rate)                                                                                     \
    "# /etc/sysctl.conf; a USB device may get another number\ndev.pcm." unit ".play.vchanrate=" rate

static void judge_rate(const struct st_facts *facts, const struct st_wish *wish, int64_t unit,
                       struct st_finding *finding)
{
    char key[ST_FREEBSD_KEY_BYTES], now[128], persistent[256];
    const char *mode = "fixed";
    int64_t rate;
    if (st_finding_need_int(finding, facts, st_freebsd_pcm_key(unit, "play.vchanrate", key, sizeof(key)),
                            &rate) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "pcm%" PRId64 " mixes programs in the kernel; at which rate, could not be read", unit);
        return;
    }
    st_finding_quote(finding, facts, st_freebsd_pcm_key(unit, "play.vchanmode", key, sizeof(key)));
    (void)!st_facts_text(facts, key, &mode);
    if (rate == wish->rate_hz || strcmp(mode, "fixed") != 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "pcm%" PRId64
                       " mixes programs in the kernel%s; a program that wants it alone saves that step",
                       unit, rate == wish->rate_hz ? " at your rate" : "");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "pcm%" PRId64 " mixes programs at %" PRId64
                       " Hz, so sound of %u Hz is resampled on its way",
                       unit, rate, (unsigned)wish->rate_hz);
        snprintf(now, sizeof(now), NOW("%d", "%u"), (int)unit, (unsigned)wish->rate_hz);
        snprintf(persistent, sizeof(persistent), EVER("%d", "%u"), (int)unit, (unsigned)wish->rate_hz);
        st_finding_fix(finding, now, persistent, ST_NEEDS_REOPEN);
    }
    st_finding_effect(finding, 0,
                      "mixing and resampling add delay and work in the sound thread, not lateness of this "
                      "loop");
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    char key[ST_FREEBSD_KEY_BYTES];
    int64_t unit, vchans;
    if (st_finding_need_int(finding, facts, ST_FREEBSD_DEFAULT_UNIT, &unit) != 0)
        return;
    if (unit < 0 || unit > UNIT_MAX) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "there is no default sound device");
        return;
    }
    st_finding_quote(finding, facts, ENABLE);
    if (st_finding_need_int(finding, facts, st_freebsd_pcm_key(unit, "play.vchans", key, sizeof(key)),
                            &vchans) != 0)
        return;
    if (vchans == 0 || st_machine_int_or(facts, ENABLE, 1) == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "pcm%" PRId64 " has no virtual channels: one program has it alone, without mixing",
                       unit);
        st_finding_effect(finding, 0, "no mixing stage");
        return;
    }
    judge_rate(facts, wish, unit, finding);
}

const struct st_rule st_rule_freebsd_vchans = {
    .id = "freebsd-vchans",
    .os = ST_OS_FREEBSD,
    .title = "Mixing in the kernel (vchans)",
    .mechanism =
        "With virtual channels several programs can play at once: the kernel converts each to the rate "
        "vchanrate, mixes them and passes the sum on. That adds a ring and a conversion to the way of the "
        "sound.",
    .privilege = "root",
    .cost = "convenience: programs of other rates are resampled instead; without vchans only one program can "
            "open the device",
    .when_not = "desktops: keep vchans on, so that more than one program can play",
    .sources =
        "sound(4) (vchans, vchanrate, vchanmode; only to be changed while the device is idle)\n"
        "hw.snd.maxautovchans up to 14, hw.snd.vchans_enable from 15.0: as captured on 13.2 and 15.1\n"
        "measured: with vchans a ring of 8 blocks (42.7 ms at hw.snd.latency 2) before the hardware's of 2",
    .history = "15.0: hw.snd.vchans_enable is new, and dev.pcm.N.play.vchans is on or off instead of a "
               "number (sound(4); captures of 13.2 and 15.1)",
    .guide =
        {
            .now = NOW("N", "48000"),
            .persistent = EVER("N", "48000"),
            .needs = ST_NEEDS_REOPEN,
            .check = "sysctl dev.pcm.N.play.vchanrate",
            .undo = "take the line out of /etc/sysctl.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts =
        (const char *const[]){ST_FREEBSD_DEFAULT_UNIT, ENABLE, "freebsd.dev.pcm.*.play.vchans",
                              "freebsd.dev.pcm.*.play.vchanrate", "freebsd.dev.pcm.*.play.vchanmode", NULL},
    .judge = judge,
};
