/* Facts and fixes of FreeBSD that several rules share. */
#pragma once

#include "advisor/rules/rule.h"

/** A flag of an event timer: it stops in the idle state C3 (sys/sys/timeet.h). */
#define ST_FREEBSD_ET_C3STOP 0x08

/** Members of struct st_rule for a rule that sets one sysctl. undo_ says how to restore the
 * default. */
#define ST_FREEBSD_SYSCTL_FIX(key, value, undo_)                                                   \
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSCTL, key, value}), .now = "sysctl " key "=" value,    \
    .persistent = "# /etc/sysctl.conf\n" key "=" value, .check = "sysctl " key "   # " value,      \
    .undo = undo_
#define ST_FREEBSD_SYSCTL_BACK(key, value)                                                         \
    ST_FREEBSD_SYSCTL_FIX(key, value, "nothing to undo: " value " is the default value")
#define ST_FREEBSD_UNDO_SYSCTL(key, usual)                                                         \
    "take the line out of /etc/sysctl.conf; to undo it at once, set the default: sysctl " key      \
    "=" usual
