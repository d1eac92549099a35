/* Facts about FreeBSD that several rules need. */
#ifndef ST_ADVISOR_RULES_FREEBSD_H
#define ST_ADVISOR_RULES_FREEBSD_H

#include "advisor/facts/facts.h"

#define ST_FREEBSD_OSRELDATE    "freebsd.kern.osreldate"
#define ST_FREEBSD_DEFAULT_UNIT "freebsd.hw.snd.default_unit"

#define ST_FREEBSD_KEY_BYTES 96

/** Key of a sysctl of sound device pcmN: "freebsd.dev.pcm.<unit>.<leaf>". @return ret */
const char *st_freebsd_pcm_key(int64_t unit, const char *leaf, char *ret, size_t bytes);

/** Number of pcm devices in the facts. */
int st_freebsd_pcm_count(const struct st_facts *facts);

/** The unit of a USB sound device, the default one if that is one; -1: there is none, or no collector looked.
 * */
int64_t st_freebsd_usb_unit(const struct st_facts *facts);

/** The user who plays, for a command that root pastes: the user of a live report; "NAME" if that is root or
 * not known. */
const char *st_freebsd_user(const struct st_facts *facts);

/** The right to real-time priority for the members of a group, from 13.1 on: now and for ever. */
#define ST_FREEBSD_MAC_PRIORITY_NOW(user) "kldload mac_priority\npw groupmod realtime -m " user
#define ST_FREEBSD_MAC_PRIORITY_EVER      "# /boot/loader.conf\nmac_priority_load=\"YES\""

/** The members of a rule that sets one sysctl; the second one back to its default. */
#define ST_FREEBSD_SYSCTL_FIX(key, value, undo_)                                                             \
    .applicability = ST_APPLY_AUTO, .changes = ST_RULE_CHANGES({ST_CHANGE_SYSCTL, key, value}),              \
    .guide.now = "sysctl " key "=" value, .guide.persistent = "# /etc/sysctl.conf\n" key "=" value,          \
    .guide.check = "sysctl " key "   # " value, .guide.undo = undo_
#define ST_FREEBSD_SYSCTL_BACK(key, value)                                                                   \
    ST_FREEBSD_SYSCTL_FIX(key, value, "nothing to undo: " value " is the default")
#define ST_FREEBSD_UNDO_SYSCTL(key, usual)                                                                   \
    "take the line out of /etc/sysctl.conf; to undo it at once: sysctl " key "=" usual " (the default)"

#define ST_FREEBSD_USER_NAME "user.name"
#define ST_FREEBSD_USER_MAX  32 /* MAXLOGNAME - 1 */

#endif
