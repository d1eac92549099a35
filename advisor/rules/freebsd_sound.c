/* FreeBSD: the sound devices of sound(4), USB ones among them. */
#include "advisor/rules/machine.h"

/* --- USB sound devices --- */

#define PCM          "freebsd.dev.pcm."
#define DEFAULT_UNIT "freebsd.hw.snd.default_unit"

/** Number of the unit (pcmN) of a USB sound device: of the default unit if that is a USB device,
 * else of another one. -1: no USB sound device is known. */
static int64_t usb_unit(const struct st_facts *facts)
{
    /* the parent of a USB unit is "uaudio0"; /dev/sndstat of FreeBSD 13 and older shows the
     * driver's module instead, "snd_uaudio" */
    static const struct {
        const char *prefix, *suffix;
    } rows[] = {{PCM, ".%parent"}, {ST_KEYS_FREEBSD_SNDSTAT "pcm", ".parent"}};
    const int64_t default_unit = st_facts_int_or(facts, DEFAULT_UNIT, -1);
    int64_t found = -1, unit;
    ST_EACH (row, rows) {
        ST_FACTS_EACH (parent, facts, row->prefix, row->suffix) {
            if (parent->state == ST_FACT_OK &&
                (st_text_begins(parent->text, "uaudio") ||
                 st_text_is(parent->text, "snd_uaudio")) &&
                st_text_int(st_fact_part(parent, row->prefix), &unit) == 0 &&
                (found < 0 || unit == default_unit))
                found = unit;
        }
    }
    return found;
}

/* --- freebsd-sound-polling: does a driver poll its sound card at clock ticks instead of using
 * interrupts?
 * --- */

#define HDAC    "freebsd.dev.hdac."
#define POLLING ".polling"
#define HZ_MAX  1000000

static void judge_polled(struct st_finding *finding, const char *polled)
{
    const double period_us = st_rule_period_us(finding);
    const int64_t hz = st_facts_int_or(finding->facts, ST_KEY_FREEBSD_KERN_HZ, 0);
    const char *name = polled + strlen(ST_KEYS_FREEBSD);
    const double tick_us = hz >= 1 && hz <= HZ_MAX ? 1e6 / (double)hz : 0,
                 wait_us = fmax(tick_us, period_us / 2);
    st_finding_advice(finding,
                      "%.40s is on: the driver checks the sound card only at clock ticks, so "
                      "programs may wait for the next tick",
                      name);
    if (tick_us > 0)
        st_finding_effect(finding, wait_us,
                          "the driver checks the card once in half a block of sound, but at most "
                          "once in a clock tick of %.0f µs (hz %jd): %.1f µs",
                          tick_us, hz, wait_us);
    /* the name becomes part of a command that the user pastes, so it must be safe in a shell */
    if (st_machine_is_plain(name)) {
        st_rule_fix_with(finding, "dev.hdac.N.polling", name);
        /* no change for pcm: its units get other numbers when a USB device comes or goes, and a
         * line in a file would then be about another card */
        if (st_text_begins(polled, HDAC))
            st_finding_change(finding, ST_CHANGE_SYSCTL, name, "0");
    }
}

static void judge_sound_polling(struct st_finding *finding)
{
    const struct st_fact *polled = NULL, *unread = NULL, *device = NULL;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_FREEBSD_DEV, POLLING) {
        device = fact;
        st_finding_quote(finding, fact);
        if (!fact->is_int)
            unread = fact;
        if (fact->i64 != 0)
            polled = st_fact_or(polled, fact);
    }
    const char *dead = st_facts_text_or(finding->facts, ST_KEY_FREEBSD_DEAD_CHANNEL, NULL);
    if (polled == NULL && dead != NULL) {
        st_finding_problem(finding,
                           "the interrupts of the sound card %.20s did not arrive (channel dead), "
                           "so its sound stopped: try polling mode",
                           dead);
        st_finding_fix(
            finding,
            "sysctl dev.hdac.0.polling=1   # 0: number of the card's hdac (sysctl dev.pcm)",
            "# if that helps, /etc/sysctl.conf:\ndev.hdac.0.polling=1\n# or, in /boot/loader.conf: "
            "hint.hdac.0.msi=\"0\"",
            ST_NEEDS_NOTHING);
    } else if (polled != NULL)
        judge_polled(finding, polled->key);
    else if (unread != NULL)
        st_finding_unknown(finding,
                           "sleeptune could not read whether each sound card uses polling mode");
    else if (device == NULL)
        st_finding_not_applicable(finding, "no sound driver here has a polling mode");
    else
        st_finding_fine(
            finding, "the sound cards report at once when a block of sound is done (no polling)");
}

const struct st_rule st_rule_freebsd_sound_polling = {
    .id = "freebsd-sound-polling",
    .title = "Sound card checked only at clock ticks (dev.hdac.N.polling)",
    .mechanism =
        "In polling mode the driver does not use the card's interrupt at the end of a block, but "
        "checks the card at clock ticks. A program may have to wait for the next check.",
    .when_not = "cards whose interrupts are broken (\"play interrupt timeout, channel dead\"): "
                "they need polling mode",
    .sources = "manuals: snd_hda(4), sound(4) (dev.pcm.N.polling of older drivers)\n"
               "FreeBSD's source code, sys/dev/sound/pci/hda/hdac.c, hdac_poll_reinit(): the "
               "driver checks the card once in half a block, at most once in a tick",
    .now = "sysctl dev.hdac.N.polling=0",
    .persistent = "# /etc/sysctl.conf, or remove a line with 1 there (0 is the "
                  "default)\ndev.hdac.N.polling=0",
    .check = "sysctl dev.hdac.0.polling   # 0",
    .undo = "sysctl dev.hdac.N.polling=1",
    .worst = ST_STATUS_PROBLEM,
    .problem_share = 1,
    .facts = ST_RULE_KEYS(HDAC "*" POLLING, PCM "*" POLLING, ST_KEY_FREEBSD_KERN_HZ,
                          ST_KEY_FREEBSD_DEAD_CHANNEL),
    .targets = ST_RULE_KEYS("dev.hdac.*.polling"),
    .judge = judge_sound_polling,
};

/* --- freebsd-uaudio-buffer: how much sound goes over USB at once (hw.usb.uaudio.buffer_ms) --- */

#define USB_NOW(ms, next) "sysctl hw.usb.uaudio.buffer_ms=" ms "\n# then " next

#define OPEN_AGAIN "open the device again; if that does not help, unplug it and plug it in again"

#define USB_EVER(ms)                                                                               \
    "# /boot/loader.conf, because the driver may be loaded late\nhw.usb.uaudio.buffer_ms=\"" ms "\""
#define USB_MS_MAX 8
/* osreldate from which the ring follows buffer_ms and 1 ms is allowed: commit b2e97edffdab */
#define FIRST_ADAPTIVE 1401000
#define FIXED_RING_MS  8 /* ms; half of the ring in older versions */
#define BLOCK_SLACK_US                                                                             \
    500 /* us; a block may be this much longer or shorter than buffer_ms, since it consists of     \
           whole frames */

static void judge_uaudio_buffer(struct st_finding *finding, int64_t ms)
{
    const int64_t unit = usb_unit(finding->facts);
    const bool adaptive =
        st_facts_int_or(finding->facts, ST_KEY_FREEBSD_KERN_OSRELDATE, 0) >= FIRST_ADAPTIVE;
    const double period_ms = st_rule_period_us(finding) / 1e3;
    /* length of the block that the attached device uses now, in ms (the fact is in us); 0: not
     * known */
    const char *key = st_text(ST_KEYS_FREEBSD_SNDSTAT "pcm%jd.play.block_us", unit);
    const double now_ms = fmax((double)st_facts_int_or(finding->facts, key, 0) / 1e3, 0);
    const int64_t fits = (int64_t)fmin(fmax(period_ms, 2 - adaptive), USB_MS_MAX),
                  ring_ms = adaptive ? 2 * ms : 2 * FIXED_RING_MS;
    const double block_ms = adaptive && now_ms > 0 ? now_ms : (double)ms;
    if (unit < 0) {
        st_finding_not_applicable(finding, "no USB sound device is attached");
        return;
    }
    st_finding_quote_key(finding, st_text(PCM "%jd.%%parent", unit));
    st_finding_quote_key(finding, key);
    if (st_rule_say(
            finding,
            {fabs(block_ms - (double)ms) * 1e3 > BLOCK_SLACK_US, ST_STATUS_ADVICE,
             st_text("hw.usb.uaudio.buffer_ms is set to %jd, but the USB sound card pcm%jd still "
                     "uses blocks of %.1f ms",
                     ms, unit, now_ms)},
            {ms > fits, ST_STATUS_ADVICE,
             st_text("the driver sends sound to the USB card pcm%jd in blocks of %jd ms, which is "
                     "longer than your period of %.2f ms",
                     unit, ms, period_ms)},
            {true, ST_STATUS_OK,
             st_text("the driver sends sound to the USB card pcm%jd in blocks of %jd ms%s%s", unit,
                     ms, (double)ms > period_ms ? ", the shortest length possible" : "",
                     now_ms > 0 ? ""
                                : ", according to the setting (/dev/sndstat does not show the "
                                  "value in use)")})) {
        st_finding_fix_now(finding, USB_NOW("%jd", "%s"), ST_MIN(ms, fits),
                           adaptive ? OPEN_AGAIN : "unplug the interface and plug it in again");
        st_finding_fix_persistent(finding, ST_NEEDS_REOPEN, USB_EVER("%jd"), ST_MIN(ms, fits));
    }
    st_finding_effect(
        finding, fmax(0, block_ms - period_ms) * 1e3,
        "the block of %.1f ms minus the period of %.2f ms, if the block is longer; besides, input "
        "and output together are about %jd ms late (2 * %jd ms for USB, %jd ms of buffer)",
        block_ms, period_ms, 2 * ms + ring_ms, ms, ring_ms);
}

const struct st_rule st_rule_freebsd_uaudio_buffer = {
    .id = "freebsd-uaudio-buffer",
    .title = "Length of USB audio blocks (hw.usb.uaudio.buffer_ms)",
    .mechanism = "The USB audio driver sends sound in blocks that last hw.usb.uaudio.buffer_ms, "
                 "whatever period a program uses. If the period is shorter, the driver wakes the "
                 "program only once for several of its periods.",
    .cost = "power: on one laptop buffers of 2 ms instead of 4 ms took about 0.5 W more; on a busy "
            "USB bus the sound may have gaps",
    .when_not = "you only play back, without live input: then 4 ms is a good choice",
    .sources = "manual snd_uaudio(4); FreeBSD review D41942, where 32, 16, 8, 4 ms of delay were "
               "measured with buffer_ms 8, 4, 2, 1\n"
               "from commit b2e97edffdab on the range is 1 to 8, the default 4; before that 2 to "
               "8, with a buffer of 2 * 8 ms\n"
               "not checked: whether 14.1 is the first release with it, and whether 13.3 has it\n"
               "when it takes effect: by the commit, when the device is opened again; by the "
               "manual, when it is plugged in again\n"
               "seen: blocks of 8 ms on 13.2 with the value 8, of 4 ms on 15.1 with the value 4",
    .history = "14: 1 ms is allowed, the default is 4, and the buffer gets shorter with the value; "
               "before that 2 to 8 with a buffer of 2 * 8 ms (commit b2e97edffdab of 2023, review "
               "D41942; the first release with it was not checked)",
    .now = USB_NOW("2", OPEN_AGAIN),
    .persistent = USB_EVER("2"),
    .needs = ST_NEEDS_REOPEN,
    .check = "sysctl hw.usb.uaudio.buffer_ms",
    .undo = "delete the line in /boot/loader.conf and restart",
    .facts = ST_RULE_KEYS("freebsd.hw.usb.uaudio.buffer_ms", ST_KEY_FREEBSD_KERN_OSRELDATE,
                          DEFAULT_UNIT, "freebsd.dev.pcm.*.%parent", ST_KEYS_FREEBSD_SNDSTAT "*"),
    .least = 1,
    .most = USB_MS_MAX,
    .judge_number = judge_uaudio_buffer,
};
