/* FreeBSD: USB sound devices. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

/* --- freebsd-uaudio-buffer: hw.usb.uaudio.buffer_ms: how much sound goes over USB at once. --- */

#define BUFFER         "freebsd.hw.usb.uaudio.buffer_ms"
#define NOW(ms, next)  "sysctl hw.usb.uaudio.buffer_ms=" ms "\n# then " next
#define OPEN_AGAIN     "open the device again; if that does not help, unplug it and plug it in"
#define EVER(ms)       "# /boot/loader.conf, as the driver may be loaded late\nhw.usb.uaudio.buffer_ms=\"" ms "\""
#define MS_MAX         8
#define FIRST_ADAPTIVE 1401000 /* the ring follows buffer_ms, and 1 ms is allowed: commit b2e97edffdab */
#define FIXED_RING_MS  8       /* before that */
#define BLOCK_SLACK_US 500     /* blocks are rounded to whole frames */

/** Block that the attached device works with, ms; 0: not known. */
static double attached_ms(struct st_finding *finding, int64_t unit)
{
    char key[ST_FREEBSD_KEY_BYTES];
    snprintf(key, sizeof(key), "freebsd.sndstat.pcm%" PRId64 ".play.block_us", unit);
    const int64_t us = st_machine_int_or(finding->facts, key, 0);
    if (us <= 0)
        return 0;
    st_finding_quote(finding, key);
    return (double)us / 1e3;
}

static void fix_uaudio_buffer(int64_t ms, bool adaptive, struct st_finding *finding)
{
    st_finding_fix_now(finding, NOW("%" PRId64, "%s"), ms,
                       adaptive ? OPEN_AGAIN : "unplug the interface and plug it in");
    st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, EVER("%" PRId64), ms);
}

static void judge_device(int64_t ms, int64_t unit, struct st_finding *finding)
{
    const bool adaptive = st_machine_int_or(finding->facts, ST_FREEBSD_OSRELDATE, 0) >= FIRST_ADAPTIVE;
    const double period_ms = st_period_seconds(&finding->wish->period) * 1e3;
    const double now_ms = attached_ms(finding, unit);
    const int64_t least = adaptive ? 1 : 2;
    const int64_t fits = period_ms >= MS_MAX         ? MS_MAX
                         : period_ms < (double)least ? least
                                                     : (int64_t)period_ms;
    const int64_t ring_ms = adaptive ? 2 * ms : 2 * FIXED_RING_MS;
    if (adaptive && now_ms > 0 && fabs(now_ms - (double)ms) * 1e3 > BLOCK_SLACK_US) {
        st_finding_advice(finding,
                          "buffer_ms is set to %" PRId64 ", but pcm%" PRId64 " still uses blocks of %.1f ms",
                          ms, unit, now_ms);
        fix_uaudio_buffer(ms <= fits ? ms : fits, adaptive, finding);
    } else if (ms > fits) {
        st_finding_advice(finding,
                          "the driver sends sound to pcm%" PRId64 " in blocks of %" PRId64 " ms, which is "
                          "longer than your period of %.2f ms",
                          unit, ms, period_ms);
        fix_uaudio_buffer(fits, adaptive, finding);
    } else {
        st_finding_ok(finding, "the driver sends sound to pcm%" PRId64 " in blocks of %" PRId64 " ms%s%s",
                      unit, ms, (double)ms > period_ms ? ", the shortest possible" : "",
                      now_ms > 0 ? "" : ", as set: /dev/sndstat does not show the value in use");
    }
    st_finding_effect(finding, 0,
                      "adds delay to the sound, threads do not wake later: about 2 * %" PRId64 " ms of "
                      "transfers and %" PRId64 " ms of buffer, in all %" PRId64 " ms for input and output "
                      "together",
                      ms, ring_ms, 2 * ms + ring_ms);
}

static void judge_uaudio_buffer(struct st_finding *finding)
{
    int64_t ms;
    char key[ST_FREEBSD_KEY_BYTES];
    if (st_finding_need_int(finding, BUFFER, &ms) != 0)
        return;
    const int64_t unit = st_freebsd_usb_unit(finding->facts);
    st_finding_quote(finding, ST_FREEBSD_OSRELDATE);
    if (unit < 0) {
        st_finding_not_applicable(finding, "no USB sound device is attached");
    } else if (ms < 1 || ms > MS_MAX) {
        st_finding_unknown(finding, "buffer_ms is %" PRId64 "; sleeptune knows only the values 1 to %d", ms,
                           MS_MAX);
    } else {
        st_finding_quote(finding, st_freebsd_pcm_key(unit, "%parent", key, sizeof(key)));
        judge_device(ms, unit, finding);
    }
}

const struct st_rule st_rule_freebsd_uaudio_buffer = {
    .id = "freebsd-uaudio-buffer",
    .title = "USB audio blocks (hw.usb.uaudio.buffer_ms)",
    .mechanism = "The USB audio driver sends sound in blocks of buffer_ms, at any period of the program. If "
                 "the period is shorter, the program wakes only once for several of its periods.",
    .cost = "power: on one laptop 2 ms instead of 4 ms took about 0.5 W more; a busy USB bus may cause gaps",
    .when_not = "playback without live input: 4 ms is a good choice",
    .sources = "snd_uaudio(4); FreeBSD review D41942 (measured there: 32, 16, 8, 4 ms for 8, 4, 2, 1)\n"
               "commit b2e97edffdab: range 1 to 8, default 4; before that 2 to 8 with a ring of 2 * 8 ms\n"
               "not verified: whether 14.1 is the first release with it, and whether 13.3 has it\n"
               "when it takes effect: the commit says at the next open, the manual after re-attaching\n"
               "seen: blocks of 8 ms on 13.2 at 8, 4 ms on 15.1 at 4",
    .history = "14: 1 ms is allowed, the default is 4, and the ring follows the value; before that 2 to 8 "
               "with a ring of 2 * 8 ms (commit b2e97edffdab of 2023, review D41942; which release is the "
               "first: not verified)",
    .guide.now = NOW("2", OPEN_AGAIN),
    .guide.persistent = EVER("2"),
    .guide.needs = ST_NEEDS_REOPEN,
    .guide.check = "sysctl hw.usb.uaudio.buffer_ms",
    .guide.undo = "take the line out of /boot/loader.conf; to undo it at once: sysctl "
                  "hw.usb.uaudio.buffer_ms=4 (the default)",
    .worst = ST_STATUS_ADVICE,
    .facts = ST_RULE_KEYS(BUFFER, ST_FREEBSD_OSRELDATE, ST_FREEBSD_DEFAULT_UNIT, "freebsd.dev.pcm.*.%parent",
                          "freebsd.sndstat.*"),
    .judge = judge_uaudio_buffer,
};

/* --- freebsd-uaudio-format: hw.usb.uaudio.default_{rate,bits,channels}: the mode that a USB interface is
 * put into. --- */

#define RATE     "freebsd.hw.usb.uaudio.default_rate"
#define BITS     "freebsd.hw.usb.uaudio.default_bits"
#define CHANNELS "freebsd.hw.usb.uaudio.default_channels"

#define UAUDIO_FORMAT_NOW(rate)                                                                              \
    "sysctl hw.usb.uaudio.default_rate=" rate "\n# then unplug the interface and plug it in"

#define UAUDIO_FORMAT_EVER(rate) "# /boot/loader.conf\nhw.usb.uaudio.default_rate=\"" rate "\""
#define RATE_MAX                 10000000

static void fix_uaudio_format(struct st_finding *finding)
{
    st_finding_fix_now(finding, UAUDIO_FORMAT_NOW("%u"), (unsigned)finding->wish->rate_hz);
    st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, UAUDIO_FORMAT_EVER("%u"),
                              (unsigned)finding->wish->rate_hz);
}

static void judge_uaudio_format(struct st_finding *finding)
{
    char key[ST_FREEBSD_KEY_BYTES];
    int64_t rate;
    if (st_finding_need_int(finding, RATE, &rate) != 0)
        return;
    st_finding_quote(finding, BITS);
    st_finding_quote(finding, CHANNELS);
    const int64_t unit = st_freebsd_usb_unit(finding->facts);
    if (unit < 0) {
        st_finding_not_applicable(finding, "no USB sound device is attached");
        return;
    }
    if (rate < 0 || rate > RATE_MAX) {
        st_finding_unknown(finding, "a default_rate of %" PRId64 " Hz is not valid", rate);
        return;
    }
    snprintf(key, sizeof(key), "freebsd.sndstat.pcm%" PRId64 ".play.rate_hz", unit);
    st_finding_quote(finding, key);
    const int64_t now_hz = st_machine_int_or(finding->facts, key, 0);
    if (now_hz > finding->wish->rate_hz) {
        st_finding_advice(finding,
                          "pcm%" PRId64 " runs at %" PRId64 " Hz, so your sound of %u Hz is resampled, and "
                          "the USB bus has more to send",
                          unit, now_hz, (unsigned)finding->wish->rate_hz);
        fix_uaudio_format(finding);
    } else if (rate != 0 && rate != finding->wish->rate_hz) {
        st_finding_advice(finding,
                          "USB interfaces are set to %" PRId64 " Hz, so your sound of %u Hz is resampled",
                          rate, (unsigned)finding->wish->rate_hz);
        fix_uaudio_format(finding);
    } else if (rate == 0 && now_hz == 0) {
        st_finding_ok(finding,
                      "pcm%" PRId64 " is set to its best mode (default_rate 0); /dev/sndstat does not show "
                      "which mode",
                      unit);
    } else {
        st_finding_ok(finding, "pcm%" PRId64 " is set to %" PRId64 " Hz", unit, rate != 0 ? rate : now_hz);
    }
    st_finding_effect(
        finding, 0, "resampling adds delay to the sound and work for its thread; threads do not wake later");
}

const struct st_rule st_rule_freebsd_uaudio_format = {
    .id = "freebsd-uaudio-format",
    .title = "USB audio mode (hw.usb.uaudio.default_rate)",
    .mechanism = "When a USB interface is plugged in, the driver picks its mode by default_rate, "
                 "default_bits and default_channels; 0 means the highest mode of the device. A mode higher "
                 "than the sound needs costs bandwidth on the bus and a conversion.",
    .cost = "convenience: sound with a higher rate is resampled to this one",
    .when_not = "you work at the interface's highest rate",
    .sources = "snd_uaudio(4) (0 is the device's maximum; takes effect when the device is attached)\n"
               "default_bits is 32 on 13.2 and 0 on 15.1 as captured",
    .guide.now = UAUDIO_FORMAT_NOW("48000"),
    .guide.persistent = UAUDIO_FORMAT_EVER("48000"),
    .guide.needs = ST_NEEDS_REOPEN,
    .guide.check = "sysctl hw.snd.verbose=2; cat /dev/sndstat   # spd 48000 on the line of the device",
    .guide.undo =
        "take the line out of /boot/loader.conf; 0, the default, means the highest mode of the device",
    .worst = ST_STATUS_ADVICE,
    .facts = ST_RULE_KEYS(RATE, BITS, CHANNELS, ST_FREEBSD_DEFAULT_UNIT, "freebsd.dev.pcm.*.%parent",
                          "freebsd.sndstat.*"),
    .judge = judge_uaudio_format,
};
