/* hw.usb.power_timeout: USB devices that are put to sleep. */
#include <inttypes.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/rule.h"

#define TIMEOUT "freebsd.hw.usb.power_timeout"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t timeout_s;
    char key[ST_FREEBSD_KEY_BYTES];
    (void)wish;
    if (st_finding_need_int(finding, facts, TIMEOUT, &timeout_s) != 0)
        return;
    const int64_t unit = st_freebsd_usb_unit(facts);
    if (unit < 0) {
        st_finding_set(finding, ST_STATUS_OK, "no USB sound device is attached that could be put to sleep");
        st_finding_effect(finding, 0, "no USB sound device");
        return;
    }
    st_finding_quote(finding, facts, st_freebsd_pcm_key(unit, "%parent", key, sizeof(key)));
    st_finding_set(finding, ST_STATUS_UNKNOWN,
                   "no sysctl says whether the device of pcm%" PRId64
                   " may be put to sleep: look for pwr=SAVE in the output of usbconfig",
                   unit);
}

const struct st_rule st_rule_freebsd_usb_suspend = {
    .id = "freebsd-usb-suspend",
    .os = ST_OS_FREEBSD,
    .title = "USB devices put to sleep (power_timeout)",
    .mechanism =
        "A USB device in power mode SAVE is suspended when nothing was transferred for hw.usb.power_timeout "
        "seconds, and needs time to come back. A device that plays transfers all the time, so it concerns "
        "the "
        "first sound only; 'usbconfig -d ugenX.Y power_on' takes a device out.",
    .privilege = "root",
    .cost = "power",
    .when_not = "on battery; devices whose usbconfig line says pwr=ON",
    .sources = "usbconfig(8) (power_on, power_save), FreeBSD sys/dev/usb/usb_hub.c; not tried on hardware\n"
               "hw.pci.do_power_nodriver concerns devices without a driver only",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){TIMEOUT, ST_FREEBSD_DEFAULT_UNIT, "freebsd.dev.pcm.*.%parent",
                                   "freebsd.sndstat.*", NULL},
    .judge = judge,
};
