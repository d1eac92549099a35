/* Linux: sound devices and their drivers. */
#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"
#include "core/ns.h"

/* --- linux-usb-autosuspend: USB audio interfaces that may be put to sleep. --- */

#define NOW_FILE(device) "/sys/bus/usb/devices/" device "/power/control"

#define RULE(vendor, product)                                                                      \
    "ACTION==\"add\", SUBSYSTEM==\"usb\", ATTR{idVendor}==\"" vendor                               \
    "\", ATTR{idProduct}==\"" product "\", ATTR{power/control}=\"on\""

#define EVER(rule) "# /etc/udev/rules.d/90-sleeptune.rules\n" rule

static bool is_usb_id(const char *text)
{
    return strlen(text) == 4 && strspn(text, "0123456789abcdefABCDEF") == 4;
}

/* Adds two changes: power/control of the device that is plugged in, and a udev rule for all devices
 * with its vendor and product id. */
static void fix_usb_power(struct st_finding *finding, const struct st_fact *control)
{
    const char *vendor = st_fact_beside_text_or(control, "vendor_id", ""),
               *product = st_fact_beside_text_or(control, "product_id", "");
    const bool is_first = finding->fix_now == NULL; /* the commands name only the first device */
    const char *device = st_fact_part(control, ST_KEYS_USB_AUDIO); /* name of the device: "1-2.3" */
    const char *path = st_text(NOW_FILE("%s"), st_machine_is_plain(device) ? device : "DEVICE");
    const char *rule = st_text(RULE("%s", "%s"), vendor, product);
    if (is_first) {
        st_rule_fix(finding);
        st_finding_fix_now(finding, "echo on | sudo tee %s", path);
    }
    if (!is_usb_id(vendor) || !is_usb_id(product))
        return;
    st_finding_change(finding, ST_CHANGE_SYSFS_NOW, path, "on");
    st_finding_change(finding, ST_CHANGE_UDEV, "rule", rule);
    if (is_first)
        st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, EVER("%s"), rule);
}

static void judge_usb_autosuspend(struct st_finding *finding)
{
    /* the device to report: the first one that may sleep, else the first one seen */
    const struct st_fact *shown = NULL;
    size_t devices_n = 0, asleep_n = 0, unread_n = 0;
    ST_FACTS_EACH (control, finding->facts, ST_KEYS_USB_AUDIO, ".control") {
        const bool unread = st_fact_is_unread(control),
                   asleep = !unread && !st_text_is(control->text, "on") &&
                            st_fact_beside_int_or(control, "autosuspend_ms", 0) >= 0;
        if (shown == NULL || (asleep && asleep_n == 0))
            shown = control;
        if (asleep)
            fix_usb_power(finding, control);
        devices_n++;
        asleep_n += asleep;
        unread_n += unread;
    }
    if (shown == NULL) {
        st_finding_not_applicable(finding, "no USB audio interface is connected");
        return;
    }
    st_finding_quote(finding, shown);
    const char *name = st_fact_beside_text_or(shown, "product", "a USB audio interface");
    if (asleep_n > 0) {
        st_finding_advice(finding,
                          "the kernel may suspend %.40s when nothing plays; the interface may then "
                          "wake up late or not at all",
                          name);
        st_finding_effect(finding, 0, "no lateness while you play: the interface stays awake then");
    } else if (unread_n > 0) {
        st_finding_unknown(finding, "whether the kernel may suspend %.40s could not be read", name);
    } else {
        st_finding_fine(finding, "the kernel does not suspend the USB audio interfaces (%zu)",
                        devices_n);
    }
}

const struct st_rule st_rule_linux_usb_autosuspend = {
    .id = "linux-usb-autosuspend",
    .title = "Autosuspend of USB audio interfaces",
    .mechanism = "Power savers (TLP, powertop) let the kernel suspend USB devices that are idle. "
                 "An audio interface then needs part of a second to wake, and some never wake.",
    .cost = "power: up to some hundred mW (not measured here)",
    .when_not = "on battery, if you seldom use the interface",
    .sources = "Linux documentation: driver-api/usb/power-management.rst, power/control and "
               "autosuspend_delay_ms (a negative delay means never)",
    .now = "echo on | sudo tee " NOW_FILE("DEVICE"),
    .persistent = EVER(RULE("VVVV", "PPPP")),
    .check = "grep . /sys/bus/usb/devices/*/product   # shows the DEVICE of your interface; lsusb "
             "shows VVVV:PPPP\ncat /sys/bus/usb/devices/DEVICE/power/control   # on",
    .undo = "delete the line with power/control in /etc/udev/rules.d/90-sleeptune.rules and plug "
            "the interface in again",
    .facts = ST_RULE_KEYS(ST_KEYS_USB_AUDIO "*.control", ST_KEYS_USB_AUDIO "*.autosuspend_ms",
                          ST_KEYS_USB_AUDIO "*"),
    .targets = ST_RULE_KEYS(NOW_FILE("*")),
    .judge = judge_usb_autosuspend,
};

/* --- linux-usb-path: what lies between a USB interface and the computer --- */

#define FULL_SPEED_MBIT 12
#define ONE_TRANSLATOR  "01" /* bDeviceProtocol: one transaction translator for all ports */

/** Is another full-speed audio interface plugged into the same hub? */
static bool shares_hub(const struct st_fact *speed)
{
    const char *device = st_fact_part(speed, ST_KEYS_USB_AUDIO), *dot = strrchr(device, '.');
    const char *hub =
        st_text(ST_KEYS_USB_AUDIO "%.*s.", dot != NULL ? (int)(dot - device) : 0, device);
    ST_FACTS_EACH (fact, speed->facts, hub, ".speed_mbit") {
        if (fact != speed && fact->i64 == FULL_SPEED_MBIT &&
            strchr(fact->key + strlen(hub), '.') == strrchr(fact->key, '.'))
            return true;
    }
    return false;
}

static void judge_usb_path(struct st_finding *finding)
{
    size_t devices_n = 0;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_USB_AUDIO, ".speed_mbit") {
        int64_t speed;
        if (st_finding_need_int(finding, fact->key, &speed) != 0)
            continue;
        devices_n++;
        /* the report quotes cameras on the same bus and the interrupts of USB controllers, but the
         * rule does not judge them, since no limit is known */
        const char *device = st_fact_part(fact, ST_KEYS_USB_AUDIO),
                   *bus =
                       st_text(ST_KEYS_USB_CAMERA "%.*s-", (int)strcspn(device, "-") % 24, device);
        ST_FACTS_EACH (camera, finding->facts, bus, ".product")
            st_finding_quote(finding, camera);
        ST_FACTS_EACH (line, finding->facts, ST_KEYS_IRQ, ".actions") {
            if (line->state == ST_FACT_OK && strstr(line->text, "hci_hcd") != NULL)
                st_finding_quote(finding, line);
        }
        /* software: a DWC OTG controller, whose driver translates transfers through a hub in
         * software. A '.' in the device's name means that the device is behind a hub */
        const bool software =
            strstr(st_fact_beside_text_or(fact, "controller", ""), "DWC OTG") != NULL &&
            strchr(device, '.') != NULL;
        if (speed != FULL_SPEED_MBIT ||
            (!software && (!st_fact_beside_is(fact, "hub", ONE_TRANSLATOR) || !shares_hub(fact))))
            continue;
        st_rule_advise(finding,
                       software ? "%.40s sends at 12 Mbit/s through a hub to a DWC OTG controller, "
                                  "whose driver does part of the work in software: sound packets "
                                  "are lost if an interrupt comes late"
                                : "%.40s and another audio interface share a USB hub that has only "
                                  "one translator for slow devices: sound packets may be lost",
                       st_fact_beside_text_or(fact, "product", "a USB audio interface"));
        return;
    }
    if (finding->summary == NULL && devices_n > 0)
        st_finding_fine(finding,
                        "nothing on the way to %zu USB audio interface%s is known to lose packets. "
                        "If the sound clicks: sleeptuned as root can watch the packets (usbmon)",
                        devices_n, ST_PLURAL(devices_n));
    else if (finding->summary == NULL)
        st_finding_not_applicable(finding,
                                  "no USB audio interface whose speed is known is connected");
}

const struct st_rule st_rule_linux_usb_path = {
    .id = "linux-usb-path",
    .title = "USB hubs between an audio interface and the computer",
    .mechanism =
        "A USB interface of 12 Mbit/s needs a translator to the faster bus. Up to the Raspberry Pi "
        "3 the translator is software (dwc_otg, dwc2); simple hubs have one for all ports. Sound "
        "that does not get through in its millisecond is lost, and no xrun counter shows it.",
    .privilege = "none",
    .when_not = "you hear no gaps",
    .sources = "users' reports: raspberrypi/linux issues 575 and 611 (\"Data may have been "
               "lost\"), 1842 (two interfaces on a hub with one translator), 1998 (with a camera), "
               "2020 (without a hub), 7475 (dwc2)\n"
               "how many hubs or cameras on the same bus are too many is unknown; the report shows "
               "them with --details",
    .persistent = "# use another controller's port if possible ('lsusb -t' shows the controllers)\n"
                  "# or a hub with \"TT per port\" (lsusb -v); a Raspberry Pi 4 or newer",
    .needs = ST_NEEDS_REOPEN,
    .check =
        "lsusb -t   # good: 480M; or 12M without another 12M audio device on its hub, and no hub "
        "at dwc_otg or dwc2",
    .undo = "plug the interface back in where it was",
    .facts = ST_RULE_KEYS(ST_KEYS_USB_AUDIO "*.speed_mbit", ST_KEYS_USB_AUDIO "*.hubs_n",
                          ST_KEYS_USB_AUDIO "*.hub", ST_KEYS_USB_AUDIO "*.controller",
                          ST_KEYS_USB_AUDIO "*", ST_KEYS_USB_CAMERA "*.product",
                          ST_KEYS_IRQ "*.actions", ST_KEYS_IRQ "*.cpus"),
    .judge = judge_usb_path,
};

/* --- linux-usb-audio-options: the option lowlatency of the module snd_usb_audio --- */

const struct st_rule st_rule_linux_usb_audio_options = {
    .id = "linux-usb-audio-options",
    .title = "Options of the USB audio driver",
    .mechanism = "With lowlatency=Y the driver fills each USB packet just before it is sent. With "
                 "N it fills a queue of packets ahead, so the sound is heard later.",
    .when_not = "your interface crackles in the low-latency mode: some work only with lowlatency=N",
    .sources =
        "modinfo snd_usb_audio (lowlatency, by default Y); Linux source code: sound/usb/card.c",
    .persistent = "# /etc/modprobe.d/sleeptune.conf, or remove lowlatency=N from the files there\n"
                  "options snd_usb_audio lowlatency=1",
    .needs = ST_NEEDS_REBOOT,
    .check = "cat /sys/module/snd_usb_audio/parameters/lowlatency   # Y",
    .undo = "delete the line with lowlatency in /etc/modprobe.d/sleeptune.conf and restart",
    .facts = ST_RULE_KEYS(ST_KEY_MODULE_SND_USB_AUDIO_LOWLATENCY),
    .most = 1,
    .changes = ST_RULE_CHANGES({ST_CHANGE_MODPROBE, "snd_usb_audio", "lowlatency=1"}),
    .cases = ST_RULE_CASES(
        {1, ST_STATUS_OK,
         "the USB audio driver (snd_usb_audio) runs in its low-latency mode, its default"},
        {0, ST_STATUS_ADVICE,
         "the low-latency mode of the USB audio driver (snd_usb_audio) is off, so you hear the "
         "sound later than needed",
         "without this mode the sound is heard later, but no audio thread is delayed"}),
};

/* --- linux-hda-power-save: HD audio codecs that are switched off when nothing plays. --- */

#define POWER_SAVE_MAX 1000000 /* s; a larger power_save makes the finding unknown */
#define HDA_EVER                                                                                   \
    "# /etc/modprobe.d/sleeptune.conf\n"                                                           \
    "options snd_hda_intel power_save=0 power_save_controller=N"

/* tuned and TLP set power_save when they start, after the kernel read HDA_EVER */
#define HDA_TUNED                                                                                  \
    HDA_EVER "\n# and, because tuned's profile balanced switches the card off after 10 s:\n"       \
             "# /etc/tuned/profiles/balanced/tuned.conf\n"                                         \
             "# (before tuned 2.23: /etc/tuned/balanced/tuned.conf)\n"                             \
             "[main]\ninclude=balanced\n[audio]\ntimeout=0\n# then\nsudo systemctl restart tuned"
#define HDA_TLP                                                                                    \
    "# /etc/tlp.d/90-sleeptune.conf\nSOUND_POWER_SAVE_ON_AC=0\nSOUND_POWER_SAVE_ON_BAT=0\n"        \
    "# then\nsudo tlp start"

/** Does this machine have an HD audio card other than the HDMI output of a graphics card? true also
 * if no card is known. */
static bool has_hda(struct st_finding *finding)
{
    const char *name;
    size_t cards_n = 0;
    ST_FACTS_EACH (driver, finding->facts, ST_KEYS_CARD, ".driver") {
        cards_n += driver->state == ST_FACT_OK;
        if (!st_fact_is(driver, "HDA-Intel") || st_fact_beside_text(driver, "name", &name) != 0)
            continue;
        if (strstr(name, "HDMI") == NULL && strstr(name, "NVidia") == NULL)
            return true;
        st_finding_quote(finding, driver);
    }
    return cards_n == 0;
}

static void judge_hda_power_save(struct st_finding *finding, int64_t after_s)
{
    if (!has_hda(finding)) {
        st_finding_fine(finding, "no built-in HD audio card is here that could be switched off; "
                                 "HDMI of a graphics card does not count");
    } else if (after_s == 0) {
        st_finding_fine(
            finding,
            "the sound card stays on when nothing plays, so the next sound begins without a click");
    } else {
        st_finding_advice(finding,
                          "the sound card is switched off after %jd s of silence; the next sound "
                          "then begins late, maybe with a click",
                          after_s);
        st_finding_effect(finding, 0, "no lateness while you play: the card stays on then");
        if (st_facts_has_int(finding->facts, ST_KEY_DAEMON_TUNED))
            st_finding_fix(finding, finding->rule->now, HDA_TUNED, ST_NEEDS_NOTHING);
        else if (st_facts_has_int(finding->facts, ST_KEY_TLP_ENABLED))
            st_finding_fix(finding, finding->rule->now, HDA_TLP, ST_NEEDS_NOTHING);
        else
            st_rule_fix(finding);
    }
}

const struct st_rule st_rule_linux_hda_power_save = {
    .id = "linux-hda-power-save",
    .title = "Power saving of the built-in sound card",
    .mechanism = "The HD audio driver switches the sound chip (codec) off after some seconds in "
                 "which nothing plays. Switching it on again may take some hundred ms and may "
                 "click. While something plays, nothing is switched off. tuned and TLP set the "
                 "time again when they start: if one of them runs, the report shows its file.",
    .cost = "power: about half a watt",
    .when_not = "on battery, unless the clicks disturb you",
    .sources = "Linux documentation: sound/hd-audio/notes.rst (power_save, power_save_controller; "
               "for some cards the driver never saves power)\n"
               "tuned's source code: profiles/balanced/tuned.conf, tuned/profiles/loader.py; "
               "manual tlp.conf(5)",
    .now = "echo 0 | sudo tee /sys/module/snd_hda_intel/parameters/power_save",
    .persistent = HDA_EVER,
    .check = "cat /sys/module/snd_hda_intel/parameters/power_save   # 0",
    .undo = "delete the line with snd_hda_intel in /etc/modprobe.d/sleeptune.conf, and the line in "
            "tuned's or TLP's file; restart",
    .facts = ST_RULE_KEYS(ST_KEY_MODULE_SND_HDA_INTEL_POWER_SAVE, ST_KEYS_CARD "*.driver",
                          ST_KEYS_CARD "*.name", ST_KEY_DAEMON_TUNED, ST_KEY_TLP_ENABLED),
    .changes = ST_RULE_CHANGES(
        {ST_CHANGE_SYSFS, "/sys/module/snd_hda_intel/parameters/power_save", "0"},
        {ST_CHANGE_MODPROBE, "snd_hda_intel", "power_save=0 power_save_controller=N"}),
    .most = POWER_SAVE_MAX,
    .judge_number = judge_hda_power_save,
};

/* --- linux-idle-suspend: does WirePlumber close outputs when nothing plays? --- */

#define SUSPEND_DEFAULT_S 5 /* s; default in WirePlumber's suspend-node.lua */
#define SUSPEND_LUA                                                                                \
    "# /etc/wireplumber/main.lua.d/52-sleeptune.lua\ntable.insert(alsa_monitor.rules,\n"           \
    "  { matches = { { { \"node.name\", \"matches\", \"alsa_output.*\" } } },\n"                   \
    "  apply_properties = { [\"session.suspend-timeout-seconds\"] = 0 } })\n"                      \
    "# then\nsystemctl --user restart wireplumber"

/** Is this node an ALSA output? @param only_playing true: only one that plays now; false: any but
 * HDMI and S/PDIF (iec958), which few people use. */
static bool is_output(const struct st_fact *name, bool only_playing)
{
    static const char *const hdmi[] = {"hdmi", "HDMI", "iec958", NULL};
    return name->state == ST_FACT_OK && st_text_begins(name->text, "alsa_output.") &&
           (only_playing ? st_buffer_is_playing(name) : !st_text_has_among(name->text, hdmi));
}

static void judge_idle_suspend(struct st_finding *finding)
{
    const struct st_fact *closed = NULL;
    size_t kept_n = 0, playing_n = 0;
    int64_t closed_s = 0;
    if (!st_buffer_need_nodes(finding))
        return;
    ST_FACTS_EACH (name, finding->facts, ST_KEYS_PIPEWIRE_NODE, ".name")
        playing_n += is_output(name, true);
    ST_FACTS_EACH (name, finding->facts, ST_KEYS_PIPEWIRE_NODE, ".name") {
        const int64_t after_s = st_fact_beside_int_or(name, "suspend_s", SUSPEND_DEFAULT_S);
        if (!is_output(name, playing_n > 0))
            continue;
        if (after_s == 0) {
            kept_n++;
        } else if (closed == NULL) {
            closed = name;
            closed_s = after_s;
        }
    }
    if (closed != NULL) {
        st_finding_quote(finding, closed);
        st_finding_advice(finding,
                          "the output %.60s is closed after %jd s of silence; the next sound "
                          "begins late, maybe with a click",
                          closed->text, closed_s);
        st_finding_effect(finding, 0, "no lateness while you play: the output stays open then");
        st_rule_fix(finding);
        if (st_facts_int_or(finding->facts, ST_KEY_WIREPLUMBER_LUA, 0) != 0)
            st_finding_fix(finding, NULL, SUSPEND_LUA, ST_NEEDS_REOPEN);
    } else if (kept_n > 0) {
        st_finding_fine(finding,
                        "the outputs in use (%zu) stay open when nothing plays, so the next sound "
                        "begins without a click",
                        kept_n);
    } else {
        st_finding_not_applicable(finding,
                                  "PipeWire has no output but HDMI, on which nothing plays");
    }
}

const struct st_rule st_rule_linux_idle_suspend = {
    .id = "linux-idle-suspend",
    .title = "Outputs that are closed when nothing plays",
    .mechanism = "WirePlumber closes an output on which nothing plays. Many devices click when "
                 "they are closed or opened, and the first moment of the next sound is lost.",
    .privilege = "root, except for a file in ~/.config/wireplumber",
    .cost = "power: the device stays on",
    .when_not = "on battery, or you hear no clicks between sounds",
    .sources =
        "WirePlumber's source code: src/scripts/node/suspend-node.lua "
        "(session.suspend-timeout-seconds, 5 if not set); of 0.4, src/scripts/suspend-node.lua and "
        "src/config/main.lua.d/50-alsa-config.lua\n"
        "a user's report: pops after 5 s, gone with 0 (discussion.fedoraproject.org/t/102599)",
    .persistent =
        "# /etc/wireplumber/wireplumber.conf.d/91-sleeptune.conf (WirePlumber 0.5 or later)\n"
        "monitor.alsa.rules = [ { matches = [ { node.name = \"~alsa_output.*\" } ]\n"
        "  actions = { update-props = { session.suspend-timeout-seconds = 0 } } } ]\n"
        "# then\nsystemctl --user restart wireplumber",
    .needs = ST_NEEDS_REOPEN,
    .check = "pw-dump | grep suspend-timeout   # 0",
    .undo = "delete that file and run systemctl --user restart wireplumber",
    .facts = ST_RULE_KEYS(ST_KEYS_PIPEWIRE_NODE "*", ST_KEYS_PIPEWIRE_NODE "*.suspend_s",
                          ST_KEY_WIREPLUMBER_LUA),
    .judge = judge_idle_suspend,
};

/* --- linux-card-rate: how many frames a second the card plays, compared with its nominal rate
 * --- */

static void judge_card_rate(struct st_finding *finding)
{
    size_t right_n = 0;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_ALSA, ".moved_hz") {
        const int64_t hz = fact->i64;
        int64_t rate_hz = 0;
        const char *name = st_machine_stream_name(fact);
        st_finding_quote(finding, fact);
        if (!fact->is_int || st_fact_beside_int(fact, "rate_hz", &rate_hz) != 0) {
            st_finding_unknown(finding, "the real sample rate of %.40s could not be read", name);
        } else if (hz < rate_hz - rate_hz / 20) {
            st_rule_advise(finding,
                           "%.40s plays %jd frames a second instead of %jd (%.1f %% too slow): the "
                           "sound falls behind, and no xrun counter shows it",
                           name, hz, rate_hz, 100 - 100 * (double)hz / (double)rate_hz);
            return;
        }
        right_n++; /* a rate that is too high counts as right, since a pause makes a stream look too
                      fast */
    }
    if (right_n > 0 && finding->summary == NULL)
        st_finding_fine(finding, "each sound card that plays (%zu) keeps its sample rate", right_n);
    else if (finding->summary == NULL)
        st_finding_not_applicable(
            finding, "nothing has played long enough to measure a card's real sample rate");
}

const struct st_rule st_rule_linux_card_rate = {
    .id = "linux-card-rate",
    .title = "Sample rate that the sound card really has",
    .mechanism = "A card whose clock is wrong plays fewer frames in a second than it promised. "
                 "Programs then wait or drop sound: the pitch is too low, video falls behind, and "
                 "every xrun counter stays at 0.",
    .privilege = "none",
    .when_not = "the program was paused or the computer's time was set while it played: stop the "
                "program and check again",
    .sources = "a user's report: DisplayPort with 39,526 instead of 48,000 Hz, without xruns "
               "(bc250-docs issue 39); Linux source code: sound/core/pcm.c\n"
               "limits that sleeptune chose: a card is slow if it plays more than 5 % too slowly "
               "for at least 3 s",
    .persistent = "# use another output (USB, analogue), or update driver and firmware of the card",
    .needs = ST_NEEDS_REOPEN,
    .check =
        "cat /proc/asound/card*/pcm*/sub*/status   # hw_ptr / (tstamp - trigger_time): the rate",
    .undo = "choose the old output again",
    .facts =
        ST_RULE_KEYS(ST_KEYS_ALSA "*.moved_hz", ST_KEYS_ALSA "*.rate_hz", ST_KEYS_CARD "*.name"),
    .judge = judge_card_rate,
};

/* --- linux-card-clocks: the clocks of the cards that play and record, as `listen` measured them
 * --- */

#define RATE_PPM  1000
#define DRIFT_PPM 10

/** Judges the clocks of the cards that play and record, as a run of `listen` measured one or
 * both. */
static void judge_card_clocks(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const struct st_wish *wish = finding->wish;
    int64_t rate_ppm = 0, drift_ppm = 0;
    const bool has_rate = st_facts_int(facts, ST_KEY_LISTEN_RATE_PPM, &rate_ppm) == 0,
               has_drift = st_facts_int(facts, ST_KEY_LISTEN_DRIFT_PPM, &drift_ppm) == 0,
               is_unread =
                   st_machine_first_unread(facts, ST_RULE_KEYS(ST_KEY_LISTEN_RATE_PPM,
                                                               ST_KEY_LISTEN_DRIFT_PPM)) != NULL;
    const double away_ppm = fabs((double)drift_ppm);
    if (st_rule_say(
            finding,
            {llabs(rate_ppm) > RATE_PPM, ST_STATUS_ADVICE,
             st_text("the card that records runs %.2f %% too %s: its clock or its sample rate is "
                     "wrong, so the pitch of the sound changes",
                     fabs((double)rate_ppm) / 1e4, rate_ppm > 0 ? "fast" : "slow")},
            {away_ppm >= DRIFT_PPM, ST_STATUS_ADVICE,
             st_text(
                 "the clocks of the cards that play and record differ by %.0f ppm: unless sound is "
                 "resampled, %u frames are lost or played twice every %s",
                 away_ppm, wish->frames,
                 st_ns_short(llround(wish->frames / (fmax(away_ppm, 1) * 1e-15 * wish->rate_hz))))},
            {is_unread, ST_STATUS_UNKNOWN,
             "what 'sleeptune listen' measured of the cards' clocks cannot be read: run 'sleeptune "
             "listen' again"},
            {!has_drift && st_facts_has_int(facts, ST_KEY_LISTEN_INVALID), ST_STATUS_UNKNOWN,
             "whether the cards' clocks drift apart is unknown: the run of 'sleeptune listen' was "
             "invalid"},
            {!has_rate && !has_drift, ST_STATUS_NOT_APPLICABLE,
             "only 'sleeptune listen' measures the cards' clocks, and none of its results was "
             "given"},
            {has_rate, ST_STATUS_OK, "the card that records keeps its sample rate within 0.1 %"},
            {true, ST_STATUS_OK,
             st_text("the clocks of both cards differ by less than %d ppm, so no sound is lost "
                     "between them",
                     DRIFT_PPM)}))
        st_rule_fix(finding);
}

const struct st_rule st_rule_linux_card_clocks = {
    .id = "linux-card-clocks",
    .title = "Clocks of the cards that play and record",
    .mechanism =
        "Each sound card has a clock of its own, and two clocks drift apart. The difference fills "
        "or empties a buffer until a period is lost or played twice, unless sound is resampled.",
    .privilege = "none",
    .when_not = "PipeWire, zita-a2j or zita-j2a resamples the sound of the second card, and you "
                "hear no gaps",
    .sources =
        "users' reports: pjsip/pjproject issue 2339 (recording 0.6 % faster than playback: "
        "choppy); agm.me.uk/blog/2007/09/soundcard-clock-accuracy.php (0.016 %: a dropout each 90 "
        "minutes)\n"
        "two cards without word clock: jackaudio.github.com wiki, WalkThrough_User_AlsaInOut\n"
        "limits that sleeptune chose: advice if the clocks differ by 10 ppm or more, or a sample "
        "rate is wrong by more than 0.1 %",
    .persistent = "# two clocks: play and record on one interface, or clock one card by the other\n"
                  "# (word clock, S/PDIF, ADAT), or in JACK let zita-a2j or zita-j2a resample the\n"
                  "# second one. A wrong rate: set the card's clock source to internal, or update\n"
                  "# its firmware",
    .needs = ST_NEEDS_REOPEN,
    .check = "sleeptune listen --back DEVICE --json | sleeptune report --input - linux-card-clocks "
             "  # DEVICE: the card that records",
    .undo = "set and connect both cards as they were before",
    .facts = ST_RULE_KEYS(ST_KEY_LISTEN_RATE_PPM, ST_KEY_LISTEN_DRIFT_PPM, ST_KEY_LISTEN_INVALID),
    .judge = judge_card_clocks,
};

/* --- linux-device-headroom: PipeWire's reserve against devices whose position moves in steps
 * --- */

#define HEADROOM_MAX 8192 /* frames; limit of api.alsa.headroom */
#define HEADROOM_EVER(node, frames)                                                                \
    "# /etc/wireplumber/wireplumber.conf.d/90-sleeptune.conf (WirePlumber 0.5 or later)\n"         \
    "monitor.alsa.rules = [ { matches = [ { node.name = \"" node                                   \
    "\" } ]\n  actions = { update-props = { api.alsa.headroom = " frames                           \
    "\n# then\nsystemctl --user restart wireplumber"
#define HEADROOM_LUA                                                                               \
    "# ~/.config/wireplumber/main.lua.d/51-sleeptune.lua\n"                                        \
    "table.insert(alsa_monitor.rules, { matches = { { { \"node.name\", \"equals\", \"%s\" } } "    \
    "},\n"                                                                                         \
    "  apply_properties = { [\"api.alsa.headroom\"] = %jd } })\n"                                  \
    "# then\nsystemctl --user restart wireplumber"

/** Sets the permanent fix: a reserve of `frames` for this node, in the language (Lua or not) that
 * the installed WirePlumber reads. */
static void fix_headroom(struct st_finding *finding, const char *name, int64_t frames)
{
    const bool lua = st_facts_int_or(finding->facts, ST_KEY_WIREPLUMBER_LUA, 0) != 0;
    st_finding_fix_persistent(finding, ST_NEEDS_REOPEN,
                              lua ? HEADROOM_LUA : HEADROOM_EVER("%s", "%jd } } } ]"),
                              st_machine_is_plain(name) ? name : "NODE", frames);
}

#define SOF_FRAMES   1024 /* frames: this reserve helped in thesofproject/linux issue 5284 */
#define GUEST_FRAMES 2048 /* frames: WirePlumber's reserve in virtual machines (alsa-vm.conf) */
#define GUEST_CYCLE                                                                                \
    4096 /* frames: a cycle of this length had no xruns with position steps of 10 ms; a cycle of   \
            1024 frames had xruns */
#define GUEST_EVER                                                                                 \
    "# /etc/pipewire/pipewire.conf.d/90-sleeptune.conf (PipeWire 1.2 or later)\n"                  \
    "context.properties = { default.clock.quantum = 4096 default.clock.min-quantum = 4096\n"       \
    "  default.clock.max-quantum = 4096 }\n"                                                       \
    "context.properties.rules = [ { matches = [ { cpu.vm.name = !null } ]\n"                       \
    "  actions = { update-props = { default.clock.min-quantum = 4096 } } } ]\n"                    \
    "# then\nsystemctl --user restart pipewire"

/** Does the position of this node's card move in long steps while it plays? For a sink that
 * PipeWire fills by a timer, a step is long if it exceeds PipeWire's cycle plus the reserve. In a
 * virtual machine with WirePlumber's reserve, a step is also long if it lasts at least 5 ms and at
 * least a quarter of the cycle. @return true: the finding is set. */
static bool has_long_steps(struct st_finding *finding, const struct st_fact *node, bool guest,
                           const char *name, int64_t reserve)
{
    int64_t hz, wanted = 32;
    size_t steps_n = 0;
    const struct st_buffer_asked asked = st_buffer_asked(finding->facts);
    const bool by_timer = st_fact_beside_is(node, "media_class", "Audio/Sink") &&
                          !st_fact_beside_is(node, "disable_tsched", "true"),
               emulated = guest && reserve >= GUEST_FRAMES && reserve < HEADROOM_MAX &&
                          asked.cycle_frames < GUEST_CYCLE;
    const char *prefix =
        st_text(ST_KEYS_ALSA "card%jd.pcm", st_fact_beside_int_or(node, "card", -1));
    ST_FACTS_EACH (step, finding->facts, prefix, ".step_frames") {
        const int64_t frames = step->i64;
        if (!step->is_int || st_fact_beside_int(step, "rate_hz", &hz) != 0)
            continue;
        const double cycle = (double)asked.cycle_frames * (double)hz / (double)asked.running_hz;
        steps_n++;
        if (by_timer && (double)frames > cycle + (double)reserve) {
            st_finding_quote(finding, step);
            st_finding_quote(finding, node);
            st_finding_advice(finding,
                              "the card %.60s reports its play position in jumps of %jd frames or "
                              "more, and PipeWire keeps only %.0f frames and a reserve of %jd "
                              "ready: sound may drop out although all programs are in time",
                              name, frames, cycle, reserve);
            while (wanted < frames && wanted < HEADROOM_MAX)
                wanted *= 2;
            fix_headroom(finding, name, wanted);
            return true;
        }
        if (emulated && frames >= hz / 200 && 4 * (double)frames >= cycle) {
            st_finding_quote(finding, step);
            st_finding_advice(finding,
                              "the card %.60s in a virtual machine reports its position in jumps "
                              "of %jd frames or more, a large part of PipeWire's cycle of %jd: "
                              "PipeWire counts xruns although the buffer is full",
                              name, frames, asked.cycle_frames);
            st_finding_fix(finding, NULL, GUEST_EVER, ST_NEEDS_REOPEN);
            return true;
        }
    }
    if (emulated && steps_n == 0 && finding->summary == NULL)
        st_finding_unknown(finding,
                           "whether the card %.60s reports its position in long jumps, so that "
                           "xruns are counted, shows only while the card plays: play something in "
                           "the virtual machine and run the report again",
                           name);
    return false;
}

/* frames of reserve that `apply` writes as api.alsa.headroom (advisor/change/change.c) */
#define WISHED_FRAMES 512

/* Does the card have the reserve that `sleeptune apply linux-device-headroom=CARD` sets? */
static void judge_wished_card(struct st_finding *finding, const char *card)
{
    int64_t lua;
    const struct st_fact *node = NULL;
    ST_FACTS_EACH (name, finding->facts, ST_KEYS_PIPEWIRE_NODE, ".name") {
        if (name->state == ST_FACT_OK && st_text_begins(name->text, card))
            node = name;
    }
    if (node == NULL) {
        st_finding_unknown(
            finding,
            "PipeWire has no card named %.100s now: plug it in, or look for its name in pw-top",
            card);
        return;
    }
    st_finding_quote(finding, node);
    const int64_t frames = st_fact_beside_int_or(node, "headroom_frames", 0);
    if (frames >= WISHED_FRAMES) {
        st_finding_fine(finding, "PipeWire keeps %jd frames in reserve (headroom) for %.100s",
                        frames, card);
        return;
    }
    st_finding_advice(finding,
                      "PipeWire keeps %jd frames in reserve (headroom) for %.100s; you want %d",
                      frames, card, WISHED_FRAMES);
    if (st_facts_int(finding->facts, ST_KEY_WIREPLUMBER_LUA, &lua) != 0) {
        st_rule_fix(finding);
        return;
    }
    st_finding_change(finding, lua != 0 ? ST_CHANGE_WIREPLUMBER_LUA : ST_CHANGE_WIREPLUMBER,
                      st_facts_text_or(finding->facts, ST_BUFFER_PIPEWIRE_FOLDER, ""), card);
    st_finding_fix(finding, NULL, NULL, ST_NEEDS_RELOGIN);
}

static void judge_device_headroom(struct st_finding *finding)
{
    const struct st_facts *facts = finding->facts;
    const char *card;
    /* Xen's dom0 ("control_d") looks like a virtual machine, but is no guest here, since it has the
     * real devices */
    const bool guest =
        st_machine_is_guest(facts) &&
        strstr(st_facts_text_or(facts, ST_KEY_XEN_CAPABILITIES, ""), "control_d") == NULL;
    if (!st_buffer_need_nodes(finding))
        return;
    if (st_facts_text(facts, ST_BUFFER_WIREPLUMBER_CARD, &card) == 0) {
        judge_wished_card(finding, card);
        return;
    }
    ST_FACTS_EACH (path, facts, ST_KEYS_PIPEWIRE_NODE, ".alsa_path") {
        const int64_t frames = st_fact_beside_int_or(path, "headroom_frames", 0);
        const char *name = st_fact_beside_text_or(path, "name", "a sound device");
        const bool sof = path->state == ST_FACT_OK && strstr(path->text, "hw:sof") != NULL;
        if (!st_buffer_is_playing(path))
            continue;
        if (has_long_steps(finding, path, guest, name, frames))
            return;
        if (frames >= (guest ? GUEST_FRAMES : sof))
            continue;
        st_finding_quote(finding, path);
        st_finding_advice(
            finding,
            "the card %.60s%s reports its position in jumps, and PipeWire keeps only %jd frames in "
            "reserve: PipeWire counts xruns although the buffer is full",
            name, guest ? " in a virtual machine" : " (Sound Open Firmware)", frames);
        fix_headroom(finding, name, guest ? GUEST_FRAMES : SOF_FRAMES);
        return;
    }
    if (finding->summary == NULL)
        st_finding_fine(finding, "no sound card that plays needs a larger reserve (headroom)");
}

const struct st_rule st_rule_linux_device_headroom = {
    .id = "linux-device-headroom",
    .title = "Reserve (headroom) for cards whose position jumps",
    .mechanism =
        "PipeWire fills the buffer just ahead of the position that the card reports. If a card "
        "reports it in jumps (Sound Open Firmware, virtual machines), the buffer seems to be empty "
        "after each. A second card, which follows the clock of another one, needs a reserve, too.",
    .privilege = "root, except for a file in ~/.config/wireplumber",
    .cost = "latency: the sound is later by the reserve; 1024 frames are 21 ms",
    .when_not = "there are no xruns: then no reserve is needed",
    .sources =
        "users' reports: thesofproject/linux issues 5284 and 5242 (1024 frames helped); PipeWire "
        "1.5.81 sets a reserve for cards with Sound Open Firmware\n"
        "WirePlumber's alsa-vm.conf sets 2048 frames in virtual machines, for alsa_*.pci.* only\n"
        "users' reports: QEMU's card has jumps of 10 ms, xruns with a cycle of 1024, none with "
        "4096 (try-omarchy pull requests 60 and 69)\n"
        "PipeWire's source code, spa/plugins/alsa/alsa-pcm.c: PipeWire wakes up while a cycle and "
        "the reserve are in the buffer\n"
        "sleeptune reads the position 50 times in 50 ms, so real jumps may be longer",
    .persistent = HEADROOM_EVER(
        "NODE", "1024 } } } ]   # NODE: as in pw-top; frames: 2048 in virtual machines"),
    .needs = ST_NEEDS_REOPEN,
    .check = "pw-dump | grep -A3 headroom   # the frames that were set",
    .undo = "delete that file and run systemctl --user restart wireplumber",
    .facts = ST_RULE_KEYS(ST_KEYS_ALSA "*.step_frames", ST_KEYS_PIPEWIRE_NODE "*.headroom_frames",
                          ST_BUFFER_ASKED_KEYS, ST_KEY_WIREPLUMBER_LUA, ST_KEY_VIRTUAL,
                          ST_KEY_XEN_CAPABILITIES),
    .judge = judge_device_headroom,
};

/* --- linux-card-faults: faults of a sound card that the kernel logged --- */

const struct st_rule st_rule_linux_card_faults = {
    .id = "linux-card-faults",
    .title = "Faults of a sound card in the kernel's log",
    .mechanism = "A sound card loses sound or stops if it does not answer its driver (error -71), "
                 "if a hub switches it off because of electrical noise (EMI), or if its clock is "
                 "not valid. The cause is the cable, the port, the firmware or the driver: no "
                 "setting cures it, but another kernel version may.",
    .privilege = "none",
    .when_not = "the kernel logged the fault only when you plugged in or unplugged the card",
    .sources =
        "Linux source code: sound/usb/clock.c, drivers/usb/core/hub.c, sound/pci/hda/hda_intel.c; "
        "Linux documentation: driver-api/usb/error-codes.rst (error 71 is EPROTO)",
    .persistent = "# try the previous kernel; for a USB card also another cable, a port without a "
                  "hub, newer firmware",
    .check = "journalctl -k -b | grep -iE 'usb|snd'   # no new lines while music plays",
    .undo = "nothing to undo: no setting was changed",
    .facts = ST_RULE_KEYS(ST_KEY_KERNEL_LOG_CARD_N),
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_OK,
         "the kernel has logged no fault of a sound card since the computer was started"},
        {0, ST_STATUS_ADVICE,
         "number of faults of a sound card in the kernel's log since the computer was started: "
         "{}"}),
};
