/* hw.usb.uaudio.default_{rate,bits,channels}: the mode that a USB interface is put into. */
#include <inttypes.h>
#include <stdio.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define RATE     "freebsd.hw.usb.uaudio.default_rate"
#define BITS     "freebsd.hw.usb.uaudio.default_bits"
#define CHANNELS "freebsd.hw.usb.uaudio.default_channels"

#define NOW(rate)  "sysctl hw.usb.uaudio.default_rate=" rate "\n# then unplug the interface and plug it in"
#define EVER(rate) "# /boot/loader.conf\nhw.usb.uaudio.default_rate=\"" rate "\""

#define RATE_MAX 10000000

static void fix(const struct st_wish *wish, struct st_finding *finding)
{
    char now[160], persistent[160];
    snprintf(now, sizeof(now), NOW("%u"), (unsigned)wish->rate_hz);
    snprintf(persistent, sizeof(persistent), EVER("%u"), (unsigned)wish->rate_hz);
    st_finding_fix(finding, now, persistent, ST_NEEDS_REOPEN);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    char key[ST_FREEBSD_KEY_BYTES];
    int64_t rate;
    if (st_finding_need_int(finding, facts, RATE, &rate) != 0)
        return;
    st_finding_quote(finding, facts, BITS);
    st_finding_quote(finding, facts, CHANNELS);
    const int64_t unit = st_freebsd_usb_unit(facts);
    if (unit < 0) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "no USB sound device is attached");
        return;
    }
    if (rate < 0 || rate > RATE_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a default_rate of %" PRId64 " Hz cannot be", rate);
        return;
    }
    snprintf(key, sizeof(key), "freebsd.sndstat.pcm%" PRId64 ".play.rate_hz", unit);
    st_finding_quote(finding, facts, key);
    const int64_t now_hz = st_machine_int_or(facts, key, 0);
    if (now_hz > wish->rate_hz) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "pcm%" PRId64 " runs at %" PRId64
                       " Hz, so your %u Hz are resampled and USB carries more",
                       unit, now_hz, (unsigned)wish->rate_hz);
        fix(wish, finding);
    } else if (rate != 0 && rate != wish->rate_hz) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "USB interfaces are put to %" PRId64 " Hz, so your %u Hz are resampled", rate,
                       (unsigned)wish->rate_hz);
        fix(wish, finding);
    } else if (rate == 0 && now_hz == 0) {
        st_finding_set(finding, ST_STATUS_OK,
                       "pcm%" PRId64
                       " is put to its best mode (default_rate 0); which one, /dev/sndstat does not say",
                       unit);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "pcm%" PRId64 " is put to %" PRId64 " Hz", unit,
                       rate != 0 ? rate : now_hz);
    }
    st_finding_effect(finding, 0,
                      "resampling adds delay and work in the sound thread, not lateness of this loop");
}

const struct st_rule st_rule_freebsd_uaudio_format = {
    .id = "freebsd-uaudio-format",
    .os = ST_OS_FREEBSD,
    .title = "USB audio mode (hw.usb.uaudio.default_rate)",
    .mechanism =
        "When a USB interface is plugged in, the driver picks its mode by default_rate, default_bits and "
        "default_channels; 0 means the most that the device can do. A mode above the one that is played in "
        "costs bandwidth on the bus and a conversion.",
    .privilege = "root",
    .cost = "convenience: sound of a higher rate is resampled down",
    .when_not = "work at the interface's highest rate",
    .sources = "snd_uaudio(4) (0 is the device's maximum; takes effect when the device is attached)\n"
               "default_bits is 32 on 13.2 and 0 on 15.1 as captured",
    .guide =
        {
            .now = NOW("48000"),
            .persistent = EVER("48000"),
            .needs = ST_NEEDS_REOPEN,
            .check = "sysctl hw.snd.verbose=2; cat /dev/sndstat   # spd 48000 on the line of the device",
            .undo =
                "take the line out of /boot/loader.conf; 0, the default, is the most that the device can do",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){RATE, BITS, CHANNELS, ST_FREEBSD_DEFAULT_UNIT, "freebsd.dev.pcm.*.%parent",
                                   "freebsd.sndstat.*", NULL},
    .judge = judge,
};
